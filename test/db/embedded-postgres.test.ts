import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Client } from 'pg';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
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

test('only one server may use the directory, until it leaves', async () => {
  const first = await openEmbeddedPostgres(dataDir, observeNothing);
  const second = await openEmbeddedPostgres(dataDir, observeNothing);
  expect(await first.holdForServer()).toBe(true);
  expect(await second.holdForServer()).toBe(false);
  await first.close();
  await expect.poll(async () => second.holdForServer(), PATIENCE).toBe(true);
  await second.close();
});

test('the embedded Postgres runs in a directory with a name for shells, and a locale that the system lacks', async () => {
  const name = `a b's "c" ü $HOME \`touch x\` $(touch y) ;&`;
  vi.stubEnv('LC_ALL', 'xx_YY.UTF-8');
  vi.stubEnv('LANG', 'xx_YY.UTF-8');
  try {
    const postgres = await openEmbeddedPostgres(path.join(dataDir, name), observeNothing);
    const locale = 'select datcollate, datctype from pg_database where datname = current_database()';
    expect(await query(postgres.connectionString, locale)).toEqual([{ datcollate: 'C', datctype: 'C' }]);
    await postgres.close();
  } finally {
    vi.unstubAllEnvs();
  }
  expect(await readdir(dataDir)).toEqual([name]);
});

test('the embedded Postgres starts although another process has the number of a killed server now', async () => {
  const first = await openEmbeddedPostgres(dataDir, observeNothing);
  const lock = path.join(dataDir, 'postgres', 'postmaster.pid');
  const left = await readFile(lock, 'utf8');
  const { uid, gid } = await stat(lock);
  await first.close();
  // A process of the user that Postgres runs as: of others, Postgres itself knows that they are no server.
  const other = spawn('sleep', ['600'], { uid, gid, cwd: '/', stdio: 'ignore' });
  try {
    await once(other, 'spawn');
    await writeFile(lock, left.replace(/^\d+/, String(other.pid)));
    await chown(lock, uid, gid);
    const second = await openEmbeddedPostgres(dataDir, observeNothing);
    expect(await query(second.connectionString, 'select 1 as one')).toEqual([{ one: 1 }]);
    expect(await postmasterPid()).not.toBe(other.pid);
    await second.close();
  } finally {
    other.kill('SIGKILL');
    await once(other, 'exit');
  }
});

test('the log of the embedded Postgres leaves out what met a unique key', async () => {
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

test('the embedded Postgres keeps what was stored when it is killed, and starts again', async () => {
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
