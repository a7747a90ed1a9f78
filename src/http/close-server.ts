/** Closes a server of Node without waiting for the keep-alive time of its connections. */
import type { Server } from 'node:http';

const CLOSE_IDLE_EVERY_MS = 100;

/**
 * Closing ends the connections that are idle at that moment. One whose request is answered afterwards would stay open for
 * the whole of the keep-alive time, so idle ones are closed until `close` has ended.
 * @param close closes the server, and ends when its last connection is closed
 */
export async function closeWithIdle(server: Server, close: () => Promise<unknown>): Promise<void> {
  const timer = setInterval(() => server.closeIdleConnections(), CLOSE_IDLE_EVERY_MS);
  await close().finally(() => clearInterval(timer));
}
