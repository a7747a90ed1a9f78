/**
 * A real Postgres under `DATA_DIR`, for whoever has none: made at the first use, shared by every Carillon
 * process on that directory, stopped by the last one to leave.
 *
 * The database server is a process of its own. It outlives a `kill -9` of ours, so the next start finds it
 * running and goes on with it. Where the database server itself dies under us, whoever notices starts it again, at
 * the same port. Every user holds a shared advisory lock; who can take that lock alone on the
 * way out is the last and stops the server. The one `carillon start` of a directory holds a second lock.
 */
import { randomBytes } from 'node:crypto';
import { chmod, chown, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';
import { z } from 'zod';
import { databaseError } from './database-error.ts';
import type { Observe } from '../observe.ts';
import { findPostgresPrograms, type PostgresPrograms } from './postgres-program.ts';

export interface EmbeddedPostgres {
  connectionString: string;
  /** Claims the directory for one server; false where another server holds it. Freed by `close`, or by death. */
  claimForServer(): Promise<boolean>;
  /**
   * Leaves; stops the database server where nobody else uses it, and cuts what connections of our own are still open.
   * Called again it waits for the same.
   */
  close(): Promise<void>;
}

const SUPERUSER = 'carillon';
const PASSWORD_FILE = 'carillon-password';
/** Advisory lock keys of this database, chosen once and for all. */
const USERS_LOCK = 4_201;
const SERVER_LOCK = 4_202;

const START_ATTEMPTS = 60;
const RETRY_MS = 500;
/** Between attempts at one that has died. */
const RESTART_MS_MAX = 10_000;

/**
 * Opens the database under a directory, starting it where it is not running.
 * @throws where it cannot be started, with the last lines of its log
 */
export async function openEmbeddedPostgres(dataDir: string, observe: Observe): Promise<EmbeddedPostgres> {
  const clusterDir = path.resolve(dataDir, 'postgres');
  const programs = await findPostgresPrograms();
  await mkdir(dataDir, { recursive: true });
  await createCluster(programs, clusterDir);

  const { client, port, password } = await enter(programs, clusterDir, observe);
  const joinAgain = async (): Promise<Client | undefined> => {
    const joined = await join(port, password);
    if (joined !== undefined || (await isAlive(clusterDir))) return joined;
    try {
      await startServer(programs, clusterDir, port);
    } catch {
      // Its processes may take a moment to go, or another of ours is starting it.
      const message = `the embedded Postgres does not start again: ${await lastLogLines(clusterDir)}`;
      observe({ kind: 'database_error', condition: 'unreachable', message });
      return undefined;
    }
    observe({ kind: 'database_started', port, dataDir: path.dirname(clusterDir) });
    return join(port, password);
  };
  const holder = holdLocks(client, joinAgain, observe);
  const close = async (): Promise<void> => {
    const last = await leave(await holder.release());
    if (last) await programs.pgCtl(['stop', '-D', clusterDir, '-m', 'fast', '-w'], clusterDir);
  };
  let closing: Promise<void> | undefined;
  return {
    connectionString: connectionString(port, password),
    claimForServer: async () => holder.claim(SERVER_LOCK),
    close: async () => (closing ??= close()),
  };
}

/**
 * Keeps our locks for as long as we use the database. Postgres breaks off every connection where one of its own
 * processes dies; without the lock, the next command to leave would then stop the server under us.
 * @param joinAgain a connection that holds the users' lock, or undefined where there is none to be had yet
 */
function holdLocks(first: Client, joinAgain: () => Promise<Client | undefined>, observe: Observe) {
  let client = first;
  const release = new AbortController();
  let rejoining = Promise.resolve();
  const claimed = new Set<number>();

  const rejoin = async (): Promise<void> => {
    for (let waitMs = RETRY_MS; !release.signal.aborted; waitMs = Math.min(2 * waitMs, RESTART_MS_MAX)) {
      const joined = await joinAgain();
      if (joined === undefined) {
        await wait(waitMs, undefined, { signal: release.signal });
        continue;
      }
      client = joined;
      watch(joined);
      for (const key of claimed) await tryLock(joined, key);
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
    claim: async (key: number): Promise<boolean> => {
      const taken = await tryLock(client, key);
      if (taken) claimed.add(key);
      return taken;
    },
    /** @returns the connection that holds what is held, broken or not */
    release: async (): Promise<Client> => {
      release.abort();
      await rejoining;
      return client;
    },
  };
}

/** Makes the cluster beside its place and moves it there, so that a crash leaves no half of one. */
async function createCluster(programs: PostgresPrograms, clusterDir: string): Promise<void> {
  if (await exists(path.join(clusterDir, 'PG_VERSION'))) return;
  const draftDir = `${clusterDir}.${randomBytes(6).toString('hex')}.new`;
  const passwordFile = `${draftDir}.password`;
  await mkdir(draftDir, { mode: 0o700 });
  await writeFile(passwordFile, randomBytes(24).toString('hex'), { mode: 0o600 });
  const { account } = programs;
  if (account !== undefined) {
    await chown(draftDir, account.uid, account.gid);
    await chown(passwordFile, account.uid, account.gid);
  }
  const identity = [`--username=${SUPERUSER}`, '--auth=scram-sha-256', `--pwfile=${passwordFile}`];
  await programs.initdb([`--pgdata=${draftDir}`, ...identity, '--encoding=UTF8', '--locale=C'], clusterDir);
  // The password travels inside the cluster: whoever may read the one may read the other.
  await rename(passwordFile, path.join(draftDir, PASSWORD_FILE));
  await chmod(draftDir, 0o700);
  try {
    await rename(draftDir, clusterDir);
  } catch (error) {
    await rm(draftDir, { recursive: true, force: true });
    // Another process was first; its cluster is as good as ours.
    if (!(await exists(path.join(clusterDir, 'PG_VERSION')))) throw error;
  }
}

interface Entered {
  client: Client;
  port: number;
  password: string;
}

/** Joins the running server, or starts it; several processes may try at once. */
async function enter(programs: PostgresPrograms, clusterDir: string, observe: Observe): Promise<Entered> {
  const password = await readFile(path.join(clusterDir, PASSWORD_FILE), 'utf8');
  let failure: unknown;
  for (let attempt = 0; attempt < START_ATTEMPTS; attempt++) {
    if (attempt > 0) await wait(RETRY_MS);
    const running = await readPort(clusterDir);
    if (running !== undefined) {
      const client = await join(running, password);
      if (client !== undefined) return { client, port: running, password };
    }
    try {
      const port = await freePort();
      await startServer(programs, clusterDir, port);
      observe({ kind: 'database_started', port, dataDir: path.dirname(clusterDir) });
    } catch (error) {
      // Most often another process is starting the same cluster: look again.
      failure = error;
      if (!(await isStartable(clusterDir))) break;
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
    // Its own log, a file a weekday, so that it never grows without end.
    '-c logging_collector=on',
    '-c log_filename=%a.log',
    '-c log_truncate_on_rotation=on',
    '-c log_rotation_age=1d',
    // Else an error over a unique key tells the key, which may be a push token.
    '-c log_error_verbosity=terse',
  ];
  const log = path.join(clusterDir, 'start.log');
  const where = ['-D', clusterDir, '-l', log, '-w', '-t', '60'];
  await programs.pgCtl(['start', ...where, '-o', options.join(' ')], clusterDir);
}

/** The port of the server that runs, or was killed. */
async function readPort(clusterDir: string): Promise<number | undefined> {
  return readNumber(clusterDir, 3);
}

/** Whether the server process is there, be it that it answers nobody while it recovers. */
async function isAlive(clusterDir: string): Promise<boolean> {
  const pid = await readNumber(clusterDir, 0);
  if (pid === undefined) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** A line of `postmaster.pid`, which outlives a server that was killed: the first is its process id, the fourth its port. */
async function readNumber(clusterDir: string, line: number): Promise<number | undefined> {
  try {
    const lines = (await readFile(path.join(clusterDir, 'postmaster.pid'), 'utf8')).split('\n');
    const number = Number(lines[line]);
    return Number.isInteger(number) && number > 0 ? number : undefined;
  } catch {
    return undefined;
  }
}

/** A connection that holds the users' lock, or undefined where nobody (of ours) answers there. */
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

/** Gives up the locks. True where nobody else held the users' lock. */
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

async function isStartable(clusterDir: string): Promise<boolean> {
  // A cluster of another major version never starts, however often we try.
  const log = await lastLogLines(clusterDir);
  return !log.includes('incompatible with server');
}

async function lastLogLines(clusterDir: string): Promise<string> {
  try {
    const log = await readFile(path.join(clusterDir, 'start.log'), 'utf8');
    return log.trim().split('\n').slice(-5).join(' | ');
  } catch {
    return 'it left no log';
  }
}

function connectionString(port: number, password: string): string {
  return `postgres://${SUPERUSER}:${password}@127.0.0.1:${port}/postgres`;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  await new Promise((resolve) => {
    server.close(resolve);
  });
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
}

async function exists(file: string): Promise<boolean> {
  return readFile(file).then(
    () => true,
    () => false,
  );
}
