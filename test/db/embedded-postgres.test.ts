import { readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { Client } from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openEmbeddedPostgres } from '../../src/db/embedded-postgres.ts';
import { observeNothing } from '../../src/observe.ts';
import { makeDatabaseDir } from '../support/database-dir.ts';
import { PATIENCE } from '../support/patience.ts';

let dataDir: string;
beforeEach(async () => {
  dataDir = await makeDatabaseDir('carillon-embedded-');
});
afterEach(async () => {
  await rm(dataDir, { recursive: true, force: true });
});

async function query(connectionString: string, statement: string): Promise<unknown[]> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    const { rows } = await client.query(statement);
    return rows;
  } finally {
    await client.end();
  }
}

async function postmasterPid(): Promise<number> {
  const file = await readFile(path.join(dataDir, 'postgres', 'postmaster.pid'), 'utf8');
  return Number(file.split('\n')[0]);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test('several processes share one database, and the last to leave stops it', async () => {
  const [first, second] = await Promise.all([
    openEmbeddedPostgres(dataDir, observeNothing),
    openEmbeddedPostgres(dataDir, observeNothing),
  ]);
  expect(second.connectionString).toBe(first.connectionString);
  const pid = await postmasterPid();
  await first.close();
  expect(await query(second.connectionString, 'select 1 as one')).toEqual([{ one: 1 }]);
  await second.close();
  await expect.poll(() => isRunning(pid), { timeout: 30_000 }).toBe(false);
});

test('only one server claims the directory, until it leaves', async () => {
  const first = await openEmbeddedPostgres(dataDir, observeNothing);
  const second = await openEmbeddedPostgres(dataDir, observeNothing);
  expect(await first.claimForServer()).toBe(true);
  expect(await second.claimForServer()).toBe(false);
  await first.close();
  await expect.poll(async () => second.claimForServer(), PATIENCE).toBe(true);
  await second.close();
});

test('does not log what met a unique key', async () => {
  const postgres = await openEmbeddedPostgres(dataDir, observeNothing);
  await query(postgres.connectionString, 'create table held (token text primary key)');
  await query(postgres.connectionString, "insert into held select 'a push ' || 'token'");
  const again = query(postgres.connectionString, "insert into held select 'a push ' || 'token'");
  await expect(again).rejects.toMatchObject({ detail: 'Key (token)=(a push token) already exists.' });
  await postgres.close();
  const logs = path.join(dataDir, 'postgres', 'log');
  const files = await Promise.all(
    (await readdir(logs)).map(async (name) => readFile(path.join(logs, name), 'utf8')),
  );
  expect(files.join('')).toContain('duplicate key value violates unique constraint');
  expect(files.join('')).not.toContain('a push token');
});

test('keeps what was stored when the database server is killed, and starts again', async () => {
  const before = await openEmbeddedPostgres(dataDir, observeNothing);
  await query(before.connectionString, 'create table kept as select 7 as value');
  const pid = await postmasterPid();
  process.kill(pid, 'SIGKILL');
  await expect.poll(() => isRunning(pid), { timeout: 30_000 }).toBe(false);
  await before.close();

  const after = await openEmbeddedPostgres(dataDir, observeNothing);
  expect(await query(after.connectionString, 'select value from kept')).toEqual([{ value: 7 }]);
  await after.close();
});
