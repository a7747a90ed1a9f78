/** A Redis server as a child process, of this machine's program. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { closedPort } from './ports.ts';

/** Undefined if the machine has none. */
export const redisProgram = ['redis-server', 'valkey-server']
  .map(findOnPath)
  .find((path) => path !== undefined);

/** @param serverArguments added to the command line */
export function redisServer(serverProgram: string, serverArguments: readonly string[] = []) {
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
