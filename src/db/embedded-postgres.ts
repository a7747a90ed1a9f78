/**
 * Runs a real Postgres under `DATA_DIR`, for installations without one. It is created at the first use, and shared by all
 * Carillon processes on that directory; the last process to leave stops it.
 *
 * The database server is a separate process. It survives a `kill -9` of Carillon, and the next start uses it again. If the
 * database server itself dies, the first process that notices starts it again on the same port. Every process holds a
 * shared advisory lock. A process that leaves tries to get this lock exclusively: if it can, it is the last, and stops the
 * server. A second lock ensures that a directory has only one `carillon start`.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, chown, mkdir, readFile, readlink, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';
import { z } from 'zod';
import { databaseError } from './database-error.ts';
import type { Observe } from '../observe.ts';
import { findPostgresPrograms, type PostgresPrograms } from './postgres-program.ts';

export type EmbeddedPostgres = Awaited<ReturnType<typeof openEmbeddedPostgres>>;

const SUPERUSER = 'carillon';
const PASSWORD_FILE = 'carillon-password';
const LOCK_FILE = 'postmaster.pid';
/** Advisory lock keys in this database; they never change. */
const USERS_LOCK = 4_201;
const SERVER_LOCK = 4_202;

const START_ATTEMPTS = 60;
const RETRY_MS = 500;
/** The maximum time between attempts to restart a server that has died. */
const RESTART_MS_MAX = 10_000;

/**
 * Opens the database under a directory, and starts it if it is not running.
 * @throws {Error} with the last lines of its log if it cannot be started
 */
export async function openEmbeddedPostgres(dataDir: string, observe: Observe) {
  const clusterDir = path.resolve(dataDir, 'postgres');
  const programs = await findPostgresPrograms();
  await mkdir(dataDir, { recursive: true });
  await createCluster(programs, clusterDir);

  const { client, port, password } = await enter(programs, clusterDir, observe);
  const rejoinServer = async (): Promise<Client | undefined> => {
    const joined = await join(port, password);
    if (joined !== undefined || (await isAlive(clusterDir))) return joined;
    try {
      await startServer(programs, clusterDir, port);
    } catch {
      // Its old processes may take a moment to exit, or another Carillon process is starting it.
      const message = `the embedded Postgres could not be restarted: ${await lastLogLines(clusterDir)}`;
      observe({ kind: 'database_error', condition: 'unreachable', message });
      return undefined;
    }
    observe({ kind: 'database_started', port, dataDir: path.dirname(clusterDir) });
    return join(port, password);
  };
  const holder = holdLocks(client, rejoinServer, observe);
  const close = async (): Promise<void> => {
    const last = await leave(await holder.release());
    if (last) await programs.pgCtl(['stop', '-D', clusterDir, '-m', 'fast', '-w'], clusterDir);
  };
  let closing: Promise<void> | undefined;
  return {
    connectionString: connectionString(port, password),
    /** Holds the directory for one server; false if another server holds it. Released by `close`, or when the process dies. */
    holdForServer: async (): Promise<boolean> => holder.hold(SERVER_LOCK),
    /**
     * Leaves the database. If this is the last process, stops the database server, which closes all open connections. A
     * second call waits for the first.
     */
    close: async (): Promise<void> => (closing ??= close()),
  };
}

/**
 * Keeps the locks while the database is in use. When a process of Postgres dies, Postgres closes all connections, and the
 * locks are lost. They must be taken again, or the next command to leave would stop the server.
 * @param rejoinServer returns a connection that holds the users' lock, or undefined if it cannot connect yet
 */
