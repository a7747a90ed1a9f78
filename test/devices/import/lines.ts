/** What the tests of the import share: lines to import, and ways to cut them into chunks. */
import { randomBytes } from 'node:crypto';

export function newToken(): string {
  return randomBytes(32).toString('hex');
}

/** A line for a device of iOS, as JSON text. */
export function lineOf(device: object): string {
  return JSON.stringify({ platform: 'iOS', push_token: newToken(), ...device });
}

/** The bytes, so many at a time. */
export async function* chunksOf(
  input: string | Uint8Array,
  chunkBytes = 64 * 1024,
): AsyncGenerator<Uint8Array, void> {
  const bytes = Buffer.from(input);
  for (let from = 0; from < bytes.length; from += chunkBytes) yield bytes.subarray(from, from + chunkBytes);
}
