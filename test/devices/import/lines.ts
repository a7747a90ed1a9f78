/** Lines to import, and their bytes in chunks. */
import { newToken } from '../../support/push-token.ts';

/** The line of an iOS device. */
export function lineOf(device: object): string {
  return JSON.stringify({ platform: 'iOS', push_token: newToken(), ...device });
}

/** Yields the bytes in chunks of that size. */
export async function* chunksOf(
  input: string | Uint8Array,
  chunkBytes = 64 * 1024,
): AsyncGenerator<Uint8Array, void> {
  const bytes = Buffer.from(input);
  for (let from = 0; from < bytes.length; from += chunkBytes) yield bytes.subarray(from, from + chunkBytes);
}
