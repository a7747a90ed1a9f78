/**
 * Measures everything that grows with the number of devices: an import of all of them over HTTP, the sizes on disk,
 * counts, a bulk notification to all, alone and during changed registrations, the memory of each process, the write-ahead log,
 * and a vacuum. One database; run it with other numbers of devices (`--devices`) and compare.
 */
import { request } from 'node:http';
import { Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import { z } from 'zod';
import { createApiKey } from '../../src/apps/api-keys.ts';
import { systemClock } from '../../src/clock.ts';
import { importReply } from '../../src/devices/import/report.ts';
import { lineDevice } from '../audiences/lines.ts';
import { type Bodies, type Caller, startCaller, writeBodies } from '../calls/caller.ts';
import { logPosition } from '../calls/run-calls.ts';
import { readDiskWork } from '../machine/disk-work.ts';
import { postgresPid } from '../machine/processor-time.ts';
import { familyMiB, residentMiB } from '../machine/resident-memory.ts';
import { type BenchApp, openBenchApp } from '../support/app.ts';
import { ALONE, sendBulk, type Carillon, startCarillon } from '../support/carillon.ts';
import type { BenchContext } from '../support/context.ts';
import type { Figures } from '../support/figures.ts';
import { makeDir } from '../support/directory.ts';
import { buildAllBitmaps, indexAllDeferred } from '../support/index-all.ts';
import type { BenchDatabase } from '../support/postgres.ts';
import { addEvents, countAudiences } from './growth-counts.ts';

const SEED = 1;
/** They are made before the import, for the bulk notifications that warm the server up. */
const FIRST_DEVICES = 5_000;
/** One request. */
const LINES_A_CALL = 250_000;
const LINES_A_CHUNK = 500;
const CALL_TIMEOUT_MS = 10 * 60_000;
const CHANGES_PER_SECOND = 200;
const CHANGED_DEVICES_MAX = 100_000;
const WARM_UP_SECONDS = 10;
/** The changes end with the bulk notification, which never takes as long. */
const SECONDS_MAX = 3_600;
const CHANGED_VERSION = '10.0.0';
const TABLES = ['devices', 'device_targets', 'device_registrations'];

interface Setting {
  /** The header of a key that may import and register. */
  authorization: string;
  database: BenchDatabase;
  carillon: Carillon;
  app: BenchApp;
}

export async function growth(context: BenchContext): Promise<void> {
  const { devices } = context;
  for (let round = 1; round <= context.runs; round++) {
    const { database, app: first } = await openBenchApp(context, 'both', FIRST_DEVICES);
    const app = { ...first, devices };
    const { key } = await createApiKey(
      database.db,
      { appId: app.id, scopes: ['admin', 'register'] },
      systemClock,
    );
    const carillon = await startCarillon(context, { database, deployment: ALONE });
    const { authorization } = carillon.backEnd({ ...app, key });
    const setting = { database, carillon, app, authorization };
    await carillon.warmUp(app);
    await importAll(context, setting);
    await addMemory(context, setting, 'after the import');
    await addSizes(context, setting);
    await countAudiences(context, database, { appId: app.id, seed: SEED });
    const changed = await sendToAll(context, setting);
    await addMemory(context, setting, 'after the bulk sends');
    await vacuumDevices(context, database, changed);
    await carillon.stop();
  }
}

async function importAll(
  { devices, figures, say }: BenchContext,
  { database, carillon, app, authorization }: Setting,
): Promise<void> {
  const logBefore = await logPosition(database);
  const url = `${carillon.url}/v6/devices/import`;
  const lines = devices - FIRST_DEVICES;
  const addDiskWork = await watchDisk(database);
  let begunMs = 0;
  for (let from = 0; from < lines; from += LINES_A_CALL) {
    const count = Math.min(LINES_A_CALL, lines - from);
    say(`importing devices ${from + 1} to ${from + count} of ${lines}`);
    begunMs += await timed(async () => importLines(url, authorization, from, count));
  }
  figures.add('import', (lines * 1_000) / begunMs, 'devices/s');
  figures.add('import, in all', begunMs / 1_000, 's');
  await addDiskWork(figures, 'import', { count: lines, unit: 'device' });
  const imported = (await logPosition(database)) - logBefore;
  figures.add('import: write-ahead log per device', imported / lines, 'B');
  await addEvents(database, app.id);
  say('waiting for the indexes and the count bitmaps');
  const indexMs = await timed(async () => indexAllDeferred(database.db));
  const bitmapMs = await timed(async () => buildAllBitmaps(database.db));
  figures.add('import: its devices are all indexed after', indexMs / 1_000, 's');
  figures.add('import: their count bitmaps are built after', bitmapMs / 1_000, 's');
  // Frozen, because a later vacuum would freeze the pages of the import that it reads on its way: which is not caused
  // by the changed registrations.
  const freezeMs = await timed(async () => {
    await database.sql.query('vacuum (freeze, analyze)');
  });
  figures.add('import: vacuum (freeze, analyze) after it', freezeMs / 1_000, 's');
  await database.sql.query('checkpoint');
}

async function importLines(url: string, authorization: string, from: number, count: number): Promise<void> {
  function* chunks(): Generator<string> {
    for (let next = from; next < from + count; next += LINES_A_CHUNK) {
      const length = Math.min(LINES_A_CHUNK, from + count - next);
      yield Array.from({ length }, (_, index) => `${JSON.stringify(lineDevice(SEED, next + index))}\n`).join(
        '',
      );
    }
  }
  const reply = await new Promise<unknown>((resolve, reject) => {
    const headers = {
      authorization,
      'content-type': 'application/x-ndjson',
    };
    const signal = AbortSignal.timeout(CALL_TIMEOUT_MS);
    const call = request(url, { method: 'POST', headers, signal }, (response) => {
      json(response).then(resolve, reject);
    });
    call.on('error', reject);
    Readable.from(chunks()).pipe(call);
  });
  const { data } = importReply.safeParse(reply);
  if (data?.imported !== count) throw new Error(`not all were imported: ${JSON.stringify(reply)}`);
}

async function addSizes({ devices, figures }: BenchContext, { database }: Setting): Promise<void> {
  const sizes = await database.read(
    z.object({ part: z.string(), bytes: z.coerce.number() }),
    `select 'devices' as part, pg_table_size('devices') as bytes
     union all select 'devices, indexes', pg_indexes_size('devices')
     union all select 'device_events, indexes included', pg_total_relation_size('device_events')
     union all select 'device_targets', pg_table_size('device_targets')
     union all select 'device_targets, indexes', pg_indexes_size('device_targets')
     union all select 'device_registrations, indexes included', pg_total_relation_size('device_registrations')
     union all select 'bitmaps, indexes included',
       pg_total_relation_size('count_bitmap_columns') + pg_total_relation_size('count_bitmap_lists')
         + pg_total_relation_size('count_bitmap_blocks')`,
  );
  for (const { part, bytes } of sizes) figures.add(`on disk per device: ${part}`, bytes / devices, 'B');
  const all = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
  figures.add('on disk: all of it', all / 1_024 ** 2, 'MiB');
}

/** @returns how many registrations were changed */
async function sendToAll(context: BenchContext, setting: Setting): Promise<number> {
  const { figures, devices } = context;
  const { database, carillon, app, authorization } = setting;
  const backEnd = carillon.backEnd(app);
  const send = async (name: string, against?: string): Promise<void> => {
    const logBefore = await logPosition(database);
    const addDiskWork = await watchDisk(database);
    const { pushesPerSecond, durationMs } = await sendBulk(context, backEnd, { to: '*', devices });
    const logged = (await logPosition(database)) - logBefore;
    figures.add(name, pushesPerSecond, 'pushes/s', against === undefined ? [] : [against]);
    figures.add(`${name}, in all`, durationMs / 1_000, 's');
    await addDiskWork(figures, name, { count: devices, unit: 'push' });
    figures.add(`${name}: write-ahead log per push`, logged / devices, 'B');
  };
  context.say('a bulk send to all, alone');
  await send('bulk send');
  const bodies = await writeChanges(await makeDir(context), devices);
  const register = async (seconds: number): Promise<Caller> => {
    const url = `${carillon.url}/v6/devices`;
    const perSecond = CHANGES_PER_SECOND;
    const callsMax = Math.min(perSecond * seconds, bodies.count - bodies.next); // each device is changed once
    const caller = await startCaller(context, { url, authorization, bodies, callsMax, perSecond, seconds });
    await caller.started;
    return caller;
  };
  const addLatency = async (name: string, { recorded }: Caller): Promise<void> => {
    const { p50, p99 } = await recorded;
    figures.add(`${name}, p50`, p50, 'ms');
    figures.add(`${name}, p99`, p99, 'ms');
  };
  // The first ones run without compiled code and without index pages in memory.
  context.say('changed registrations alone');
  const warmUp = await register(WARM_UP_SECONDS);
  await warmUp.recorded;
  await addLatency('a changed registration alone', await register(context.seconds));
  context.say('a bulk send to all, during registrations');
  const caller = await register(SECONDS_MAX);
  await send(`bulk send during ${CHANGES_PER_SECOND} changed registrations per second`, 'bulk send');
  await caller.end();
  await addLatency('a changed registration during a bulk send', caller);
  const { accepted } = await caller.lastAnswer;
  figures.add('changed registrations during the bulk send', accepted, 'times');
  return accepted;
}

/** Measures a vacuum after the changed registrations, by table. */
async function vacuumDevices(
  { figures }: BenchContext,
  database: BenchDatabase,
  changed: number,
): Promise<void> {
  let allMs = 0;
  for (const table of TABLES) {
    const logBefore = await logPosition(database);
    const tookMs = await timed(async () => {
      await database.sql.query(`vacuum (analyze) ${table}`);
    });
    allMs += tookMs;
    figures.add(`vacuum of ${table}`, tookMs / 1_000, 's');
    const loggedMiB = ((await logPosition(database)) - logBefore) / 1_024 ** 2;
    figures.add(`vacuum of ${table}: write-ahead log`, loggedMiB, 'MiB');
  }
  figures.add('vacuum of the devices', allMs / 1_000, 's');
  figures.add('vacuum of the devices, per changed registration', allMs / changed, 'ms');
}

/** Writes changes of devices from all over the import. */
async function writeChanges(dir: string, devices: number): Promise<Bodies> {
  const count = Math.min(CHANGED_DEVICES_MAX, devices - FIRST_DEVICES);
  const step = Math.floor((devices - FIRST_DEVICES) / count);
  const bodies = Array.from({ length: count }, (_, index) =>
    JSON.stringify({ device: { ...lineDevice(SEED, index * step), app_version: CHANGED_VERSION } }),
  );
  return writeBodies(dir, 'changes', bodies);
}

async function addMemory(
  { figures }: BenchContext,
  { database, carillon }: Setting,
  when: string,
): Promise<void> {
  if (process.platform !== 'linux') {
    figures.note('Memory is read from /proc, which only Linux has.');
    return;
  }
  for (const { name, pid } of carillon.processes)
    figures.add(`${name}, largest, ${when}`, await residentMiB(pid, 'VmHWM'), 'MiB');
  const pid = await postgresPid(database);
  if (pid !== undefined) figures.add(`Postgres, ${when}`, await familyMiB(pid), 'MiB');
}

/** Begins to watch what Postgres reads and writes on its disk. */
async function watchDisk(
  database: BenchDatabase,
): Promise<(figures: Figures, name: string, per: { count: number; unit: string }) => Promise<void>> {
  const before = await readDiskWork(database);
  return async (figures, name, { count, unit }) => {
    const after = await readDiskWork(database);
    if (before === undefined || after === undefined) return;
    const per1000 = (number: number): number => (number * 1_000) / count;
    const reads = per1000(after.transfers - before.transfers);
    figures.add(`${name}: disk transfers per 1,000 ${unit}`, reads, 'times');
    const syncs = per1000(after.syncs - before.syncs);
    figures.add(`${name}: disk syncs per 1,000 ${unit}`, syncs, 'times');
    const bytes = (after.bytes - before.bytes) / count;
    figures.add(`${name}: disk bytes per ${unit}`, bytes, 'B');
  };
}

async function timed(work: () => Promise<void>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}
