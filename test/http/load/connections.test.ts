import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test, vi } from 'vitest';
import { limitConnections } from '../../../src/http/load/connections.ts';
import { collectObservations } from '../../support/database.ts';
import { PATIENCE } from '../../support/patience.ts';
import { portOf } from '../../support/ports.ts';
import { useApi } from '../api.ts';

const MAX = 3;
/** As many are accepted above the maximum, to refuse them in words. */
const SURPLUS = 32;

const api = useApi();
const sockets: Socket[] = [];

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

async function open() {
  const { observe, seen } = collectObservations();
  const server = api.openServer({ observe, connections: limitConnections(MAX, observe) });
  await server.listen({ host: '127.0.0.1', port: 0 });
  const join = async (): Promise<Socket> => {
    const socket = connect(portOf(server.server), '127.0.0.1').on('error', () => undefined);
    sockets.push(socket);
    await once(socket, 'connect');
    return socket;
  };
  /** Fills the server with connections that say nothing. */
  const fill = async (count: number): Promise<Socket[]> => {
    const joined = await Promise.all(Array.from({ length: count }, join));
    await vi.waitFor(async () => expect(await countOf(server.server)).toBe(count), PATIENCE);
    return joined;
  };
  const kinds = (): string[] =>
    seen.map(({ kind }) => kind).filter((kind) => kind.startsWith('connections_'));
  return { server, join, fill, kinds };
}

async function countOf(server: { getConnections(done: (error: unknown, count: number) => void): void }) {
  return new Promise<number>((resolve) => {
    server.getConnections((_error, count) => resolve(count));
  });
}

function ask(socket: Socket, path: string, more = ''): void {
  socket.write(`GET ${path} HTTP/1.1\r\nHost: carillon\r\n${more}\r\n`);
}

test('a connection above the limit is refused with 503 and Retry-After, and closed; it is logged once', async () => {
  const { join, fill, kinds } = await open();
  await fill(MAX);
  for (const _ of [1, 2]) {
    const surplus = await join();
    ask(surplus, '/v6/audiences');
    const reply = await text(surplus);
    expect(reply).toMatch(/^HTTP\/1\.1 503 /);
    expect(reply).toMatch(/\r\nretry-after: 2\r\n/i);
    expect(reply).toMatch(/\r\nconnection: close\r\n/i);
    expect(reply).toContain('Too many connections are open; nothing was done; try again shortly.');
  }
  expect(kinds()).toEqual(['connections_full']);
});

test.each(['/healthz', '/readyz', '/openapi.json'])(
  '%s is answered above the limit of connections as well',
  async (path) => {
    const { join, fill } = await open();
    await fill(MAX);
    const surplus = await join();
    ask(surplus, path);
    const reply = await text(surplus);
    expect(reply).toMatch(/^HTTP\/1\.1 200 /);
    expect(reply).toMatch(/\r\nconnection: close\r\n/i);
  },
);

test('connections far above the limit are closed at once, and those below it go on', async () => {
  const { join, fill } = await open();
  const [first] = await fill(MAX + SURPLUS);
  expect(await text(await join())).toBe('');
  if (first === undefined) throw new Error('there are connections');
  ask(first, '/healthz', 'Connection: close\r\n');
  expect(await text(first)).toMatch(/^HTTP\/1\.1 200 /);
});

test('further connections are served where others end, and that is logged once', async () => {
  const { server, join, fill, kinds } = await open();
  const filled = await fill(MAX);
  const surplus = await join();
  ask(surplus, '/healthz');
  await text(surplus);
  for (const socket of filled) socket.destroy();
  await vi.waitFor(async () => expect(await countOf(server.server)).toBe(0), PATIENCE);
  const served = await join();
  ask(served, '/v6/audiences', 'Connection: close\r\n');
  expect(await text(served)).toMatch(/^HTTP\/1\.1 401 /);
  expect(kinds()).toEqual(['connections_full', 'connections_free']);
});

test('connections between two requests are closed to make room', async () => {
  const { join, fill } = await open();
  const [idle] = await fill(MAX);
  if (idle === undefined) throw new Error('there are connections');
  ask(idle, '/healthz');
  await once(idle, 'data');
  const closed = once(idle, 'close');
  await join();
  await closed;
});

test('a connection that cannot be accepted ends nothing, and is logged', async () => {
  const { server, kinds } = await open();
  server.server.emit('error', Object.assign(new Error('accept EMFILE'), { code: 'EMFILE' }));
  expect(kinds()).toEqual(['connections_full']);
});
