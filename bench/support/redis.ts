/** A Redis (or Valkey) for one scenario, without persistence. */
import { closedPort } from '../../test/support/ports.ts';
import { findProgram, type Program, startProgram } from './programs.ts';

const START_TIMEOUT_MS = 10_000;

export interface RedisServer {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** Undefined if neither is installed. */
export async function openRedisServer(): Promise<RedisServer | undefined> {
  const program = findProgram('redis-server', 'valkey-server');
  if (program === undefined) return undefined;
  const port = await closedPort();
  const words = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const server: Program = startProgram(program, words);
  await server.line(/Ready to accept connections/, START_TIMEOUT_MS);
  return { url: `redis://127.0.0.1:${port}`, pid: server.pid, stop: async () => server.stop() };
}
