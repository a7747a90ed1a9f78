/** A real PgBouncer in transaction mode in front of a test database. A machine without one skips the tests and says so. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, it, vi } from 'vitest';
import { closedPort } from './ports.ts';

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
  if (version === undefined) {
    const reason = 'pgbouncer is not on the PATH';
    process.stderr.write(`Tests that need PgBouncer are skipped: ${reason}\n`);
    it(name, (context) => context.skip(reason));
    return;
  }
  describe(name, () => {
    let running: { port: number; server: ChildProcess; dir: string } | undefined;
    beforeAll(async () => {
      running = await start(new URL(postgresUrl()), moreSettings);
    });
    afterAll(async () => {
      if (running === undefined) return;
      const ended = once(running.server, 'exit');
      running.server.kill('SIGKILL');
      await ended;
      await rm(running.dir, { recursive: true });
    });
    define({
      through: (address) => {
        const url = new URL(address);
        url.host = `127.0.0.1:${running?.port}`;
        return url.href;
      },
    });
  });
}

async function start(
  postgres: URL,
  moreSettings: readonly string[],
): Promise<{ port: number; server: ChildProcess; dir: string }> {
  const dir = await mkdtemp(path.join(tmpdir(), 'carillon-pgbouncer-'));
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
  await vi.waitFor(async () => {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    socket.destroy();
  }, 30_000);
  return { port, server, dir };
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
