/** Starts child processes, reads their output, and ends them by their process id. */
import { spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { z } from 'zod';

export interface Program {
  readonly pid: number;
  /** The next line on either output that matches. Rejects if the program ends first, or on timeout. */
  line(pattern: RegExp, timeoutMs: number): Promise<string>;
  /** As `kill -9`. */
  kill(): Promise<void>;
  /** Writes to its standard input, which `staysOpen` has left open. */
  write(text: string): void;
  /** Sends SIGTERM, and SIGKILL if the program does not end. */
  stop(): Promise<void>;
}

export interface ProgramOptions {
  /** In addition to PATH and HOME. */
  environment?: Readonly<Record<string, string>>;
  /** Its standard input. */
  input?: string;
  /** Leaves the standard input open after `input`. */
  staysOpen?: boolean;
}

interface Watcher {
  pattern: RegExp;
  found: (line: string) => void;
}

/** Longer than a Carillon process takes to shut down. */
const STOP_TIMEOUT_MS = 30_000;
const LAST_WORDS_MAX = 2_000;

/** The path of the first installed program of these; also looks where Debian installs servers. */
export function findProgram(...names: readonly string[]): string | undefined {
  const dirs = [...(process.env['PATH'] ?? '').split(path.delimiter), '/usr/sbin'];
  return names.flatMap((name) => dirs.map((dir) => path.join(dir, name))).find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export function startProgram(
  program: string,
  words: readonly string[],
  { environment = {}, input = '', staysOpen = false }: ProgramOptions = {},
): Program {
  const { PATH, HOME } = process.env;
  const child = spawn(program, words, { env: { PATH, HOME, ...environment }, stdio: 'pipe' });
  const watchers = new Set<Watcher>();
  let lastWords = '';
  const read = (stream: Readable): void => {
    let rest = '';
    stream.setEncoding('utf8').on('data', (text: string) => {
      lastWords = (lastWords + text).slice(-LAST_WORDS_MAX);
      // Lines are only split while somebody waits for one, because a busy server writes many.
      if (watchers.size === 0) {
        rest = '';
        return;
      }
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) tell(line);
    });
  };
  const tell = (line: string): void => {
    for (const watcher of watchers) {
      if (!watcher.pattern.test(line)) continue;
      watchers.delete(watcher);
      watcher.found(line);
    }
  };
  read(child.stdout);
  read(child.stderr);
  child.stdin.on('error', () => undefined); // the program ended before it had read everything; `line` reports why
  if (staysOpen) child.stdin.write(input);
  else child.stdin.end(input);
  const exited = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, signal) => resolve(`ended with ${signal ?? code}`));
  });

  return {
    pid: child.pid ?? 0,
    line: async (pattern, timeoutMs) => {
      const { promise: found, resolve } = Promise.withResolvers<string>();
      const watcher = { pattern, found: resolve };
      watchers.add(watcher);
      const late = Promise.withResolvers<never>();
      const timer = setTimeout(() => late.reject(new Error(`no line in ${timeoutMs} ms`)), timeoutMs);
      const ended = exited.then((how) => {
        throw new Error(how);
      });
      try {
        return await Promise.race([found, ended, late.promise]);
      } catch (error) {
        throw new Error(`${path.basename(program)} ${words.join(' ')}, for ${pattern}:\n${lastWords}`, {
          cause: error,
        });
      } finally {
        watchers.delete(watcher);
        clearTimeout(timer);
      }
    },
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
    write: (text) => void child.stdin.write(text),
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
      await exited;
      clearTimeout(timer);
    },
  };
}

/** Starts one of the programs in `bench/processes/`, which report as a line of JSON. */
export function startScript(script: URL, input: unknown): Program {
  return startProgram(process.execPath, [fileURLToPath(script)], { input: JSON.stringify(input) });
}

/** Reads the line of JSON of a script. */
export async function readAnswer<Schema extends z.ZodType>(
  script: Program,
  schema: Schema,
  timeoutMs: number,
): Promise<z.output<Schema>> {
  return schema.parse(JSON.parse(await script.line(/^\{/, timeoutMs)));
}
