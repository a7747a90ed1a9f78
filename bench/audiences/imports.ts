/**
 * Measures imports in lines per second, with the server, its Postgres and the client on this machine. Half of the
 * devices exist before. The others are imported over HTTP and indexed without a pause; then the same file is imported
 * again over HTTP, and finally by `carillon devices import` in a process of its own.
 */
import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { createApiKey } from '../../src/apps/api-keys.ts';
import { createApp } from '../../src/apps/apps.ts';
import { systemClock } from '../../src/clock.ts';
import { importReply } from '../../src/devices/import/report.ts';
import { makeDir } from '../support/directory.ts';
import type { BenchDatabase } from '../support/postgres.ts';
import { type Program, startProgram } from '../support/programs.ts';
import { indexAllDeferred } from '../support/index-all-deferred.ts';
import { lineDevice } from './lines.ts';
import { familyMs, postgresPid } from '../machine/processor-time.ts';

/** Processor time is in microseconds per device. */
export interface ImportFigure {
  name: string;
  perSecond: number;
  carillonMicroseconds: number;
  postgresMicroseconds: number;
}

const PROGRAM = fileURLToPath(new URL('../../bin/carillon.js', import.meta.url));
const START_TIMEOUT_MS = 30_000;
const IMPORT_TIMEOUT_MS = 30 * 60_000;
const LINES_A_CHUNK = 500;
const BUNDLE_ID = 'app.imports';

/** @param devices the number of devices at the end */
export async function measureImports(
  opened: AsyncDisposableStack,
  database: BenchDatabase,
  { seed, devices }: { seed: number; devices: number },
  say: (line: string) => void,
): Promise<ImportFigure[]> {
  const half = Math.ceil(devices / 2);
  const dir = await makeDir({ opened });
  const files = { known: path.join(dir, 'known.ndjson'), fresh: path.join(dir, 'fresh.ndjson') };
  say('writing the lines');
  await writeLines(files.known, { seed, first: 0, count: half });
  await writeLines(files.fresh, { seed, first: half, count: half });
  const { id: appId } = await createApp(database.db, { bundleId: BUNDLE_ID, name: 'Imports' }, systemClock);
  const { key } = await createApiKey(database.db, { appId, scopes: ['admin'] }, systemClock);
  const environment = {
    PORT: '0',
    DATABASE_URL: database.url,
    SECRET_KEY: '0'.repeat(64),
    LOG_FORMAT: 'json',
  };
  const server = opened.adopt(
    startProgram(process.execPath, [PROGRAM, 'start'], { environment }),
    async (program) => program.stop(),
  );
  const listening = await server.line(/"kind":"server_listening"/, START_TIMEOUT_MS);
  const { url } = z.object({ url: z.string() }).parse(JSON.parse(listening));
  const databasePid = await postgresPid(database);
  if (databasePid === undefined) throw new Error('Postgres runs on another machine');

  const measure = async (name: string, pid: number, run: () => Promise<void>): Promise<ImportFigure> => {
    say(name);
    const before = { postgres: await familyMs(databasePid), carillon: await familyMs(pid) };
    const startedMs = performance.now();
    await run();
    const tookMs = performance.now() - startedMs;
    return {
      name,
      perSecond: (half * 1_000) / tookMs,
      // A finished command was a child of this process.
      carillonMicroseconds: ((await familyMs(pid)) - before.carillon) * (1_000 / half),
      postgresMicroseconds: ((await familyMs(databasePid)) - before.postgres) * (1_000 / half),
    };
  };
  const post = async (file: string, expected: 'imported' | 'unchanged'): Promise<void> => {
    const reply = await postLines(`${url}/v6/devices/import`, key, file);
    if (reply[expected] !== half) throw new Error(`not all were ${expected}: ${JSON.stringify(reply)}`);
  };
  await post(files.known, 'imported');
  await indexAllDeferred(database.db);
  await database.sql.query('vacuum (analyze)');
  await database.sql.query('checkpoint');
  return [
    await measure('new devices, over HTTP', server.pid, async () => post(files.fresh, 'imported')),
    await measure('indexed', server.pid, async () => indexAllDeferred(database.db)),
    await measure('the same again, over HTTP', server.pid, async () => post(files.fresh, 'unchanged')),
    await measure('the same again, by command', process.pid, async () =>
      runCommand(files.fresh, environment),
    ),
  ];
}

async function writeLines(
  file: string,
  { seed, first, count }: { seed: number; first: number; count: number },
): Promise<void> {
  function* chunks(): Generator<string> {
    for (let from = first; from < first + count; from += LINES_A_CHUNK) {
      const length = Math.min(LINES_A_CHUNK, first + count - from);
      const lines = Array.from({ length }, (_, index) => JSON.stringify(lineDevice(seed, from + index)));
      yield `${lines.join('\n')}\n`;
    }
  }
  await pipeline(chunks, createWriteStream(file));
}

async function postLines(url: string, key: string, file: string): Promise<z.infer<typeof importReply>> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`:${key}`).toString('base64')}`,
      'content-type': 'application/x-ndjson',
      'content-length': String((await stat(file)).size),
    },
    body: Readable.toWeb(createReadStream(file)),
    duplex: 'half',
    signal: AbortSignal.timeout(IMPORT_TIMEOUT_MS),
  });
  return importReply.parse(await response.json());
}

async function runCommand(file: string, environment: Record<string, string>): Promise<void> {
  const words = [PROGRAM, 'devices', 'import', '--app', BUNDLE_ID, file];
  const command: Program = startProgram(process.execPath, words, { environment });
  await command.line(/ unchanged, 0 rejected$/, IMPORT_TIMEOUT_MS);
  await command.stop();
}
