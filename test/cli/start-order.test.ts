/** A process and what it depends on may start in any order. */
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { useTestDatabase } from '../support/database.ts';
import { closedPort } from '../support/ports.ts';
import { expectToStop, listeningUrl, startRefusal, useCarillon } from '../support/processes.ts';

const SECRET_KEY = '0'.repeat(64);
const carillon = useCarillon();
const database = useTestDatabase();
let door: Door | undefined;

afterEach(async () => {
  await carillon.killAll();
  await door?.close();
});

/** A port that leads to the real database once it is opened. */
interface Door {
  url: string;
  open(): Promise<void>;
  close(): Promise<void>;
}

async function makeDoor(): Promise<Door> {
  const target = new URL(database.url);
  const port = await closedPort();
  const sockets = new Set<Socket>();
  const server: Server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.pipe(to);
      from.on('error', () => to.destroy());
      from.on('close', () => sockets.delete(from));
    }
  });
  const url = new URL(database.url);
  url.port = String(port);
  return {
    url: url.href,
    open: async () => {
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      if (!server.listening) return;
      server.close();
      await once(server, 'close');
    },
  };
}

test('a server without its database waits, logs it, answers /readyz and calls with 503, and starts once it is there', async () => {
  door = await makeDoor();
  const port = await closedPort();
  const server = carillon.start(['start'], { DATABASE_URL: door.url, SECRET_KEY, PORT: String(port) });
  await server.line(/"kind":"waiting_for_database","message":"connect ECONNREFUSED/);
  const url = `http://127.0.0.1:${port}`;
  const ready = await vi.waitFor(async () => fetch(`${url}/readyz`), { timeout: 30_000 });
  expect(ready.status).toBe(503);
  expect(await ready.json()).toMatchObject({
    status: 'down',
    database: 'down',
    queue: 'up',
    reason: expect.stringMatching(/^The database does not answer\./) as unknown,
    troubles: [{ code: 'database_away' }],
  });
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  const refused = await fetch(`${url}/v6/notifications`, { method: 'POST', body: '{}' });
  expect(refused.status).toBe(503);
  expect(refused.headers.get('retry-after')).toBe('5');
  expect(await refused.json()).toMatchObject({ code: 'unavailable' });

  await door.open();
  expect(await listeningUrl(server)).toBe(url);
  expect(await (await fetch(`${url}/readyz`)).json()).toEqual({
    status: 'up',
    database: 'up',
    queue: 'up',
    troubles: [],
  });
  expect((await fetch(`${url}/v6/notifications`, { method: 'POST' })).status).toBe(401);
  const waits = server.lines().filter((line) => line.includes('"kind":"waiting_for_database"'));
  expect(waits).toHaveLength(1);
});

test('a stop ends the wait for Postgres, with exit code 0', async () => {
  door = await makeDoor();
  const server = carillon.start(['start'], { DATABASE_URL: door.url, SECRET_KEY, PORT: '0' });
  await server.line(/"kind":"waiting_for_database"/);
  server.signal('SIGTERM');
  expect(await server.exited).toMatchObject({ code: 0, signal: null, stderr: '' });
});

test('a database that refuses the password is not waited for', async () => {
  const url = new URL(database.url);
  url.username = 'nobody_of_that_name';
  const exit = await carillon.run(['start'], { DATABASE_URL: url.href, SECRET_KEY, PORT: '0' });
  expect(exit.code).toBe(1);
  expect(startRefusal(exit)).toMatch(/nobody_of_that_name/);
  expect(exit.stdout).not.toContain('waiting_for_database');
});

test('a server without Redis starts, logs that once, is ready, and reports it at /readyz', async () => {
  const redisUrl = `redis://127.0.0.1:${await closedPort()}`;
  const settings = { DATABASE_URL: database.url, REDIS_URL: redisUrl, SECRET_KEY, PORT: '0' };
  const server = carillon.start(['start'], settings);
  const url = await listeningUrl(server);
  await server.line(/"kind":"queue_away","message":"connect ECONNREFUSED/);
  const ready = await fetch(`${url}/readyz`);
  expect(ready.status).toBe(200);
  expect(await ready.json()).toEqual({
    status: 'up',
    database: 'up',
    queue: 'down',
    reason: expect.stringContaining('Redis is away'),
    troubles: [expect.objectContaining({ code: 'queue_away' })],
  });
  await expectToStop(server);
  expect(server.lines().filter((line) => /"kind":"queue_/.test(line))).toHaveLength(1);
});
