/**
 * Encrypts texts for browsers (RFC 8291, with the coding `aes128gcm` of RFC 8188). One key pair serves all messages of a thread for
 * a day, and what is derived with it for a browser is kept: a later message costs a seventh (docs/decisions/0054).
 */
import { createCipheriv, createSecretKey, randomFillSync } from 'node:crypto';
import { type Derivers, openDerivers } from './derivers.ts';
import { KeptMaterial } from './kept-material.ts';
import { deriveMaterial, hmac, type KeyPair, keyPair, PUBLIC_KEY_BYTES } from './keying-material.ts';

/** The most bytes of a body (RFC 8030, 7.2), and of its text: what header, delimiter and tag leave. */
const BODY_BYTES_MAX = 4_096;
const SALT_BYTES = 16;
const TAG_BYTES = 16;
const HEADER_BYTES = SALT_BYTES + 4 + 1 + PUBLIC_KEY_BYTES;
export const TEXT_BYTES_MAX = BODY_BYTES_MAX - HEADER_BYTES - 1 - TAG_BYTES;

/** Ends the last record, which is the only one. */
const DELIMITER = 2;
const CONTENT_KEY_INFO = Buffer.from('Content-Encoding: aes128gcm\0\x01');
const NONCE_INFO = Buffer.from('Content-Encoding: nonce\0\x01');

export interface Encryption {
  /**
   * @param keys `<p256dh>.<auth>`
   * @returns the body of a push; a promise if another thread derives the keys
   * @throws {Error} (or rejects) if the public key is not on the curve
   */
  encrypt: (keys: string, text: Buffer) => Buffer | Promise<Buffer>;
  close(): Promise<void>;
}

export interface EncryptionOptions {
  now: () => number;
  /** How many browsers' keys are kept, of 64 to 128 bytes each. */
  keptMax?: number;
  /** Threads that derive keys for browsers that are not known yet. */
  threads?: number;
  /** For the test vectors of RFC 8291. */
  fixed?: { privateKey: Buffer; salt: Buffer };
}

const KEPT_MAX = 750_000;
const DAY_MS = 24 * 60 * 60_000;
const NO_THREADS: Derivers = { derive: () => undefined, close: async () => undefined };

interface PairOfDay extends KeyPair {
  privateKey: Buffer;
  madeAt: number;
  kept: KeptMaterial;
}

export function openEncryption(options: EncryptionOptions): Encryption {
  const { now, keptMax = KEPT_MAX, threads = 0, fixed } = options;
  const derivers = threads === 0 ? NO_THREADS : openDerivers(threads);
  let pair = pairOfDay(now());

  function pairOfDay(madeAt: number): PairOfDay {
    const made = keyPair(fixed?.privateKey);
    return { ...made, privateKey: made.ecdh.getPrivateKey(), madeAt, kept: new KeptMaterial(keptMax) };
  }

  return {
    encrypt(keys, text) {
      const at = now();
      if (Math.abs(at - pair.madeAt) >= DAY_MS) pair = pairOfDay(at);
      const used = pair;
      const known = used.kept.find(keys);
      if (known !== undefined) return sealed(used, known, text, fixed?.salt);
      const keepAndSeal = (derived?: Uint8Array): Buffer => {
        const material = derived ?? deriveMaterial(used, keys);
        used.kept.add(keys, material);
        return sealed(used, material, text, fixed?.salt);
      };
      return derivers.derive(used.privateKey, keys)?.then(keepAndSeal) ?? keepAndSeal();
    },
    close: async () => derivers.close(),
  };
}

function sealed({ publicKey }: KeyPair, material: Uint8Array, text: Buffer, fixedSalt?: Buffer): Buffer {
  const body = Buffer.allocUnsafe(HEADER_BYTES + text.length + 1 + TAG_BYTES);
  const salt = body.subarray(0, SALT_BYTES);
  salt.set(fixedSalt ?? randomSalt());
  body.writeUInt32BE(BODY_BYTES_MAX, SALT_BYTES);
  body[SALT_BYTES + 4] = PUBLIC_KEY_BYTES;
  body.set(publicKey, SALT_BYTES + 5);
  const pseudorandom = hmac(salt, material);
  // Given bytes, Node takes longer to find out that they are no `KeyObject` than for all the rest.
  const contentKey = createSecretKey(hmac(pseudorandom, CONTENT_KEY_INFO).subarray(0, 16));
  const nonce = hmac(pseudorandom, NONCE_INFO).subarray(0, 12);
  const cipher = createCipheriv('aes-128-gcm', contentKey, nonce);
  const end = body.length - TAG_BYTES;
  const record = body.subarray(HEADER_BYTES, end);
  record.set(text);
  record[text.length] = DELIMITER;
  record.set(cipher.update(record));
  cipher.final();
  body.set(cipher.getAuthTag(), end);
  return body;
}

/** Random bytes for many salts, each of which is used once: asking for so few takes longer than making them. */
const salts = Buffer.alloc(SALT_BYTES * 256);
let saltsUsed = salts.length;

function randomSalt(): Buffer {
  if (saltsUsed === salts.length) {
    randomFillSync(salts);
    saltsUsed = 0;
  }
  saltsUsed += SALT_BYTES;
  return salts.subarray(saltsUsed - SALT_BYTES, saltsUsed);
}
