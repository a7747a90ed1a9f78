/** A streaming standby of a running Postgres, which can be promoted. */
import { appendFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { findPostgresPrograms } from '../../src/db/postgres-program.ts';
import { makeBaseBackup } from '../backup/base-backup.ts';
import { makeDatabaseDir } from './database-dir.ts';
import { closedPort } from './ports.ts';

export interface Standby {
  /** The same database as the primary's. */
  url: string;
  port: number;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Makes it a primary. Resolves when it takes writes. */
  promote(): Promise<void>;
  /** Stops it and removes its files. */
  close(): Promise<void>;
}

/** The name by which the primary knows it: for `synchronous_standby_names`. */
export const STANDBY_NAME = 'standby';

/**
 * @param primaryUrl with the name and password of a superuser
 * @param throughPort of a proxy to the primary, from which it streams
 */
export async function startStandby(primaryUrl: string, throughPort?: number): Promise<Standby> {
  const primary = new URL(primaryUrl);
  const dataDir = await makeDatabaseDir('carillon-standby-');
  const clusterDir = path.join(dataDir, 'postgres');
  await makeBaseBackup(primaryUrl, clusterDir);
  await writeFile(path.join(clusterDir, 'standby.signal'), '');
  const { username: user, password, hostname: host, port: primaryPort } = primary;
  const streamPort = throughPort ?? primaryPort;
  const address = `host=${host} port=${streamPort} user=${user} password=${password} application_name=${STANDBY_NAME}`;
  const port = await closedPort();
  const settings = [
    `primary_conninfo = '${address}'`,
    `port = ${port}`,
    `listen_addresses = '127.0.0.1'`,
    `unix_socket_directories = ''`,
    // A promoted standby has no standby: with the primary's setting, no commit would ever return.
    `synchronous_standby_names = ''`,
  ];
  await appendFile(path.join(clusterDir, 'postgresql.auto.conf'), `${settings.join('\n')}\n`);
  const programs = await findPostgresPrograms();
  const pgCtl = async (...words: string[]): Promise<void> =>
    programs.pgCtl([...words, '-D', clusterDir, '-w', '-t', '60'], clusterDir);
  const start = async (): Promise<void> => pgCtl('start', '-l', path.join(clusterDir, 'start.log'));
  const stop = async (): Promise<void> => pgCtl('stop', '-m', 'immediate');
  await start();
  const url = new URL(primaryUrl);
  url.port = String(port);
  let isRunning = true;
  return {
    url: url.href,
    port,
    start: async () => {
      await start();
      isRunning = true;
    },
    stop: async () => {
      await stop();
      isRunning = false;
    },
    promote: async () => pgCtl('promote'),
    close: async () => {
      if (isRunning) await stop();
      await rm(dataDir, { recursive: true });
    },
  };
}
