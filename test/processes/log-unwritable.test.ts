/** Nobody reads the log any more, or its disk is full. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test, vi } from 'vitest';
import { closedPort } from '../support/ports.ts';
import { databaseRuns, useCarillon } from '../support/processes.ts';

const PROGRAM = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));
/** A file of Linux whose disk is always full. */
const FULL = '/dev/full';

const carillon = useCarillon();
let server: ChildProcess | undefined;
afterEach(() => void server?.kill('SIGKILL'));

test.each([
  ['has a disk that is full', (): number => openSync(FULL, 'w')],
  ['is read by nobody', (): 'pipe' => 'pipe'],
])('a server whose log %s serves on, and stops as usual', { timeout: 300_000 }, async (_, output) => {
  const dataDir = await carillon.makeDir();
  const port = await closedPort();
  const log = existsSync(FULL) ? output() : 'pipe';
  const { PATH, HOME } = process.env;
  server = spawn(process.execPath, [PROGRAM, 'start'], {
    env: { PATH, HOME, DATA_DIR: dataDir, PORT: String(port), LOG_LEVEL: 'debug' },
    stdio: ['ignore', log, log],
  });
  const exited = once(server, 'exit');
  server.stdout?.destroy();
  server.stderr?.destroy();
  if (typeof log === 'number') closeSync(log);
  const ask = async (): Promise<number> => (await fetch(`http://127.0.0.1:${port}/readyz`)).status;
  await vi.waitFor(async () => expect(await ask()).toBe(200), { timeout: 120_000 });
  expect(await ask()).toBe(200); // a line of the log for each
  server.kill('SIGTERM');
  expect(await exited).toEqual([0, null]);
  expect(await databaseRuns(dataDir)).toBe(false);
});
