/** A real Redis with a replica, watched by a real Sentinel, which makes the replica the master when the first one dies. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Redis } from 'ioredis';
import { describe, expect, vi } from 'vitest';
import { type Certificate, makeCertificate } from '../../packages/http2-client/test/peer.ts';
import { useOpened } from './opened.ts';
import { PATIENCE } from './patience.ts';
import { closedPort } from './ports.ts';
import { missing } from './redis.ts';
import { redisProgram } from './redis-server.ts';

export interface Sentinel {
  /** The certificate of all of them, where they speak TLS. */
  readonly authority: string | undefined;
  /** Two Sentinels, of which the first does not exist. */
  readonly url: string;
  /** Kills or freezes the master. @returns when Sentinel has made the replica the master */
  failOver(by: 'SIGKILL' | 'SIGSTOP'): Promise<void>;
}

export const PASSWORD = 'of the servers';
export const SENTINEL_PASSWORD = 'of: Sentinel/@?';
const NAME = 'my master';

interface Question {
  port: number;
  password: string;
  certificate: Certificate | undefined;
}

async function ask<T>(
  { port, password, certificate }: Question,
  question: (of: Redis) => Promise<T>,
): Promise<T> {
  const client = new Redis({
    port,
    password,
    host: '127.0.0.1',
    maxRetriesPerRequest: 1,
    retryStrategy: () => null,
    ...(certificate !== undefined && { tls: { ca: certificate.cert } }),
  });
  client.on('error', () => undefined);
  try {
    return await question(client);
  } finally {
    client.disconnect();
  }
}

/**
 * Starts all three, and waits until Sentinel knows the replica.
 * @param program a Redis or Valkey server
 * @param options.isEncrypted all of them speak TLS alone, with a certificate of their own
 */
export async function startSentinel(
  program: string,
  { isEncrypted = false } = {},
): Promise<Sentinel & { close(): Promise<void> }> {
  const dir = await mkdtemp(path.join(tmpdir(), 'carillon-sentinel-'));
  const ports = {
    missing: await closedPort(),
    sentinel: await closedPort(),
    first: await closedPort(),
    second: await closedPort(),
  };
  const started: ChildProcess[] = [];
  const certificate = isEncrypted ? await makeCertificate(['127.0.0.1']) : undefined;
  const roleOf = async (port: number): Promise<unknown> =>
    ask({ port, password: PASSWORD, certificate }, async (of) => of.role());
  const portLines = (port: number): string[] =>
    certificate === undefined
      ? [`port ${port}`]
      : [
          'port 0',
          `tls-port ${port}`,
          `tls-cert-file ${dir}/cert.pem`,
          `tls-key-file ${dir}/key.pem`,
          `tls-ca-cert-file ${dir}/cert.pem`,
          'tls-auth-clients no',
          'tls-replication yes',
        ];
  const start = async (of: keyof typeof ports, lines: string[], ...words: string[]): Promise<void> => {
    const home = path.join(dir, of);
    await mkdir(home);
    const file = path.join(home, 'redis.conf');
    const all = [...portLines(ports[of]), 'bind 127.0.0.1', `dir ${home}`, ...lines, ''];
    await writeFile(file, all.join('\n'));
    started.push(spawn(program, [file, ...words], { stdio: 'ignore' }));
  };

  if (certificate !== undefined) {
    await writeFile(path.join(dir, 'cert.pem'), certificate.cert);
    await writeFile(path.join(dir, 'key.pem'), certificate.key);
  }
  const server = ['save ""', `requirepass "${PASSWORD}"`, `masterauth "${PASSWORD}"`];
  await start('first', server);
  await start('second', [...server, `replicaof 127.0.0.1 ${ports.first}`, 'repl-diskless-sync-delay 0']);
  await vi.waitFor(async () => {
    expect(await roleOf(ports.second)).toEqual([
      'slave',
      '127.0.0.1',
      ports.first,
      'connected',
      expect.any(Number),
    ]);
  }, PATIENCE);
  const watched = `"${NAME}"`;
  await start(
    'sentinel',
    [
      `requirepass "${SENTINEL_PASSWORD}"`,
      `sentinel monitor ${watched} 127.0.0.1 ${ports.first} 1`,
      `sentinel auth-pass ${watched} "${PASSWORD}"`,
      `sentinel down-after-milliseconds ${watched} 1000`,
      `sentinel failover-timeout ${watched} 5000`,
    ],
    '--sentinel',
  );
  // It asks the master for its replicas every ten seconds, and at the start.
  await vi.waitFor(async () => {
    const sentinel = { port: ports.sentinel, password: SENTINEL_PASSWORD, certificate };
    const replicas = await ask(sentinel, async (of) => of.call('SENTINEL', 'REPLICAS', NAME));
    expect(replicas).toHaveLength(1);
  }, PATIENCE);

  const hosts = `127.0.0.1:${ports.missing},127.0.0.1:${ports.sentinel}`;
  const credentials = `:${encodeURIComponent(PASSWORD)}`;
  const query = `sentinel_password=${encodeURIComponent(SENTINEL_PASSWORD)}`;
  return {
    authority: certificate?.cert,
    url: `${isEncrypted ? 'rediss' : 'redis'}+sentinel://${credentials}@${hosts}/${encodeURIComponent(NAME)}/2?${query}`,
    failOver: async (by) => {
      const [first] = started;
      first?.kill(by);
      await vi.waitFor(async () => {
        expect(await roleOf(ports.second)).toEqual(['master', expect.any(Number), expect.any(Array)]);
      }, PATIENCE);
    },
    close: async () => {
      const running = started.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
      for (const one of running) {
        const exited = once(one, 'exit');
        one.kill('SIGKILL');
        await exited;
      }
      await rm(dir, { recursive: true });
    },
  };
}

/** See `startSentinel`. */
export function describeWithSentinel(
  name: string,
  define: (sentinel: Sentinel) => void,
  options: { isEncrypted?: boolean } = {},
): void {
  const program = redisProgram;
  if (program === undefined) return missing(name);
  describe(name, () =>
    define(useOpened(async (closing) => closing.keep(await startSentinel(program, options)))),
  );
}
