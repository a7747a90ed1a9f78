/**
 * Runs shell blocks as a reader does: pasted one after the other into one bash, in a checkout. The checkout is
 * made of links into ours, so that what the blocks write lies in a directory of its own; ports are other ones.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { type Fence, ROOT } from './markdown.ts';

export interface SessionPorts {
  /** In place of 8080. */
  server: number;
  /** In place of 9440; the five that follow are the simulator's as well. */
  simulator: number;
}

export interface Session {
  exitCode: number | null;
  /** What each block wrote to standard output; shorter than the blocks where one of them failed. */
  outputs: string[];
  stderr: string;
}

const LINKED = ['package.json', 'package-lock.json', 'node_modules', 'bin', 'packages', 'src', 'migrations'];
/** Begins the output of each block; no block writes this character (record separator). */
const SEPARATOR = '\x1e';

/** Ends at the first command that fails, as a reader would, and ends every process that the blocks have started. */
const PROLOGUE = `set -emo pipefail
trap 'for job in $(jobs -p); do
  kill -- -$job 2>/dev/null || true
  while kill -0 -- -$job 2>/dev/null; do sleep 0.1; done
done' EXIT
`;

/** @param signal ends the session early, and what it has started with it */
export async function runSession(
  fences: readonly Fence[],
  { directory, ports, signal }: { directory: string; ports: SessionPorts; signal: AbortSignal },
): Promise<Session> {
  await Promise.all(LINKED.map(async (name) => symlink(path.join(ROOT, name), path.join(directory, name))));
  // A reply other than a success is then a command that fails.
  await writeFile(path.join(directory, '.curlrc'), 'fail-with-body\nshow-error\n');
  const blocks = fences.map(({ text }) => `printf '${SEPARATOR}'\n${withPorts(text, ports)}\n`);
  const script = path.join(directory, 'session.sh');
  await writeFile(script, PROLOGUE + blocks.join(''));

  const { PATH, HOME } = process.env;
  const bash = spawn('bash', [script], {
    cwd: directory,
    env: {
      PATH,
      HOME,
      PORT: String(ports.server),
      DATA_DIR: directory,
      CURL_HOME: directory,
      npm_config_cache: path.join(directory, 'npm-cache'),
      npm_config_offline: 'true',
      npm_config_update_notifier: 'false',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stop = (): void => void bash.kill('SIGTERM');
  signal.addEventListener('abort', stop);
  const [stdout, stderr] = await Promise.all([
    readText(bash.stdout),
    readText(bash.stderr),
    once(bash, 'close'),
  ]);
  signal.removeEventListener('abort', stop);
  return { exitCode: bash.exitCode, outputs: stdout.split(SEPARATOR).slice(1), stderr };
}

function withPorts(block: string, { server, simulator }: SessionPorts): string {
  return block.replaceAll(/\b8080\b/g, String(server)).replaceAll(/\b9440\b/g, String(simulator));
}
