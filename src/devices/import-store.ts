/**
 * Stores lines of an import, as registering each of them would: new devices are copied into the table, those that are
 * known are merged.
 */
import { type Kysely, sql } from 'kysely';
import type { Database } from '../db/tables.ts';
import type { NumberedDevice } from './import-batch.ts';
import { mergeDevices, type MergeOutcome } from './import-merge.ts';
import { copyDevices } from './import-rows.ts';

export type ImportOutcome = 'imported' | MergeOutcome;

/**
 * @param devices in the order of their lines; no two of them with one push token
 * @param mayBeKnown false where all are likely to be new: not to look for them spares 7 µs a device
 * @returns what became of each, by position
 * @throws a unique violation where one is known in spite of it, or just becomes known; nothing is stored then
 */
export async function storeDevices(
  db: Kysely<Database>,
  appId: string,
  devices: readonly NumberedDevice[],
  { mayBeKnown, now }: { mayBeKnown: boolean; now: Date },
): Promise<ImportOutcome[]> {
  const tokens = mayBeKnown ? await findTokens(db, appId, devices) : new Set();
  const isKnown = ({ pushToken }: NumberedDevice): boolean => tokens.has(pushToken);
  const known = devices.filter(isKnown);
  if (known.length < devices.length) {
    const unknown = devices.filter((device) => !isKnown(device));
    await copyDevices(db, appId, unknown, now);
  }
  const merged = known.length === 0 ? [] : await mergeDevices(db, appId, known, now);
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
  // Each by itself, and the app as a column and not as a constant: as a join, or by the constant, the planner judges an
  // app that is newer than its statistics to have a single device, and reads all that it has instead of the index of
  // tokens.
  const { rows } = await sql<{ token: string }>`
    select token from (select ${appId}::uuid as app_id, unnest(${tokens}::text[]) as token offset 0) as told
    where (
      select true from devices where devices.app_id = told.app_id and devices.push_token = told.token
    )`.execute(db);
  return new Set(rows.map((row) => row.token));
}
