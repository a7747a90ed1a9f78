/** A real PgBouncer in transaction mode in front of a test database. A machine without one skips the tests and says so. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, vi } from 'vitest';
import { type Closing, useOpened } from './opened.ts';
import { closedPort } from './ports.ts';
import { skip } from './skip.ts';

export interface PgBouncer {
  /** The database at this address, through the pooler. */
  through(url: string): string;
}

/** Fewer than one process has connections, so that all of them share. */
const SERVER_CONNECTIONS = 10;
/** The first with protocol-level prepared statements: https://www.pgbouncer.org/changelog.html */
const PREPARES_SINCE = [1, 21] as const;

const version = installedVersion();
export const keepsPreparedStatements =
  version !== undefined && (version[0] > PREPARES_SINCE[0] || version[1] >= PREPARES_SINCE[1]);

export function describeWithPgBouncer(
  name: string,
  postgresUrl: () => string,
  define: (pgBouncer: PgBouncer) => void,
  moreSettings: readonly string[] = [],
): void {
  if (version === undefined) return skip(name, 'PgBouncer', 'pgbouncer is not on the PATH');
  describe(name, () =>
    define(useOpened(async (closing) => start(closing, new URL(postgresUrl()), moreSettings))),
  );
}

async function start(closing: Closing, postgres: URL, moreSettings: readonly string[]): Promise<PgBouncer> {
  const dir = await mkdtemp(path.join(tmpdir(), 'carillon-pgbouncer-'));
  closing.defer(async () => rm(dir, { recursive: true }));
  await chmod(dir, 0o755);
  const port = await closedPort();
  const users = path.join(dir, 'users.txt');
  await writeFile(
    users,
    `"${decodeURIComponent(postgres.username)}" "${decodeURIComponent(postgres.password)}"\n`,
  );
  const settings = [
    '[databases]',
    `* = host=${postgres.hostname} port=${postgres.port}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = plain',
    `auth_file = ${users}`,
    'pool_mode = transaction',
    `default_pool_size = ${SERVER_CONNECTIONS}`,
    'max_client_conn = 200',
    ...(keepsPreparedStatements ? ['max_prepared_statements = 100'] : []),
    ...moreSettings,
    ...(process.getuid?.() === 0 ? ['user = postgres'] : []),
  ];
  const file = path.join(dir, 'pgbouncer.ini');
  await writeFile(file, `${settings.join('\n')}\n`);
  const server = spawn('pgbouncer', ['-q', file], { stdio: ['ignore', 'ignore', 'inherit'] });
  closing.defer(async () => {
    const ended = once(server, 'exit');
    server.kill('SIGKILL');
    await ended;
  });
  await vi.waitFor(async () => {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    socket.destroy();
  }, 30_000);
  return {
    through: (address) => {
      const url = new URL(address);
      url.host = `127.0.0.1:${port}`;
      return url.href;
    },
  };
}

function installedVersion(): [number, number] | undefined {
  try {
    const [, major, minor] =
      /PgBouncer (\d+)\.(\d+)/.exec(execFileSync('pgbouncer', ['--version'], { encoding: 'utf8' })) ?? [];
    return [Number(major), Number(minor)];
  } catch {
    return undefined;
  }
}
