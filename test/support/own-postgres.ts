/** A real Postgres for one test file, which its tests may restart. */
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { connectDatabase } from '../../src/db/connect.ts';
import { openEmbeddedPostgres } from '../../src/db/embedded-postgres.ts';
import { migrate } from '../../src/db/migrate.ts';
import { findPostgresPrograms } from '../../src/db/postgres-program.ts';
import { observeNothing } from '../../src/observe.ts';
import type { TestDatabase } from './database.ts';
import { makeDatabaseDir } from './database-dir.ts';
import { useOpened } from './opened.ts';
import { closedPort } from './ports.ts';

export interface OwnPostgres extends Pick<TestDatabase, 'db' | 'url'> {
  /** `fast` ends every connection in good order, `immediate` as a crash does. */
  stop(mode: 'fast' | 'immediate'): Promise<void>;
  /** Kills all of its processes at once, as a lost machine would. It cannot be started again. */
  kill(): Promise<void>;
  /** Stops all of its processes in place: connections stay open, and nothing answers. @returns a function that lets them go on */
  freeze(): Promise<() => Promise<void>>;
  /** Starts it again, at the same port. */
  start(): Promise<void>;
}

/**
 * With a migrated database, for the tests of a file (or of a `describe`).
 * @param configure changes files of the cluster before its first start
 */
export function useOwnPostgres(
  configure: (clusterDir: string) => Promise<void> = async () => undefined,
): OwnPostgres {
  return useOpened(async (closing) => {
    const dataDir = await makeDatabaseDir('carillon-postgres-');
    closing.defer(async () => rm(dataDir, { recursive: true }));
    // A process that has it open restarts it when it dies; here the tests do that themselves.
    const made = await openEmbeddedPostgres(dataDir, observeNothing);
    await made.close();
    const url = new URL(made.connectionString);
    // One that nothing takes while the server is stopped.
    url.port = String(await closedPort());
    const clusterDir = path.join(dataDir, 'postgres');
    const programs = await findPostgresPrograms();
    const pgCtl = async (...words: string[]): Promise<void> =>
      programs.pgCtl([...words, '-D', clusterDir, '-w', '-t', '60'], clusterDir);
    const stop: OwnPostgres['stop'] = async (mode) => pgCtl('stop', '-m', mode);
    const start = async (): Promise<void> => {
      const options = `-c port=${url.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=`;
      await pgCtl('start', '-l', path.join(clusterDir, 'start.log'), '-o', options);
    };
    let isKilled = false;
    await configure(clusterDir);
    await start();
    closing.defer(async () => (isKilled ? undefined : stop('immediate')));
    // This process may be busy with the pushes of thousands of browsers.
    const connectionString = `${url.href}?connect_timeout=60`;
    const db = closing.adopt(connectDatabase({ connectionString, observe: observeNothing }), async (opened) =>
      opened.destroy(),
    );
    await migrate(db);
    return {
      db,
      url: url.href,
      stop,
      start,
      kill: async () => {
        await signalPostgres(clusterDir, 'SIGKILL');
        isKilled = true;
      },
      freeze: async () => {
        await signalPostgres(clusterDir, 'SIGSTOP');
        return async () => signalPostgres(clusterDir, 'SIGCONT');
      },
    };
  });
}

/** Sends a signal to all processes of the Postgres in a directory. */
async function signalPostgres(clusterDir: string, signal: NodeJS.Signals): Promise<void> {
  const [main = ''] = (await readFile(path.join(clusterDir, 'postmaster.pid'), 'utf8')).split('\n');
  const children = await readFile(`/proc/${main}/task/${main}/children`, 'utf8');
  for (const pid of [main, ...children.trim().split(' ').filter(Boolean)]) signalIfThere(Number(pid), signal);
}

/** The others notice the death of the main process, so some may have ended by themselves. */
function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!(error instanceof Error) || !error.message.includes('ESRCH')) throw error;
  }
}
