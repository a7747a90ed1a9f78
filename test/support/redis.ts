/**
 * A real Redis for a test file. `describeWithRedis` takes the one that `REDIS_URL` names, else starts one;
 * `describeWithOwnRedis` always starts one, that the tests may flush, kill and start again. A machine with
 * neither skips the tests and says so; with `REQUIRE_REDIS=1` that is a failure.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { closedPort } from './ports.ts';

export interface TestRedis {
  /** Known once the tests run, not while they are being collected. */
  readonly url: string;
  /** Removes every key of ours. */
  clear(): Promise<void>;
}

export interface OwnRedis extends TestRedis {
  /** Kills the server, as a power cut would. Its data is lost. */
  kill(): Promise<void>;
  /** Starts it again, empty, at the same address. */
  restart(): Promise<void>;
  /** Lets it fall silent: connections stay open, nothing is answered. */
  freeze(): void;
  thaw(): void;
}

export const redisProgram = ['redis-server', 'valkey-server']
  .map(findOnPath)
  .find((path) => path !== undefined);
const given = process.env['REDIS_URL'];

/** Tests against any Redis. */
export function describeWithRedis(name: string, define: (redis: TestRedis) => void): void {
  if (given === undefined || given === '') {
    describeWithOwnRedis(name, define);
    return;
  }
  const url = new URL(given);
  // Test files run side by side: each in a database of its own. A cluster has only one.
  if (!url.protocol.includes('cluster')) {
    url.pathname = `/${Number(process.env['VITEST_POOL_ID'] ?? '0') % 16}`;
  }
  describe(name, () => define({ url: url.href, clear: () => clearKeys(url.href) }));
}

/** Tests that need a Redis of their own. `serverArguments` are added to the server's command line. */
export function describeWithOwnRedis(
  name: string,
  define: (redis: OwnRedis) => void,
  serverArguments: readonly string[] = [],
): void {
  if (redisProgram === undefined) {
    missing(name);
    return;
  }
  const redis = ownRedis(redisProgram, serverArguments);
  describe(name, () => {
    beforeAll(() => redis.open());
    afterAll(() => redis.close());
    define(redis);
  });
}

let reported = false;

function missing(name: string): void {
  const reason = 'neither redis-server nor valkey-server is on the PATH (REDIS_URL helps some tests)';
  if (process.env['REQUIRE_REDIS'] === '1') {
    it(name, () => {
      throw new Error(`REQUIRE_REDIS=1, but ${reason}`);
    });
    return;
  }
  if (!reported) process.stderr.write(`Tests that need Redis are skipped: ${reason}\n`);
  reported = true;
  it(name, (context) => {
    context.skip(reason);
  });
}

function ownRedis(serverProgram: string, serverArguments: readonly string[]) {
  let directory: string | undefined;
  let port = 0;
  let server: ChildProcess | undefined;

  async function start(): Promise<void> {
    const address = ['--port', String(port), '--bind', '127.0.0.1', '--dir', String(directory)];
    const started = spawn(
      serverProgram,
      [...address, '--save', '', '--appendonly', 'no', ...serverArguments],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    server = started;
    const lines: string[] = [];
    for await (const line of createInterface({ input: started.stdout })) {
      if (line.includes('Ready to accept connections')) {
        started.stdout.resume();
        return;
      }
      lines.push(line);
    }
    throw new Error(`${serverProgram} did not start:\n${lines.join('\n')}`);
  }

  async function kill(): Promise<void> {
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
    const exited = once(server, 'exit');
    server.kill('SIGKILL');
    await exited;
  }

  return {
    get url() {
      return `redis://127.0.0.1:${port}`;
    },
    clear: () => clearKeys(`redis://127.0.0.1:${port}`),
    open: async () => {
      directory = await mkdtemp(join(tmpdir(), 'carillon-redis-'));
      port = await closedPort();
      await start();
    },
    close: async () => {
      await kill();
      if (directory !== undefined) await rm(directory, { recursive: true });
    },
    kill,
    restart: start,
    freeze: () => void server?.kill('SIGSTOP'),
    thaw: () => void server?.kill('SIGCONT'),
  };
}

async function clearKeys(url: string): Promise<void> {
  const client = new Redis(url, { maxRetriesPerRequest: 1 });
  try {
    for await (const keys of client.scanStream({ match: '{carillon}:*' })) {
      if (keys.length > 0) await client.unlink(keys);
    }
  } finally {
    client.disconnect();
  }
}

function findOnPath(name: string): string | undefined {
  return (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
