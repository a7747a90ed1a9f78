import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** Hands an agent of Node's its connection, or the error, once it is open. */
export async function handOver(
  opening: Promise<Duplex>,
  done: ((error: Error | null, socket: Duplex) => void) | undefined,
): Promise<void> {
  try {
    done?.(null, await opening);
  } catch (error) {
    // Node only uses the error, but its types require a socket.
    done?.(error instanceof Error ? error : new Error(String(error)), new Socket());
  }
}
