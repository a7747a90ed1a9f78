/**
 * Stores lines of an import, as registering each of them would: new devices are copied into the table, those that are
 * known are merged.
 */
import { type Kysely, sql } from 'kysely';
import type { Database } from '../db/tables.ts';
import type { NumberedDevice } from './import-batch.ts';
import { mergeDevices, type MergeOutcome } from './import-merge.ts';
import { copyDevices, type NewId } from './import-rows.ts';
import type { Turns } from './turns.ts';

export type ImportOutcome = 'imported' | MergeOutcome;

/**
 * @param devices in the order of their lines; no two of them with one push token
 * @param knownShare how many of them are likely to be known, from 0 to 1, as of those before. Where that is all or none,
 * they are not looked for, which spares 7 µs a device; undefined where nothing is known of them
 * @returns what became of each, by position; `raced` also where all were likely to be known, and one is not
 * @throws a unique violation where one is known in spite of it, or just becomes known; nothing is stored then
 */
export async function storeDevices(
  db: Kysely<Database>,
  appId: string,
  devices: readonly NumberedDevice[],
  {
    knownShare,
    newId,
    now,
    turns,
  }: { knownShare: number | undefined; newId: NewId; now: Date; turns: Turns },
): Promise<ImportOutcome[]> {
  const tokens = knownShare === 0 || knownShare === 1 ? undefined : await findTokens(db, appId, devices);
  const isKnown = ({ pushToken }: NumberedDevice): boolean => tokens?.has(pushToken) ?? knownShare === 1;
  const known = devices.filter(isKnown);
  if (known.length < devices.length) {
    const unknown = devices.filter((device) => !isKnown(device));
    await copyDevices(db, appId, unknown, { newId, now, turns });
  }
  const merged = known.length === 0 ? [] : await mergeDevices(db, appId, known, { now, turns });
  const outcomes = new Map(known.map((device, index) => [device, merged[index] ?? 'raced']));
  return devices.map((device) => outcomes.get(device) ?? 'imported');
}

/** Those of their push tokens that devices of the app have. */
async function findTokens(
  db: Kysely<Database>,
  appId: string,
  devices: readonly NumberedDevice[],
): Promise<ReadonlySet<string>> {
  const tokens = devices.map(({ pushToken }) => pushToken);
  // Each by itself, and the app as a column and not as a constant: of any constant the planner believes that it has a
  // 200th of the devices (migration 0008), and reads all that it has instead of the index of tokens.
  const { rows } = await sql<{ token: string }>`
    select token from (select ${appId}::uuid as app_id, unnest(${tokens}::text[]) as token offset 0) as told
    where (
      select true from devices where devices.app_id = told.app_id and devices.push_token = told.token
    )`.execute(db);
  return new Set(rows.map((row) => row.token));
}

/**
 * Postgres would see by itself within minutes how the table has grown. Until then a prepared statement keeps a plan that
 * was made when all devices fitted into a page or two, and goes through a million of them for one. Of the ids alone: it
 * is the size that counts, and all columns take longer.
 */
export async function analyzeDevices(db: Kysely<Database>): Promise<void> {
  await sql`analyze (skip_locked) devices (id)`.execute(db);
}
