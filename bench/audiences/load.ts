/** Fills a database with an app and its devices, and reports their size on disk. */
import { Client } from 'pg';
import { z } from 'zod';
import { createApp } from '../../src/apps/apps.ts';
import { systemClock } from '../../src/clock.ts';
import { buildAllBitmaps } from '../support/build-all-bitmaps.ts';
import type { BenchDatabase } from '../support/postgres.ts';
import { indexAllDeferred } from '../support/index-all-deferred.ts';
import { generate, prepareGenerator } from './generate.ts';

const definitions = z.array(z.object({ name: z.string(), definition: z.string() }));
const ids = z.array(z.object({ id: z.string() }));
const parts = z.array(z.object({ part: z.string() }));

/** In one transaction. */
const DEVICES_A_PART = 50_000;

interface Part {
  what: 'devices' | 'events';
  appId: string;
  /** Of the devices, which are numbered from 1. */
  first: number;
  last: number;
}

/**
 * Uses two connections, one per core. Indexes without a constraint are built at the end. If a kept database has these
 * devices already, nothing is changed; an interrupted load continues.
 */
export async function load(
  database: BenchDatabase,
  { seed, devices }: { seed: number; devices: number },
  say: (line: string) => void,
): Promise<{ appId: string; bundleId: string }> {
  const { sql, db, url } = database;
  const bundleId = `app.bench.${seed}.${devices}`;
  const idOf = async (name: string): Promise<string | undefined> =>
    ids.parse((await sql.query('select id from apps where bundle_id = $1', [name])).rows)[0]?.id;
  const kept = await idOf(bundleId);
  if (kept !== undefined) return { appId: kept, bundleId };
  const loading = `${bundleId}.loading`;
  const appId =
    (await idOf(loading)) ?? (await createApp(db, { bundleId: loading, name: 'Bench' }, systemClock)).id;

  await prepareGenerator(sql, seed);
  const indexes = await rememberIndexes(sql);
  await sql.query('create table if not exists bench_parts (part text primary key)');
  const made = new Set(
    parts.parse((await sql.query('select part from bench_parts')).rows).map(({ part }) => part),
  );
  for (const what of ['devices', 'events'] as const) {
    const missing = partsOf({ what, appId, devices }).filter((part) => !made.has(nameOf(part)));
    if (missing.length === 0) continue;
    say(`making ${what}`);
    await sql.query(`drop index if exists ${indexes.map(({ name }) => name).join(', ')}`);
    const left = missing.values();
    await Promise.all([generateParts(url, left), generateParts(url, left)]);
  }
  await indexAllDeferred(db);
  say('building the indexes');
  await sql.query(`set maintenance_work_mem = '512MB'`);
  for (const { definition } of indexes) {
    await sql.query(definition.replace('CREATE INDEX', 'CREATE INDEX IF NOT EXISTS'));
  }
  for (const table of ['devices', 'device_targets', 'device_registrations', 'device_events']) {
    await sql.query(`vacuum (analyze) ${table}`);
  }
  say('building the count bitmaps');
  await buildAllBitmaps(db);
  for (const table of ['count_bitmap_blocks', 'count_bitmap_columns', 'count_bitmap_lists']) {
    await sql.query(`vacuum (analyze) ${table}`);
  }
  await sql.query('update apps set bundle_id = $1 where id = $2', [bundleId, appId]);
  return { appId, bundleId };
}

function partsOf({ what, appId, devices }: Pick<Part, 'what' | 'appId'> & { devices: number }): Part[] {
  return Array.from({ length: Math.ceil(devices / DEVICES_A_PART) }, (_, index) => ({
    what,
    appId,
    first: 1 + index * DEVICES_A_PART,
    last: Math.min((index + 1) * DEVICES_A_PART, devices),
  }));
}

function nameOf({ what, appId, first }: Part): string {
  return `${appId} ${what} ${first}`;
}

/** The indexes are kept in a table, because an interrupted load has already dropped them. */
async function rememberIndexes(sql: Client): Promise<z.infer<typeof definitions>> {
  await sql.query(
    `create table if not exists bench_indexes as
     select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index
     where indrelid in ('devices'::regclass, 'device_targets'::regclass, 'device_registrations'::regclass,
         'device_events'::regclass)
       and not indisunique`,
  );
  return definitions.parse((await sql.query('select name, definition from bench_indexes')).rows);
}

async function generateParts(url: string, left: Iterable<Part>): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('set synchronous_commit = off');
    for (const part of left) {
      // The generator creates no event without its device; checking millions of foreign keys would take an hour.
      if (part.what === 'events') await client.query('set session_replication_role = replica');
      await client.query('begin');
      await generate(client, part.what, part);
      await client.query('insert into bench_parts values ($1)', [nameOf(part)]);
      await client.query('commit');
    }
  } finally {
    await client.end();
  }
}

const sizes = z.array(z.object({ part: z.string(), bytes: z.coerce.number() }));

/** Bytes by purpose. */
export async function readSizes(client: Client): Promise<z.infer<typeof sizes>> {
  const { rows } = await client.query(
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
  return sizes.parse(rows);
}
