/** Opens a body coded as `aes128gcm` (RFC 8188) with the keys of a subscription (RFC 8291). */
import { createDecipheriv, createECDH, hkdfSync } from 'node:crypto';

/** The keys of a browser: its private key as it is, 32 bytes, and its 16-byte secret. */
export interface BrowserKeys {
  privateKey: Buffer;
  auth: Buffer;
}

/** A body, taken apart. */
export interface CodedBody {
  salt: Buffer;
  recordSize: number;
  /** In Web Push, the sender's public key. */
  keyId: Buffer;
  records: Buffer;
}

/** The text of a body, or why it has none. */
export type Opened = { text: string } | Fault;

/** What is wrong with a body. */
export interface Fault {
  fault: string;
}

const SALT_BYTES = 16;
const TAG_BYTES = 16;
/** Salt, record size (4 bytes), length of the key id (1). */
const HEADER_BYTES_MIN = SALT_BYTES + 5;
/** Tag, delimiter and at least one byte. */
const RECORD_SIZE_MIN = 18;
const PUBLIC_KEY_BYTES = 65;
const LAST_RECORD = 2;

/** @returns undefined if the body is shorter than its header */
export function readCodedBody(body: Buffer): CodedBody | undefined {
  if (body.length < HEADER_BYTES_MIN) return undefined;
  const keyIdEnd = HEADER_BYTES_MIN + body.readUInt8(HEADER_BYTES_MIN - 1);
  if (body.length < keyIdEnd) return undefined;
  return {
    salt: body.subarray(0, SALT_BYTES),
    recordSize: body.readUInt32BE(SALT_BYTES),
    keyId: body.subarray(HEADER_BYTES_MIN, keyIdEnd),
    records: body.subarray(keyIdEnd),
  };
}

/** Takes a push message apart, which must have the sender's public key and a single record, smaller than the record size. */
export function readMessage(body: Buffer): CodedBody | Fault {
  const coded = readCodedBody(body);
  if (coded === undefined) return { fault: 'the body is shorter than its header' };
  if (coded.keyId.length !== PUBLIC_KEY_BYTES) {
    return { fault: `the key in the body has ${coded.keyId.length} bytes, not ${PUBLIC_KEY_BYTES}` };
  }
  const { recordSize, records } = coded;
  if (recordSize < RECORD_SIZE_MIN)
    return { fault: `the record size ${recordSize} is below ${RECORD_SIZE_MIN}` };
  if (records.length >= recordSize)
    return { fault: 'the body has more than one record, or one as long as its size' };
  return records.length > TAG_BYTES ? coded : { fault: 'the record is too short' };
}

/** Opens a push message. */
export function openMessage(message: CodedBody, keys: BrowserKeys): Opened {
  const browser = createECDH('prime256v1');
  browser.setPrivateKey(keys.privateKey);
  let shared: Buffer;
  try {
    shared = browser.computeSecret(message.keyId);
  } catch {
    return { fault: 'the key in the body is not on the curve' };
  }
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), browser.getPublicKey(), message.keyId]);
  return openRecord(message, Buffer.from(hkdfSync('sha256', shared, keys.auth, info, 32)));
}

/** Opens the record of a body that has one. @param secret the input keying material of RFC 8188 */
export function openRecord({ salt, records }: CodedBody, secret: Buffer): Opened {
  const key = Buffer.from(hkdfSync('sha256', secret, salt, 'Content-Encoding: aes128gcm\0', 16));
  const nonce = Buffer.from(hkdfSync('sha256', secret, salt, 'Content-Encoding: nonce\0', 12));
  const decipher = createDecipheriv('aes-128-gcm', key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAuthTag(records.subarray(-TAG_BYTES));
  const padded = decipher.update(records.subarray(0, -TAG_BYTES));
  try {
    decipher.final();
  } catch {
    return { fault: 'the body does not decrypt with the keys of the subscription' };
  }
  // The text, the delimiter, and zeros.
  const end = padded.findLastIndex((byte) => byte !== 0);
  if (padded[end] !== LAST_RECORD) return { fault: 'the record does not end with the delimiter 2 and zeros' };
  return { text: padded.toString('utf8', 0, end) };
}
