/**
 * Encrypts secrets at rest (credentials of gateways, secrets of webhooks) with AES-256-GCM, bound to their app and kind: a
 * sealed value that was moved to another row does not decrypt.
 */
import { createCipheriv, createDecipheriv, randomBytes, type KeyObject } from 'node:crypto';

/** The current key, and the previous one while it is being replaced (docs/secrets.md). */
export interface SecretKey {
  readonly current: KeyObject;
  /** Used only to decrypt. */
  readonly previous?: KeyObject | undefined;
}

export interface SealContext {
  appId: string;
  /** The kind of secret, e.g. `apns`. */
  kind: string;
}

const CIPHER = 'aes-256-gcm';
/** First byte of every sealed value; a change of layout or cipher gets a new number. */
const VERSION = 1;
const NONCE_BYTES = 12; // NIST SP 800-38D, 8.2: random nonces of 96 bits
const TAG_BYTES = 16;
const HEADER_BYTES = 1 + NONCE_BYTES + TAG_BYTES;

/** @returns version, nonce, tag, ciphertext */
export function seal({ current }: SecretKey, plaintext: string, context: SealContext): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, current, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(associatedData(context));
  const ciphertext = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()]);
  return Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), ciphertext]);
}

/** @throws {Error} if the value was encrypted with another key, for another app or for another kind, or was altered */
export function unseal({ current, previous }: SecretKey, sealed: Buffer, context: SealContext): string {
  if (sealed[0] !== VERSION || sealed.length < HEADER_BYTES) {
    throw new Error(`the sealed ${context.kind} credentials have an unknown version`);
  }
  const plaintext =
    open(current, sealed, context) ?? (previous === undefined ? undefined : open(previous, sealed, context));
  if (plaintext === undefined) {
    throw new Error(`the sealed ${context.kind} credentials cannot be decrypted with this SECRET_KEY`);
  }
  return plaintext;
}

/** Whether the value can be decrypted with one of the keys. */
export function opens(secret: SecretKey, sealed: Buffer, context: SealContext): boolean {
  try {
    unseal(secret, sealed, context);
    return true;
  } catch {
    return false;
  }
}

/** Encrypts a value with the current key. @throws {Error} as `unseal` does */
export function reseal(secret: SecretKey, sealed: Buffer, context: SealContext): Buffer {
  return seal(secret, unseal(secret, sealed, context), context);
}

/** @returns undefined for a wrong key or an altered value */
function open(key: KeyObject, sealed: Buffer, context: SealContext): string | undefined {
  const nonce = sealed.subarray(1, 1 + NONCE_BYTES);
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(associatedData(context));
  decipher.setAuthTag(sealed.subarray(1 + NONCE_BYTES, HEADER_BYTES));
  try {
    return decipher.update(sealed.subarray(HEADER_BYTES), undefined, 'utf8') + decipher.final('utf8');
  } catch {
    return undefined;
  }
}

function associatedData({ appId, kind }: SealContext): Buffer {
  return Buffer.from(JSON.stringify(['carillon', VERSION, appId, kind]));
}
