/**
 * A real Redis for a test file. `describeWithRedis` takes the one that `REDIS_URL` names, else the one of the run
 * (`global-setup.ts`); `describeWithOwnRedis` starts one, that the tests may flush, kill and start again. A machine with
 * neither skips the tests and says so; with `REQUIRE_REDIS=1` that is a failure.
 */
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, inject, it } from 'vitest';
import { redisProgram, redisServer } from './redis-server.ts';
import { skip } from './skip.ts';

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

/** A `describe`: its name, and the timeout of its tests if it is not the usual one. */
type Suite = string | { name: string; timeout: number };

function suiteOf(suite: Suite): { name: string; timeout?: number } {
  return typeof suite === 'string' ? { name: suite } : suite;
}

/** Tests against any Redis. */
export function describeWithRedis(suite: Suite, define: (redis: TestRedis) => void): void {
  const options = suiteOf(suite);
  const shared = inject('redisUrl');
  if (shared === null) return missing(options.name);
  const url = new URL(shared);
  // Test files run side by side: each in a database of its own. A cluster has only one.
  if (!url.protocol.includes('cluster')) {
    url.pathname = `/${Number(process.env['VITEST_POOL_ID'] ?? '0') % 16}`;
  }
  describe(options.name, options, () => define({ url: url.href, clear: () => clearKeys(url.href) }));
}

/** Tests that need a Redis of their own. `serverArguments` are added to the server's command line. */
export function describeWithOwnRedis(
  suite: Suite,
  define: (redis: OwnRedis) => void,
  serverArguments: readonly string[] = [],
): void {
  const options = suiteOf(suite);
  if (redisProgram === undefined) return missing(options.name);
  const server = redisServer(redisProgram, serverArguments);
  describe(options.name, options, () => {
    beforeAll(() => server.open());
    afterAll(() => server.close());
    define(Object.assign(server, { clear: () => clearKeys(server.url) }));
  });
}

/** Skips what needs a Redis, and says so once. */
export function missing(name: string): void {
  const reason = 'neither redis-server nor valkey-server is on the PATH (REDIS_URL helps some tests)';
  if (process.env['REQUIRE_REDIS'] === '1') {
    it(name, () => {
      throw new Error(`REQUIRE_REDIS=1, but ${reason}`);
    });
  } else {
    skip(name, 'Redis', reason);
  }
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
