import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { Kysely, PostgresDialect, sql } from 'kysely';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { openPool } from '../../src/db/connect.ts';
import { statementPool } from '../../src/db/statements.ts';
import type { Database } from '../../src/db/tables.ts';
import { isUnavailable } from '../../src/db/unavailable.ts';
import { portOf } from '../support/ports.ts';

const REPLY_TIMEOUT_MS = 100;

test('a connection that goes silent is given up, and the next statement gets another', async () => {
  const network = await openNetwork();
  const { db, pool } = openDatabase(network.url);
  expect(await one(db)).toBe(1);
  network.goSilent();
  const failure: unknown = await one(db).catch((error: unknown) => error);
  expect(isUnavailable(failure), String(failure)).toBe(true);
  expect(pool.totalCount).toBe(0);
  network.speak();
  expect(await one(db)).toBe(1);
});

test('a transaction whose connection goes silent waits for it once, not for its rollback again', async () => {
  const network = await openNetwork();
  const { db, pool } = openDatabase(network.url);
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const transaction = db.transaction().execute(async (open) => {
    expect(await one(open)).toBe(1);
    network.goSilent();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    await one(open);
  });
  transaction.catch(() => undefined);
  while (!vi.isFakeTimers() || vi.getTimerCount() === 0) await turn();
  vi.advanceTimersByTime(REPLY_TIMEOUT_MS);
  await expect(transaction).rejects.toMatchObject({ code: 'ETIMEDOUT' });
  expect(pool.totalCount).toBe(0);
});

test('an answer in time leaves no timer behind', async () => {
  const { db } = openDatabase(inject('postgresUrl'));
  await one(db);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  await db.connection().execute(async (connection) => {
    await one(connection);
    await expect(sql`select`.execute(connection)).resolves.toBeDefined();
    await expect(sql`nonsense`.execute(connection)).rejects.toMatchObject({ code: '42601' });
    expect(vi.getTimerCount()).toBe(0);
  });
});

test('a connection to a server that takes no writes any more is replaced', async () => {
  const { db } = openDatabase(inject('postgresUrl'));
  const pid = async (): Promise<unknown> => (await sql`select pg_backend_pid() as pid`.execute(db)).rows[0];
  const before = await pid();
  await sql`set default_transaction_read_only = on`.execute(db);
  await expect(sql`create table refused ()`.execute(db)).rejects.toMatchObject({ code: '25006' });
  expect(await pid()).not.toEqual(before);
});

async function one(db: Kysely<Database>): Promise<number | undefined> {
  const { rows } = await sql<{ one: number }>`select 1 as one`.execute(db);
  return rows[0]?.one;
}

function openDatabase(connectionString: string) {
  const pool = openPool({ connectionString, observe: () => undefined });
  const dialect = new PostgresDialect({
    pool: statementPool(pool, { replyTimeoutMs: REPLY_TIMEOUT_MS, prepares: true }),
  });
  const db = new Kysely<Database>({ dialect });
  onTestFinished(async () => db.destroy());
  return { db, pool };
}

/** A proxy to Postgres that can drop everything it receives, like a lost host. */
async function openNetwork() {
  const postgres = new URL(inject('postgresUrl'));
  const sockets = new Set<Socket>();
  let isSilent = false;
  const server = createServer((near) => {
    const far = connect(Number(postgres.port), postgres.hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('data', (bytes) => isSilent || to.write(bytes));
      from.on('close', () => to.destroy());
      from.on('error', () => to.destroy());
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const url = new URL(postgres);
  url.hostname = '127.0.0.1';
  url.port = String(portOf(server));
  return {
    url: url.href,
    goSilent: () => {
      isSilent = true;
    },
    speak: () => {
      isSilent = false;
    },
  };
}
