/** Signs events as specified by https://www.standardwebhooks.com, for which receivers have verifying libraries. */
import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** @returns a new secret in the format of these libraries */
export function makeSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

/**
 * The headers that prove the sender and the time of a message: HMAC-SHA-256 of `<id>.<seconds>.<body>`.
 * @param secret from `makeSecret`
 */
export function signedHeaders(secret: string, { id, body, now }: { id: string; body: string; now: Date }) {
  const timestamp = String(Math.floor(now.getTime() / 1_000));
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
}