function holdLocks(first: Client, rejoinServer: () => Promise<Client | undefined>, observe: Observe) {
  let client = first;
  const release = new AbortController();
  let rejoining = Promise.resolve();
  const heldKeys = new Set<number>();

  const rejoin = async (): Promise<void> => {
    for (let waitMs = RETRY_MS; !release.signal.aborted; waitMs = Math.min(2 * waitMs, RESTART_MS_MAX)) {
      const joined = await rejoinServer();
      if (joined === undefined) {
        await wait(waitMs, undefined, { signal: release.signal });
        continue;
      }
      client = joined;
      watch(joined);
      for (const key of heldKeys) await tryLock(joined, key);
      return;
    }
  };
  const watch = (watched: Client): void => {
    watched.on('error', (error) => observe(databaseError(error)));
    watched.once('end', () => {
      if (!release.signal.aborted) rejoining = rejoin().catch(() => undefined);
    });
  };
  watch(first);
  return {
    hold: async (key: number): Promise<boolean> => {
      const taken = await tryLock(client, key);
      if (taken) heldKeys.add(key);
      return taken;
    },
    /** @returns the connection that holds the locks, broken or not */
    release: async (): Promise<Client> => {
      release.abort();
      await rejoining;
      return client;
    },
  };
}

/** Whether a database was created under the directory. */
export function hasEmbeddedPostgres(dataDir: string): boolean {
  return isCluster(path.join(dataDir, 'postgres'));
}

function isCluster(dir: string): boolean {
  return existsSync(path.join(dir, 'PG_VERSION'));
}

/** Creates the cluster in a temporary directory and renames it, so that a crash leaves no incomplete cluster. */
async function createCluster(programs: PostgresPrograms, clusterDir: string): Promise<void> {
  if (isCluster(clusterDir)) return;
  const draftDir = `${clusterDir}.${randomBytes(6).toString('hex')}.new`;
  try {
    await createDraft(programs, clusterDir, draftDir);
  } catch (error) {
    await rm(draftDir, { recursive: true, force: true });
    throw error;
  }
  try {
    await rename(draftDir, clusterDir);
  } catch (error) {
    await rm(draftDir, { recursive: true, force: true });
    // Unless another process was faster: then its cluster is used.
    if (!isCluster(clusterDir)) throw error;
  }
}

async function createDraft(programs: PostgresPrograms, clusterDir: string, draftDir: string): Promise<void> {
  const passwordFile = `${draftDir}.password`;
  await mkdir(draftDir, { mode: 0o700 });
  try {
    await writeFile(passwordFile, randomBytes(24).toString('hex'), { mode: 0o600 });
    const { account } = programs;
    if (account !== undefined) {
      await chown(draftDir, account.uid, account.gid);
      await chown(passwordFile, account.uid, account.gid);
    }
    const identity = [`--username=${SUPERUSER}`, '--auth=scram-sha-256', `--pwfile=${passwordFile}`];
    await programs.initdb([`--pgdata=${draftDir}`, ...identity, '--encoding=UTF8', '--locale=C'], clusterDir);
    // The password is stored in the cluster directory: any user who can read the data may know the password.
    await rename(passwordFile, path.join(draftDir, PASSWORD_FILE));
    await chmod(draftDir, 0o700);
  } finally {
    await rm(passwordFile, { force: true });
  }
}

/** Joins the running server, or starts it. Several processes may try at the same time. */
async function enter(programs: PostgresPrograms, clusterDir: string, observe: Observe) {
  const password = await readFile(path.join(clusterDir, PASSWORD_FILE), 'utf8');
  let failure: unknown;
  for (let attempt = 0; attempt < START_ATTEMPTS; attempt++) {
    if (attempt > 0) await wait(RETRY_MS);
    // The port of the running server, or of one that was killed.
    const running = await readNumber(clusterDir, 3);
    if (running !== undefined) {
      const client = await join(running, password);
      if (client !== undefined) return { client, port: running, password };
    }
    try {
      const port = await freePort();
      await startServer(programs, clusterDir, port);
      observe({ kind: 'database_started', port, dataDir: path.dirname(clusterDir) });
    } catch (error) {
      // Usually another process is starting the same cluster: try again.
      failure = error;
      // A cluster of another major version never starts.
      if ((await lastLogLines(clusterDir)).includes('incompatible with server')) break;
    }
  }
  throw new Error(`the embedded Postgres does not start: ${await lastLogLines(clusterDir)}`, {
    cause: failure,
  });
}

