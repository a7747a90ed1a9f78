/**
 * Keeps a gateway's credentials unreadable at rest: AES-256-GCM, bound to the app and the kind they are for,
 * so that a sealed value moved to another row does not open.
 */
import { createCipheriv, createDecipheriv, randomBytes, type KeyObject } from 'node:crypto';

export interface SealContext {
  appId: string;
  /** What is sealed, e.g. `apns`. */
  kind: string;
}

const CIPHER = 'aes-256-gcm';
/** First byte of every sealed value: another layout or cipher gets another number. */
const VERSION = 1;
const NONCE_BYTES = 12; // NIST SP 800-38D, 8.2: random nonces of 96 bits
const TAG_BYTES = 16;
const HEADER_BYTES = 1 + NONCE_BYTES + TAG_BYTES;

/** @returns version, nonce, tag, ciphertext */
export function seal(secret: KeyObject, plaintext: string, context: SealContext): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, secret, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(associatedData(context));
  const ciphertext = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()]);
  return Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), ciphertext]);
}

/** @throws {Error} where it was sealed with another key, for another app or kind, or was altered */
export function unseal(secret: KeyObject, sealed: Buffer, context: SealContext): string {
  if (sealed[0] !== VERSION || sealed.length < HEADER_BYTES) {
    throw new Error(`the sealed ${context.kind} credentials are of an unknown version`);
  }
  const nonce = sealed.subarray(1, 1 + NONCE_BYTES);
  const decipher = createDecipheriv(CIPHER, secret, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(associatedData(context));
  decipher.setAuthTag(sealed.subarray(1 + NONCE_BYTES, HEADER_BYTES));
  try {
    return decipher.update(sealed.subarray(HEADER_BYTES), undefined, 'utf8') + decipher.final('utf8');
  } catch (error) {
    throw new Error(`the sealed ${context.kind} credentials do not open with this SECRET_KEY`, {
      cause: error,
    });
  }
}

function associatedData({ appId, kind }: SealContext): Buffer {
  return Buffer.from(JSON.stringify(['carillon', VERSION, appId, kind]));
}
