/** Runs `carillon demo` in a process of its own and on a temporary directory, and a Chromium to look at it. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Browser, chromium } from 'playwright-core';

const PROGRAM = fileURLToPath(new URL('../bin/carillon.js', import.meta.url));
const DEMO_TIMEOUT_MS = 120_000;
/** The last line that the demo prints before it waits. */
const LAST_LINE = 'For real devices';

export interface DemoProcess {
  /** Its output, including progress bars. */
  printed: string;
  dataDir: string;
  /** Runs a Carillon command on the demo's data. @returns what it prints */
  run(...command: readonly string[]): Promise<string>;
  stop(): Promise<void>;
}

/**
 * It ends with this process, even if this process is interrupted.
 * @throws {Error} if the demo ends, or is not ready in time
 */
export async function startDemo(settings: Readonly<Record<string, string>>): Promise<DemoProcess> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'carillon-pictures-'));
  const demo = spawn(process.execPath, [PROGRAM, 'demo'], {
    env: { ...process.env, DATA_DIR: dataDir, NO_COLOR: '1', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true, // Ctrl-C in a terminal reaches only this process, which then ends the demo
  });
  const exited = once(demo, 'exit');
  let stopped: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    if (demo.exitCode === null && demo.signalCode === null) {
      demo.kill('SIGINT');
      await exited;
    }
    await rm(dataDir, { recursive: true, force: true });
  };
  const stopOnce = (): Promise<void> => (stopped ??= stop());
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      void stopOnce().finally(() => process.exit(128 + constants.signals[signal]));
    });
  }
  const run = async (...command: readonly string[]): Promise<string> => {
    const env = { ...process.env, ...settings, DATA_DIR: path.join(dataDir, 'demo') };
    const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, ...command], { env });
    return stdout;
  };
  try {
    return { printed: await readUntilReady(demo), dataDir, run, stop: stopOnce };
  } catch (error) {
    await stopOnce();
    throw error;
  }
}

/** @returns what the pattern finds in the output @throws {Error} if it finds nothing */
export function printedBy({ printed }: DemoProcess, pattern: RegExp): string {
  const [found] = pattern.exec(printed) ?? [];
  if (found === undefined) throw new Error(`${pattern} is not in:\n${printed}`);
  return found;
}

/** @returns what a demo has printed until it is ready @throws {Error} if it ends before, or takes too long */
export async function readUntilReady(demo: ChildProcess): Promise<string> {
  let printed = '';
  const ready = Promise.withResolvers<void>();
  for (const stream of [demo.stdout, demo.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
      if (printed.includes(LAST_LINE)) ready.resolve();
    });
  }
  demo.once('exit', () => ready.reject(new Error(`The demo ended early:\n${printed}`)));
  const timer = setTimeout(() => ready.reject(new Error('The demo took too long')), DEMO_TIMEOUT_MS);
  await ready.promise.finally(() => clearTimeout(timer));
  return printed;
}

/** Opens the Chromium that `CHROMIUM` names, or finds it on the PATH under its usual names. */
export async function openChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? chromiumPath(),
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });
}

function chromiumPath(): string {
  const directories = (process.env['PATH'] ?? '').split(path.delimiter);
  const found = ['chromium', 'chromium-browser', 'google-chrome']
    .flatMap((name) => directories.map((directory) => path.join(directory, name)))
    .find((file) => existsSync(file));
  if (found === undefined) throw new Error('No Chromium on the PATH; name one in CHROMIUM');
  return found;
}
