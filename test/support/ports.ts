import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/** The port that a server listens on. */
export function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server listens on no port');
  return address.port;
}

const FIRST_PORT = 11_000;
const PORTS = 10_000;
/** More than a run has. Each has ports of its own: a port may be closed while another worker looks for one. */
const WORKERS = 16;
const PORTS_OF_WORKER = PORTS / WORKERS;
const worker = Number(process.env['VITEST_POOL_ID'] ?? '0') % WORKERS;
const given = new Set<number>();

/**
 * A port on which nothing listens: connections to it are refused until the caller opens it. It is below those that the
 * system hands out by itself, so no connection and no other server takes it meanwhile, nor while a server restarts. The port
 * 10,000 higher, which a node of a Redis Cluster opens as well, is below them too.
 */
export async function closedPort(): Promise<number> {
  for (;;) {
    const port = FIRST_PORT + Math.floor((worker + Math.random()) * PORTS_OF_WORKER);
    if (given.has(port) || !(await isFree(port)) || !(await isFree(port + PORTS))) continue;
    given.add(port);
    return port;
  }
}

export async function isFree(port: number): Promise<boolean> {
  const probe = createServer().listen(port, '127.0.0.1');
  try {
    await once(probe, 'listening');
  } catch {
    return false;
  }
  probe.close();
  await once(probe, 'close');
  return true;
}
