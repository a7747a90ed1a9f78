/**
 * Measures registrations: new devices, the same again unchanged, then the same with another app version and another value
 * of a custom attribute. Compared with Postgres alone. Also counts the rows that a call writes.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { createApiKey } from '../../src/apps/api-keys.ts';
import { systemClock } from '../../src/clock.ts';
import { randomDevice } from '../audiences/random-device.ts';
import { type Bodies, writeBodies } from '../calls/caller.ts';
import { COMMITS, measureCommits } from '../calls/commits.ts';
import { addCosts, type CallRun, runCalls, type Servers } from '../calls/run-calls.ts';
import { createBenchApp } from '../support/app.ts';
import { ALONE, startCarillon } from '../support/carillon.ts';
import { type BenchContext, keepOpen } from '../support/context.ts';
import { makeDir } from '../support/directory.ts';
import type { BenchDatabase } from '../support/postgres.ts';

/** More devices than are ever registered per second; the bodies are made before the measurement. */
const DEVICES_PER_SECOND_MAX = 8_000;
const WARM_UP_DEVICES = 3_000;
/** A connection of Postgres reports the rows that it has written within 10 seconds. */
const STATISTICS_MS = 11_000;
const CHANGED_VERSION = '10.0.0';

/** Bodies for the same devices. */
interface Registered {
  asNew: Bodies;
  changed: Bodies;
}

interface Setting extends Servers {
  authorization: string;
}

export async function registrations(context: BenchContext): Promise<void> {
  const database = keepOpen(context, await context.postgres.createDatabase());
  const { devices } = context;
  const app = await createBenchApp(database, context.sink, { platforms: 'iOS', devices });
  // The key that an app embeds.
  const { key } = await createApiKey(database.db, { appId: app.id, scopes: ['register'] }, systemClock);
  for (let round = 1; round <= context.runs; round++) {
    context.say(`round ${round} of ${context.runs}`);
    await measureCommits(context, database);
    const carillon = await startCarillon(context, { database, deployment: ALONE });
    await measure(context, {
      database,
      carillon,
      authorization: carillon.backEnd({ ...app, key }).authorization,
    });
    await carillon.stop();
  }
}

async function measure(context: BenchContext, setting: Setting): Promise<void> {
  const dir = await makeDir(context);
  const few = await writeDevices(dir, 'warm-up', WARM_UP_DEVICES);
  for (const bodies of [few.asNew, few.asNew, few.changed]) await register(context, setting, bodies);
  await setting.database.sql.query('analyze devices, device_targets, device_registrations');
  await setting.database.sql.query('checkpoint');

  const many = await writeDevices(dir, 'measured', DEVICES_PER_SECOND_MAX * context.seconds);
  const before = await countDevices(setting.database);
  const added = await measureKind(context, setting, 'new', many.asNew);
  const known = { count: added.begun, next: 0 };
  await measureKind(context, setting, 'unchanged', { ...many.asNew, ...known }, true);
  const changed = await measureKind(context, setting, 'changed', { ...many.changed, ...known });
  const after = await countDevices(setting.database);
  if (after.all - before.all !== added.accepted || after.changed - before.changed !== changed.accepted) {
    throw new Error(`of ${added.accepted} new and ${changed.accepted} changed devices some were not stored`);
  }
}

/** @param repeats whether the bodies are used again when all are used; otherwise the calls end with them */
async function measureKind(
  context: BenchContext,
  setting: Setting,
  kind: string,
  bodies: Bodies,
  repeats = false,
): Promise<CallRun> {
  const { figures } = context;
  const rowsBefore = await countWrites(setting.database);
  const run = await register(context, setting, bodies, repeats);
  const rows = ((await countWrites(setting.database)) - rowsBefore) / run.accepted;
  const { p50, p99 } = await run.caller.recorded;
  figures.add({ name: kind, unit: 'requests/s', value: run.callsPerSecond, against: [COMMITS] });
  figures.add({ name: `${kind}, p50`, unit: 'ms', value: p50 });
  figures.add({ name: `${kind}, p99`, unit: 'ms', value: p99 });
  figures.add({ name: `${kind}: rows written per call`, unit: 'rows', value: rows });
  addCosts(context, kind, run);
  return run;
}

async function register(
  context: BenchContext,
  { authorization, database, carillon }: Setting,
  bodies: Bodies,
  repeats = false,
): Promise<CallRun> {
  const url = `${carillon.url}/v6/devices`;
  const callsMax = repeats ? {} : { callsMax: bodies.count };
  const calls = { url, authorization, bodies, seconds: context.seconds, ...callsMax };
  return runCalls(context, { database, called: carillon }, calls);
}

async function writeDevices(dir: string, name: string, count: number): Promise<Registered> {
  const devices = Array.from({ length: count }, randomDevice);
  const write = async (what: string, bodies: readonly unknown[]): Promise<Bodies> =>
    writeBodies(
      dir,
      `${name}, ${what}`,
      bodies.map((device) => JSON.stringify({ device })),
    );
  return { asNew: await write('new', devices), changed: await write('changed', devices.map(changeOf)) };
}

function changeOf(device: ReturnType<typeof randomDevice>): unknown {
  const custom = { ...device.custom, plan: { type: 'string', value: 'free' } };
  return { ...device, app_version: CHANGED_VERSION, custom };
}

const deviceCounts = z.tuple([z.object({ all: z.coerce.number(), changed: z.coerce.number() })]);

async function countDevices({ sql }: BenchDatabase): Promise<{ all: number; changed: number }> {
  const { rows } = await sql.query(
    'select count(*) as all, count(*) filter (where app_version = $1) as changed from devices',
    [CHANGED_VERSION],
  );
  return deviceCounts.parse(rows)[0];
}

const writeCounts = z.tuple([z.object({ writes: z.coerce.number() })]);

/** Rows inserted, updated and deleted so far in the tables that a registration writes. */
async function countWrites({ sql }: BenchDatabase): Promise<number> {
  await wait(STATISTICS_MS);
  const { rows } = await sql.query(
    `select sum(n_tup_ins + n_tup_upd + n_tup_del) as writes from pg_stat_user_tables
     where relname in ('devices', 'device_targets', 'device_registrations')`,
  );
  return writeCounts.parse(rows)[0].writes;
}
