/** The codes of a second factor: time-based ones (RFC 6238) of an authenticator app, and recovery codes on paper. */
import { randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import { hashOf } from '../../apps/api-keys.ts';

const SECRET_BYTES = 20; // RFC 4226, section 4, recommends 160 bits
/** The steps of 30 s before and after now whose code is accepted as well: clocks of phones differ. */
const STEPS_AROUND = 1;
const ISSUER = 'Carillon';

const RECOVERY_CODES = 10;
/** So many that a plain hash keeps them secret, as OWASP ASVS 5.0 has it (V6.5.2, V11.5.1). */
const RECOVERY_BYTES = 16;
const RECOVERY_GROUP = /.{4}(?=.)/g;

/** @returns base32, as people type it into an app */
export function newSecretOfCodes(): string {
  return new Secret({ size: SECRET_BYTES }).base32;
}

/** @returns the address that authenticator apps read from a QR code */
export function addressOfSecret(secret: string, userName: string): string {
  return totpOf(secret, userName).toString();
}

/** @returns the step of 30 s that the code belongs to; undefined if it is wrong or too old */
export function stepOfCode(secret: string, code: string, now: Date): number | undefined {
  const totp = totpOf(secret);
  const timestamp = now.getTime();
  const around = totp.validate({ token: code, timestamp, window: STEPS_AROUND });
  return around === null ? undefined : totp.counter({ timestamp }) + around;
}

function totpOf(secret: string, label = ''): TOTP {
  return new TOTP({ issuer: ISSUER, label, secret: Secret.fromBase32(secret) });
}

/** @returns codes of 128 random bits in groups of four, and their hashes, which are stored */
export function newRecoveryCodes(): { codes: string[]; hashes: Buffer[] } {
  const codes = Array.from({ length: RECOVERY_CODES }, () =>
    randomBytes(RECOVERY_BYTES).toString('hex').replaceAll(RECOVERY_GROUP, '$&-'),
  );
  return { codes, hashes: codes.map(hashOfRecoveryCode) };
}

/** @param code as somebody has typed it */
export function hashOfRecoveryCode(code: string): Buffer {
  return hashOf(code.toLowerCase().replaceAll(/[^0-9a-f]/g, ''));
}
