/** The process may open no more files for a while, as where more connections come than `ulimit -n` allows. */
import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { promisify } from 'node:util';
import { beforeAll, expect, test, vi } from 'vitest';
import { PATIENCE } from '../support/patience.ts';
import { expectToStop, listeningUrl, type RunningProcess } from '../support/processes.ts';
import { useAlone } from './alone.ts';

const run = promisify(execFile);
const DEVICES = 20;
const CALLERS = 60;

const alone = useAlone();
let refusal: string | undefined;

beforeAll(async () => {
  // A program of Linux.
  await run('prlimit', ['--version']).catch((error: unknown) => {
    refusal = String(error).trim();
  });
});

async function limitFiles({ pid }: RunningProcess, count: number): Promise<void> {
  await run('prlimit', [`--pid=${pid}`, `--nofile=${count}:`]);
}

test(
  'a process without free descriptors says so once, sends what it has when it can again, and does not exit',
  { timeout: 300_000 },
  async (context) => {
    if (refusal !== undefined) {
      process.stdout.write(`  skipped: ${refusal}\n`);
      context.skip(refusal);
    }
    const { app } = await alone.makeApp(DEVICES);
    const server = alone.start();
    const backend = await alone.backend(server, app);
    expect(await backend.call('GET', '/readyz')).toMatchObject({ status: 200 });

    const { length } = await readdir(`/proc/${server.pid}/fd`);
    await limitFiles(server, length);
    const port = Number(new URL(await listeningUrl(server)).port);
    const callers: Socket[] = [];
    for (let count = 0; count < CALLERS; count++) {
      callers.push(connect(port, '127.0.0.1').on('error', () => undefined));
    }
    await server.line(/"kind":"descriptors_used_up","message":"EMFILE"/);
    // Over the connection that is open since before.
    const { id } = await backend.notify('*');
    await server.line(/"kind":"session_closed".*EMFILE/);
    expect(await backend.readNotification(id)).toMatchObject({ pending: DEVICES });

    for (const caller of callers) caller.destroy();
    await limitFiles(server, 1_024);
    await server.line(/"kind":"descriptors_free"/);
    expect(await backend.untilEnded(id, 120_000)).toMatchObject({ state: 'sent', accepted: DEVICES });
    await vi.waitFor(
      async () => expect(await backend.call('GET', '/readyz')).toMatchObject({ status: 200 }),
      PATIENCE,
    );
    expect(server.lines().filter((line) => line.includes('descriptors_used_up'))).toHaveLength(1);
    await expectToStop(server);
  },
);