async function startServer(programs: PostgresPrograms, clusterDir: string, port: number): Promise<void> {
  const options = [
    `-c port=${port}`,
    '-c listen_addresses=127.0.0.1',
    '-c unix_socket_directories=',
    // One log file per weekday, so that it does not grow without limit.
    '-c logging_collector=on',
    '-c log_filename=%a.log',
    '-c log_truncate_on_rotation=on',
    '-c log_rotation_age=1d',
    // The default verbosity logs the key that violates a unique constraint, which may be a push token.
    '-c log_error_verbosity=terse',
  ];
  await removeStaleLock(clusterDir);
  const where = ['-D', '.', '-l', 'start.log', '-w', '-t', '60'];
  await programs.pgCtl(['start', ...where, '-o', options.join(' ')], clusterDir);
}

/** Whether the server process exists; it may be recovering and refuse connections. */
async function isAlive(clusterDir: string): Promise<boolean> {
  const pid = await readNumber(clusterDir, 0);
  if (pid === undefined || !exists(pid)) return false;
  // After a crash, the system may have given its id to another process. A server works in the directory of its cluster.
  const own = await realpath(clusterDir);
  // Where that cannot be read (macOS, or a process of another user), it counts as the server.
  const workingDir = await readlink(`/proc/${pid}/cwd`).catch(() => own);
  return workingDir === own;
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/**
 * Removes the lock file of a killed server if its number belongs to another process now: Postgres would refuse to start. Another process
 * of Carillon may start a server meanwhile, so the file is moved away first, and moved back if it is a new one.
 */
async function removeStaleLock(clusterDir: string): Promise<void> {
  const pid = await readNumber(clusterDir, 0);
  if (pid === undefined || !exists(pid) || (await isAlive(clusterDir))) return;
  const file = path.join(clusterDir, LOCK_FILE);
  const aside = `${file}.${randomBytes(6).toString('hex')}`;
  await rename(file, aside);
  const isSame = Number((await readFile(aside, 'utf8')).split('\n')[0]) === pid;
  await (isSame ? rm(aside) : rename(aside, file));
}

/** Reads a line of `postmaster.pid`: the first is the process id, the fourth the port. A killed server leaves this file. */
async function readNumber(clusterDir: string, line: number): Promise<number | undefined> {
  try {
    const lines = (await readFile(path.join(clusterDir, LOCK_FILE), 'utf8')).split('\n');
    const number = Number(lines[line]);
    return Number.isInteger(number) && number > 0 ? number : undefined;
  } catch {
    return undefined;
  }
}

/** Opens a connection that holds the users' lock. @returns undefined if our server does not answer at the port */
async function join(port: number, password: string): Promise<Client | undefined> {
  const client = new Client({
    connectionString: connectionString(port, password),
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    application_name: 'carillon lock',
  });
  client.once('error', () => undefined);
  try {
    await client.connect();
    await client.query('select pg_advisory_lock_shared($1)', [USERS_LOCK]);
    return client;
  } catch {
    await client.end().catch(() => undefined);
    return undefined;
  }
}

/** Releases the locks. @returns whether no other process held the users' lock */
async function leave(client: Client): Promise<boolean> {
  try {
    await client.query('select pg_advisory_unlock_shared($1)', [USERS_LOCK]);
    return await tryLock(client, USERS_LOCK);
  } catch {
    return false; // the server is gone already
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function tryLock(client: Client, key: number): Promise<boolean> {
  const { rows } = await client.query('select pg_try_advisory_lock($1) as taken', [key]);
  return z.array(z.object({ taken: z.boolean() })).parse(rows)[0]?.taken ?? false;
}

async function lastLogLines(clusterDir: string): Promise<string> {
  try {
    const log = await readFile(path.join(clusterDir, 'start.log'), 'utf8');
    return log.trim().split('\n').slice(-5).join(' | ');
  } catch {
    return 'there is no log';
  }
}

function connectionString(port: number, password: string): string {
  return `postgres://${SUPERUSER}:${password}@127.0.0.1:${port}/postgres`;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
}
