/**
 * Simulates distance: forwards TCP connections with a delay of `delayMs` in each direction, without limiting the bytes in
 * flight. Bytes that are due at the same time are forwarded in one write, to keep the proxy cheap.
 */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { z } from 'zod';

const inputSchema = z.object({
  delayMs: z.number(),
  targets: z.array(z.object({ host: z.string(), port: z.number() })),
});

interface Travelling {
  dueMs: number;
  pass: () => void;
}

const { delayMs, targets } = inputSchema.parse(JSON.parse(await text(process.stdin)));
const sockets = new Set<Socket>();

const listeners = targets.map((target) =>
  createServer((near) => {
    const far = connect(target);
    passOn(near, far);
    passOn(far, near);
  }),
);
const ports = await Promise.all(
  listeners.map(async (listener) => {
    listener.listen(0, '127.0.0.1');
    await once(listener, 'listening');
    return z.object({ port: z.number() }).parse(listener.address()).port;
  }),
);
console.log(JSON.stringify({ ports }));
process.once('SIGTERM', () => {
  for (const listener of listeners) listener.close();
  for (const socket of sockets) socket.destroy();
});

function passOn(from: Socket, to: Socket): void {
  const travelling: Travelling[] = [];
  let isTimed = false;

  const arrive = (): void => {
    isTimed = false;
    const now = performance.now();
    to.cork();
    while ((travelling[0]?.dueMs ?? Infinity) <= now) travelling.shift()?.pass();
    to.uncork();
    awaitNext();
  };
  const awaitNext = (): void => {
    const [first] = travelling;
    if (isTimed || first === undefined) return;
    isTimed = true;
    if (delayMs === 0) setImmediate(arrive);
    else setTimeout(arrive, Math.max(first.dueMs - performance.now(), 1));
  };
  const depart = (pass: () => void): void => {
    travelling.push({ dueMs: performance.now() + delayMs, pass });
    awaitNext();
  };

  sockets.add(from);
  from.setNoDelay(true);
  from.on('data', (chunk) => depart(() => to.write(chunk)));
  from.on('end', () => depart(() => to.end()));
  from.on('error', () => to.destroy());
  from.on('close', () => sockets.delete(from));
}
