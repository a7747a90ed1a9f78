/**
 * Carillon as a person or a container platform runs it: real processes, in directories of their own, on an
 * environment of which the tests know every word. `useCarillon` ends all that is left of them after the
 * tests of its `describe`: the processes, and the database servers that outlive a killed one.
 */
import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { access, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, expect, vi } from 'vitest';
import { z } from 'zod';
import { openEmbeddedPostgres } from '../../src/db/embedded-postgres.ts';
import { observeNothing } from '../../src/observe.ts';
import { BUNDLED_PROGRAM } from './bundle-program.ts';
import { makeDatabaseDir } from './database-dir.ts';

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface RunningProcess {
  readonly pid: number;
  readonly exited: Promise<Exit>;
  /** The first line on either output that matches, already written or yet to come. Rejects if it ends or two minutes pass. */
  line(pattern: RegExp): Promise<RegExpExecArray>;
  /** All lines so far: those on standard output, then those on standard error. */
  lines(): readonly string[];
  signal(name: NodeJS.Signals): void;
}

export type Environment = Readonly<Record<string, string>>;

export interface Carillon {
  /** Starts `carillon <words>`; `program` is that of another release. */
  start(words: readonly string[], environment: Environment, program?: string): RunningProcess;
  /** Runs `carillon <words>` to its end. */
  run(words: readonly string[], environment: Environment, program?: string): Promise<Exit>;
  /** A fresh directory, for `DATA_DIR` or other files; removed after the tests. */
  makeDir(): Promise<string>;
  /** Kills what still runs. */
  killAll(): Promise<void>;
}

/** A test that waits longer would fail by its own timeout, which does not say what it waited for. */
const LINE_WITHIN_MS = 120_000;
/** Longer than a server drains. */
const STOPS_WITHIN_MS = 60_000;
const LINES_SHOWN = 40;

export function useCarillon(): Carillon {
  const running = new Set<RunningProcess>();
  const dirs: string[] = [];

  const start: Carillon['start'] = (words, environment, program = BUNDLED_PROGRAM) => {
    const started = startProcess(process.execPath, [program, ...words], environment);
    running.add(started);
    void started.exited.then(() => running.delete(started));
    return started;
  };
  const killAll = async (): Promise<void> => {
    await Promise.all(
      [...running].map(async (child) => {
        child.signal('SIGKILL');
        await child.exited;
      }),
    );
  };
  afterAll(async () => {
    await killAll();
    for (const dir of dirs) {
      await stopDatabase(dir);
      await stopDatabase(path.join(dir, 'demo'));
      await rm(dir, { recursive: true, force: true });
    }
  });

  return {
    start,
    run: async (words, environment, program) => start(words, environment, program).exited,
    makeDir: async () => {
      const dir = await makeDatabaseDir('carillon-process-');
      dirs.push(dir);
      return dir;
    },
    killAll,
  };
}

/**
 * Compiled modules, kept for the processes of all test files: without, each process spends most of its start on
 * compiling the same 500 files.
 */
const COMPILE_CACHE = path.join(tmpdir(), 'carillon-compile-cache');

/**
 * Starts a program with nothing of the tests' own environment but where programs and the home are. It has one bulk thread unless the
 * test asks for more, because each further one takes half a second to start.
 */
function startProcess(program: string, words: readonly string[], environment: Environment): RunningProcess {
  const { PATH, HOME } = process.env;
  const child = spawn(program, words, {
    env: { PATH, HOME, NODE_COMPILE_CACHE: COMPILE_CACHE, BULK_THREADS: '1', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const changes = new EventEmitter();
  const written = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      written[name] += text;
      changes.emit('change');
    });
  }
  let over = false;
  const exited = new Promise<Exit>((resolve) => {
    child.once('close', (code, signal) => {
      over = true;
      changes.emit('change');
      resolve({ code, signal, ...written });
    });
  });
  const lines = (): string[] => [...wholeLines(written.stdout), ...wholeLines(written.stderr)];
  return {
    pid: child.pid ?? 0,
    exited,
    lines,
    line: async (pattern) => {
      const signal = AbortSignal.timeout(LINE_WITHIN_MS);
      for (;;) {
        const found = lines()
          .map((line) => pattern.exec(line))
          .find((match) => match !== null);
        if (found !== undefined) return found;
        if (over) throw new Error(`ended without a line like ${pattern}:\n${lines().join('\n')}`);
        await once(changes, 'change', { signal }).catch((cause: unknown) => {
          const last = lines().slice(-LINES_SHOWN).join('\n');
          throw new Error(`no line like ${pattern} within ${LINE_WITHIN_MS} ms:\n${last}`, { cause });
        });
      }
    },
    signal: (name) => void child.kill(name),
  };
}

function wholeLines(text: string): string[] {
  return text.split('\n').slice(0, -1);
}

/** The address that a server started with `PORT=0` listens on. */
export async function listeningUrl(server: RunningProcess): Promise<string> {
  const [, url = ''] = await server.line(/"kind":"server_listening","url":"([^"]+)"/);
  return url;
}

const refusalSchema = z.object({
  level: z.literal('error'),
  time: z.iso.datetime(),
  kind: z.literal('start_refused'),
  reason: z.string(),
  exitCode: z.int(),
});

/** Why a server did not start: all that is on its standard error is a line like those of the log. */
export function startRefusal({ code, stderr }: Exit): string {
  const [line, ...others] = stderr.split('\n');
  expect(others).toEqual(['']);
  const { reason, exitCode } = refusalSchema.parse(JSON.parse(line ?? ''));
  expect(exitCode).toBe(code);
  return reason;
}

/** Stops the processes with SIGTERM, all at once, and expects each to exit with 0. */
export async function expectToStop(...processes: readonly RunningProcess[]): Promise<void> {
  for (const running of processes) running.signal('SIGTERM');
  for (const running of processes) {
    const exit = await Promise.race([running.exited, wait(STOPS_WITHIN_MS, undefined, { ref: false })]);
    if (exit === undefined) {
      throw new Error(
        `did not stop within ${STOPS_WITHIN_MS} ms:\n${running.lines().slice(-LINES_SHOWN).join('\n')}`,
      );
    }
    expect(exit).toMatchObject({ code: 0, signal: null });
  }
}

/** Whether there is a database server under a data directory: its last act is to remove this file. */
export async function databaseRuns(dataDir: string): Promise<boolean> {
  return access(path.join(dataDir, 'postgres', 'postmaster.pid')).then(
    () => true,
    () => false,
  );
}

/** Joins the database as its last user and leaves: that stops it. */
async function stopDatabase(dataDir: string): Promise<void> {
  await vi.waitFor(
    async () => {
      if (!(await databaseRuns(dataDir))) return;
      const postgres = await openEmbeddedPostgres(dataDir, observeNothing);
      await postgres.close();
      // The connections of a process that has just been killed may take a moment to go.
      if (await databaseRuns(dataDir)) throw new Error(`Postgres still runs under ${dataDir}`);
    },
    { timeout: 30_000, interval: 250 },
  );
}
