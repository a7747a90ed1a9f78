/** The list while the database or the queue does not answer, and what is noted from observations. */
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { connectDatabase } from '../../src/db/connect.ts';
import { observeNothing } from '../../src/observe.ts';
import { openWatchDb } from '../../src/process/resources.ts';
import { openStatus, type StatusOptions } from '../../src/status/status.ts';
import { useTestDatabase } from '../support/database.ts';
import { PATIENCE } from '../support/patience.ts';
import { closedPort, portOf } from '../support/ports.ts';

const database = useTestDatabase();
const opened: { (): Promise<unknown> }[] = [];

afterEach(async () => {
  for (const close of opened.splice(0).toReversed()) await close();
});

function watch(options: Partial<StatusOptions> = {}) {
  const status = openStatus({
    db: () => database.db,
    queue: { ping: async () => undefined },
    clock: systemClock,
    observe: observeNothing,
    timeoutMs: 30_000, // not at the mercy of a busy machine
    ...options,
  });
  opened.push(async () => status.close());
  return status;
}

function databaseAt(port: number) {
  const connectionString = `postgres://nobody@127.0.0.1:${port}/nothing`;
  const db = connectDatabase({ connectionString, observe: observeNothing });
  opened.push(async () => db.destroy());
  return db;
}

/** Takes connections, and answers nothing. */
async function silentPort(): Promise<number> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  opened.push(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return portOf(server);
}

const codes = (status: ReturnType<typeof watch>): string[] => status.troubles().map(({ code }) => code);

test('a database that takes connections and answers nothing is named, and what reads it is given up in words', async () => {
  const db = databaseAt(await silentPort());
  const status = watch({ db: () => db, timeoutMs: 100 });
  // One that is in progress already.
  const reading = status.reading(async () => new Promise(() => undefined)).catch((error: unknown) => error);
  await status.fresh();
  expect(codes(status)).toEqual(['database_away']);
  expect(status.isDatabaseUp).toBe(false);
  const [{ since } = { since: '' }] = status.troubles();
  const message = `The database does not answer, since ${since}; nothing was read; try again shortly.`;
  expect(await reading).toMatchObject({ code: 'unavailable', message, retryAfterSeconds: 5 });
  const begin = vi.fn(async () => 'read');
  await expect(status.reading(begin)).rejects.toMatchObject({ code: 'unavailable', message });
  expect(begin).not.toHaveBeenCalled();
});

test('what reads is given up as well if the watch has to connect first to a database that answers nothing', async () => {
  const db = openWatchDb(`postgres://nobody@127.0.0.1:${await silentPort()}/nothing`, 'none');
  opened.push(async () => db.destroy());
  const status = watch({ db: () => db, timeoutMs: 2_000 });
  await status.fresh();
  const begin = vi.fn(async () => 'read');
  await expect(status.reading(begin)).rejects.toMatchObject({ code: 'unavailable' });
  expect(begin).not.toHaveBeenCalled();
});

test('a database that refuses connections is named, and so is it by a reading that fails of it', async () => {
  const db = databaseAt(await closedPort());
  const status = watch({ db: () => db });
  await status.fresh();
  expect(codes(status)).toEqual(['database_away']);
  await expect(status.reading(async () => db.selectFrom('apps').execute())).rejects.toMatchObject({
    message: expect.stringMatching(/^The database does not answer, since /),
  });
});

test('what reads the database keeps its own errors and results while the database answers', async () => {
  const status = watch();
  await status.fresh();
  await expect(status.reading(async () => 'read')).resolves.toBe('read');
  const fault = new Error('of ours');
  await expect(status.reading(async () => Promise.reject(fault))).rejects.toBe(fault);
});

test('a queue that rejects, or that hangs, is away until it answers', async () => {
  const ping = vi.fn(async (): Promise<void> => Promise.reject(new Error('away')));
  const status = watch({ queue: { ping }, timeoutMs: 100 });
  await status.fresh();
  expect(codes(status)).toContain('queue_away');
  ping.mockResolvedValue();
  await status.fresh();
  expect(codes(status)).not.toContain('queue_away');
  expect(status.isQueueUp).toBe(true);
  ping.mockReturnValue(new Promise(() => undefined));
  await status.fresh();
  expect(codes(status)).toContain('queue_away');
});

test('a clock that differs from that of the database is named', async () => {
  const status = watch({ clock: () => new Date(Date.now() + 60_000) });
  await status.fresh();
  expect(status.troubles()).toMatchObject([
    { code: 'no_worker' },
    {
      code: 'clock_apart',
      what: expect.stringMatching(/^The clock of a server differs .*: it is (59|60|61) s ahead\.$/),
    },
  ]);
});

test('a trouble of the whole process is in the list from its observation until the one that ends it', async () => {
  const status = watch();
  status.observe({ kind: 'descriptors_used_up', message: 'EMFILE' });
  status.observe({ kind: 'replica_away', message: 'it is behind' });
  expect(codes(status)).toEqual(['descriptors_used_up', 'replica_away']);
  expect(status.own()).toMatchObject([
    { code: 'descriptors_used_up', reason: 'EMFILE' },
    { code: 'replica_away' },
  ]);
  status.observe({ kind: 'descriptors_free', durationMs: 1 });
  status.observe({ kind: 'replica_used' });
  expect(codes(status)).toEqual([]);
});

test('outcomes that cannot be saved are named while the errors go on, unless the database is in trouble itself', async () => {
  let nowMs = Date.now();
  let trouble: { condition: 'disk_full'; message: string; since: Date } | undefined;
  const status = watch({
    clock: () => new Date(nowMs),
    watch: {
      get trouble() {
        return trouble;
      },
    },
  });
  status.observe({
    kind: 'database_error',
    message: 'record outcomes: Postgres 55P03: no (function refuse)',
  });
  expect(status.troubles()).toMatchObject([
    { code: 'outcomes_unsaved', what: expect.stringContaining('Postgres 55P03') },
  ]);
  trouble = { condition: 'disk_full', message: 'no room', since: new Date(nowMs) };
  expect(codes(status)).toEqual(['disk_full']);
  trouble = undefined;
  nowMs += 5_000;
  expect(codes(status)).toEqual([]);
});

test('a watch that is started looks by itself, and calls no worker dead before one could show itself', async () => {
  const status = watch();
  await status.start();
  expect(codes(status)).toEqual([]);
  await vi.waitFor(() => expect(codes(status)).toEqual(['no_worker']), PATIENCE);
});
