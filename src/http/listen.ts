/** Starts servers, and closes them without waiting for the keep-alive time of their connections. */
import type { Server } from 'node:http';
import type { FastifyInstance } from 'fastify';

const CLOSE_IDLE_EVERY_MS = 100;

/**
 * Closing ends only the connections that are idle at that moment. A connection whose request is answered later would
 * stay open for the whole keep-alive time, so idle connections are closed until `close` has ended.
 * @param close closes the server, and ends when its last connection is closed
 */
export async function closeWithIdle(server: Server, close: () => Promise<unknown>): Promise<void> {
  const timer = setInterval(() => server.closeIdleConnections(), CLOSE_IDLE_EVERY_MS);
  await close().finally(() => clearInterval(timer));
}

/** @returns the address; the server is closed with the rest of `opened` */
export async function listen(
  server: Pick<FastifyInstance, 'server' | 'close' | 'listen'>,
  address: { host: string; port: number },
  opened: AsyncDisposableStack,
): Promise<string> {
  opened.defer(async () => closeWithIdle(server.server, async () => server.close()));
  return server.listen(address);
}

/** @returns a function that stops serving; the ports are free again then */
export async function listenOn(
  build: () => Parameters<typeof listen>[0],
  host: string,
  ports: readonly (number | undefined)[],
): Promise<() => Promise<void>> {
  const opened = new AsyncDisposableStack();
  for (const port of ports) {
    if (port !== undefined) await listen(build(), { host, port }, opened);
  }
  return async () => opened.disposeAsync();
}
