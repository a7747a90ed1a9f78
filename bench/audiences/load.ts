/** Fills a database with an app and its devices, and reports their size on disk. */
import { Client } from 'pg';
import { z } from 'zod';
import { createApp } from '../../src/apps/apps.ts';
import { systemClock } from '../../src/clock.ts';
import { buildBitmaps } from '../../src/targeting/bitmaps/build.ts';
import type { BenchDatabase } from '../support/postgres.ts';
import { indexAllDeferred } from '../support/index-all-deferred.ts';
import { generate, prepareGenerator } from './generate.ts';

const definitions = z.array(z.object({ name: z.string(), definition: z.string() }));
const ids = z.array(z.object({ id: z.string() }));

/**
 * Uses two connections, one per core. Indexes without a constraint are built at the end. If a kept database has these
 * devices already, nothing is changed.
 */
export async function load(
  database: BenchDatabase,
  { seed, devices }: { seed: number; devices: number },
  say: (line: string) => void,
): Promise<{ appId: string }> {
  const { sql } = database;
  const bundleId = `app.bench.${seed}.${devices}`;
  const kept = ids.parse((await sql.query('select id from apps where bundle_id = $1', [bundleId])).rows)[0];
  if (kept !== undefined) return { appId: kept.id };
  const { id: appId } = await createApp(
    database.db,
    { bundleId: `${bundleId}.loading`, name: 'Bench' },
    systemClock,
  );
  await prepareGenerator(sql, seed);
  const { rows } = await sql.query(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index
     where indrelid in ('devices'::regclass, 'device_targets'::regclass, 'device_registrations'::regclass,
         'device_events'::regclass)
       and not indisunique`,
  );
  const indexes = definitions.parse(rows);
  await sql.query(`drop index ${indexes.map(({ name }) => name).join(', ')}`);
  const middle = Math.ceil(devices / 2);
  const halves = [
    { appId, first: 1, last: middle },
    { appId, first: middle + 1, last: devices },
  ];
  for (const what of ['devices', 'events'] as const) {
    say(`making ${what}`);
    await Promise.all(halves.map(async (half) => generateOn(database.url, what, half)));
  }
  await indexAllDeferred(database.db);
  say('building the indexes');
  await sql.query(`set maintenance_work_mem = '512MB'`);
  for (const { definition } of indexes) await sql.query(definition);
  for (const table of ['devices', 'device_targets', 'device_registrations', 'device_events']) {
    await sql.query(`vacuum (analyze) ${table}`);
  }
  say('building the count bitmaps');
  await buildBitmaps(database.db, new AbortController().signal);
  for (const table of ['count_bitmap_blocks', 'count_bitmap_columns', 'count_bitmap_lists']) {
    await sql.query(`vacuum (analyze) ${table}`);
  }
  await sql.query('update apps set bundle_id = $1 where id = $2', [bundleId, appId]);
  return { appId };
}

async function generateOn(
  url: string,
  what: 'devices' | 'events',
  half: { appId: string; first: number; last: number },
): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('set synchronous_commit = off');
    // The generator creates no event without its device; checking millions of foreign keys would take an hour.
    if (what === 'events') await client.query('set session_replication_role = replica');
    await generate(client, what, half);
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
