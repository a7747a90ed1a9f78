/**
 * Encrypts texts for browsers (RFC 8291, with the coding `aes128gcm` of RFC 8188). One key pair serves all messages of a thread for
 * a day, and what is derived with it for a browser is kept: a later message costs a fifth (docs/decisions/0054).
 */
import { createCipheriv, createECDH, type ECDH, hash, randomFillSync } from 'node:crypto';

/** The most bytes of a body (RFC 8030, 7.2), and of its text: what header, delimiter and tag leave. */
const BODY_BYTES_MAX = 4_096;
const SALT_BYTES = 16;
const PUBLIC_KEY_BYTES = 65;
const TAG_BYTES = 16;
const HEADER_BYTES = SALT_BYTES + 4 + 1 + PUBLIC_KEY_BYTES;
export const TEXT_BYTES_MAX = BODY_BYTES_MAX - HEADER_BYTES - 1 - TAG_BYTES;

/** Ends the last record, which is the only one. */
const DELIMITER = Buffer.from([2]);
const KEY_INFO = Buffer.from('WebPush: info\0');
const CONTENT_KEY_INFO = Buffer.from('Content-Encoding: aes128gcm\0\x01');
const NONCE_INFO = Buffer.from('Content-Encoding: nonce\0\x01');
const ONE = Buffer.from([1]);

export interface Encryption {
  /**
   * @param keys `<p256dh>.<auth>`
   * @returns the body of a push
   * @throws {Error} if the public key is not on the curve
   */
  encrypt: (keys: string, text: Buffer) => Buffer;
}

export interface EncryptionOptions {
  now: () => number;
  /** How many browsers' keys are kept, of about 200 bytes each. */
  keptMax?: number;
  /** For the test vectors of RFC 8291. */
  fixed?: { privateKey: Buffer; salt: Buffer };
}

const KEPT_MAX = 200_000;
const DAY_MS = 24 * 60 * 60_000;

interface Pair {
  ecdh: ECDH;
  publicKey: Buffer;
  madeAt: number;
  /** The input keying material for each browser, by the text of its keys; the oldest first. */
  kept: Map<string, Buffer>;
}

export function openEncryption({ now, keptMax = KEPT_MAX, fixed }: EncryptionOptions): Encryption {
  let pair = makePair(now(), fixed?.privateKey);

  function keyingMaterial(keys: string): Buffer {
    const known = pair.kept.get(keys);
    if (known !== undefined) return known;
    const dot = keys.indexOf('.');
    const theirs = Buffer.from(keys.slice(0, dot), 'base64url');
    const secret = Buffer.from(keys.slice(dot + 1), 'base64url');
    const shared = hmac(secret, pair.ecdh.computeSecret(theirs));
    const material = hmac(shared, Buffer.concat([KEY_INFO, theirs, pair.publicKey, ONE]));
    if (pair.kept.size >= keptMax) {
      for (const oldest of pair.kept.keys()) {
        pair.kept.delete(oldest);
        break;
      }
    }
    pair.kept.set(keys, material);
    return material;
  }

  return {
    encrypt(keys, text) {
      const at = now();
      if (fixed === undefined && Math.abs(at - pair.madeAt) >= DAY_MS) pair = makePair(at);
      const material = keyingMaterial(keys);
      const body = Buffer.allocUnsafe(HEADER_BYTES + text.length + 1 + TAG_BYTES);
      const salt = body.subarray(0, SALT_BYTES);
      if (fixed === undefined) randomFillSync(body, 0, SALT_BYTES);
      else fixed.salt.copy(body);
      body.writeUInt32BE(BODY_BYTES_MAX, SALT_BYTES);
      body[SALT_BYTES + 4] = PUBLIC_KEY_BYTES;
      pair.publicKey.copy(body, SALT_BYTES + 5);
      const pseudorandom = hmac(salt, material);
      const contentKey = hmac(pseudorandom, CONTENT_KEY_INFO).subarray(0, 16);
      const nonce = hmac(pseudorandom, NONCE_INFO).subarray(0, 12);
      const cipher = createCipheriv('aes-128-gcm', contentKey, nonce);
      let end = HEADER_BYTES;
      end += cipher.update(text).copy(body, end);
      end += cipher.update(DELIMITER).copy(body, end);
      end += cipher.final().copy(body, end);
      cipher.getAuthTag().copy(body, end);
      return body;
    },
  };
}

function makePair(madeAt: number, privateKey?: Buffer): Pair {
  const ecdh = createECDH('prime256v1');
  if (privateKey === undefined) ecdh.generateKeys();
  else ecdh.setPrivateKey(privateKey);
  return { ecdh, publicKey: ecdh.getPublicKey(), madeAt, kept: new Map() };
}

const BLOCK_BYTES = 64;
const INNER = 0x36;
const OUTER = 0x5c;

/**
 * HMAC-SHA-256 (RFC 2104) by two calls of `crypto.hash`, which cost a third of `createHmac`: an object of Node's for each HMAC is most of
 * the time of an encryption.
 * @param key of at most 64 bytes
 */
function hmac(key: Buffer, message: Buffer): Buffer {
  const inner = Buffer.allocUnsafe(BLOCK_BYTES + message.length);
  const outer = Buffer.allocUnsafe(BLOCK_BYTES + 32);
  for (let at = 0; at < BLOCK_BYTES; at++) {
    const byte = key[at] ?? 0;
    inner[at] = byte ^ INNER;
    outer[at] = byte ^ OUTER;
  }
  message.copy(inner, BLOCK_BYTES);
  hash('sha256', inner, 'buffer').copy(outer, BLOCK_BYTES);
  return hash('sha256', outer, 'buffer');
}
