/** Processes of a built image, as a container platform starts them: its user, its environment, its directory. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { Image } from './build-image.ts';

interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface Container {
  readonly ended: Promise<Ended>;
  /** Standard output so far. */
  output(): string;
  /** Sends the image's `STOPSIGNAL`. */
  stop(): void;
  kill(): void;
}

export type Settings = Readonly<Record<string, string>>;

/** Starts the image with arguments in place of its `CMD`. */
export function startContainer(image: Image, words: readonly string[], settings: Settings): Container {
  return startIn(image, [...image.entrypoint, ...words], settings);
}

/** Runs a program as in a container, to its end. @param input its standard input */
export async function runIn(
  image: Image,
  words: readonly string[],
  settings: Settings,
  input = '',
): Promise<Ended> {
  return startIn(image, words, settings, input).ended;
}

function startIn(image: Image, [program = '', ...words]: readonly string[], settings: Settings, input = '') {
  const child = spawn(program, words, {
    cwd: path.join(image.root, image.workdir),
    env: {
      PATH: `${path.join(image.root, 'usr/local/bin')}:/usr/bin:/bin`,
      HOME: '/',
      ...image.environment,
      ...settings,
    },
    // Only root may become somebody else; and only root is not held back by a read-only tree.
    ...(process.getuid?.() === 0 ? image.user : {}),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.end(input);
  const written = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      written[name] += text;
    });
  }
  return {
    ended: once(child, 'close').then(() => ({ code: child.exitCode, ...written })),
    output: () => written.stdout,
    stop: () => void child.kill(image.stopSignal),
    kill: () => void child.kill('SIGKILL'),
  };
}
