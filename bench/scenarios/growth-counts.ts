/** Audiences of every kind, counted over the devices of `growth`. */
import { parseFilters } from '../../src/filters/filter-schema.ts';
import { countDevices } from '../../src/targeting/count-devices.ts';
import { benchAudiences } from '../audiences/lists.ts';
import { countSequentially } from '../audiences/sequential.ts';
import type { BenchContext } from '../support/context.ts';
import type { BenchDatabase } from '../support/postgres.ts';
import { median } from '../support/statistics.ts';

const COUNTS = 5;

/** One event per device, because the import has none. */
export async function addEvents({ sql }: BenchDatabase, appId: string): Promise<void> {
  await sql.query(
    `insert into device_events (app_id, device_id, name, count, first_happened_at, last_happened_at)
     select app_id, id, case when number % 3 = 0 then 'Public Api.' else '' end || 'event ' || number,
       1 + mixed % 40, moment, moment
     from devices, hashtext(id::text) as hash, abs(hash::bigint) as mixed,
       lateral (select floor(60 * power((mixed % 65536) / 65536.0, 2.5)) as number,
         now() - (mixed % 400) * interval '1 day' as moment) as drawn
     where app_id = $1
     order by id -- in any other order, ten million take a quarter of an hour`,
    [appId],
  );
  await sql.query('vacuum (analyze) device_events');
}

/** Counts each several times; the first count is compared with a scan of all targeting rows. */
export async function countAudiences(
  { devices, figures, say }: BenchContext,
  { db }: BenchDatabase,
  { appId, seed }: { appId: string; seed: number },
): Promise<void> {
  const medians: number[] = [];
  for (const { name, filters } of benchAudiences(seed, devices)) {
    const parsed = parseFilters(filters, 'filters');
    if (!parsed.ok) throw new Error(`${name}: ${parsed.faults[0]?.path} ${parsed.faults[0]?.message}`);
    const request = { appId, filters: parsed.filters, now: new Date() };
    const { devices: counted } = await countDevices(db, request);
    const scanned = await countSequentially(db, request);
    if (counted !== scanned) throw new Error(`${name}: counted ${counted}, and by a scan ${scanned}`);
    const samples: number[] = [];
    for (let round = 0; round < COUNTS; round++) {
      const startedMs = performance.now();
      await countDevices(db, request);
      samples.push(performance.now() - startedMs);
    }
    medians.push(median(samples));
    figures.add(`count: ${name}`, median(samples), 'ms');
    say(`${name}: ${counted} devices in ${median(samples).toFixed(1)} ms`);
  }
  figures.add('count: median of all', median(medians), 'ms');
  figures.add('count: the slowest', Math.max(...medians), 'ms');
}
