import { randomBytes } from 'node:crypto';

/** A push token as Apple gives them, which no device has yet. */
export function newToken(): string {
  return randomBytes(32).toString('hex');
}
