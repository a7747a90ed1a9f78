/**
 * Stores lines of an import, as registering each of them would: new devices are copied into the table, those that are
 * known are merged.
 */
import { type Kysely, sql } from 'kysely';
import type { TokenKey } from '../../apps/token-keys.ts';
import type { Database } from '../../db/tables.ts';
import type { NumberedDevice } from './batch.ts';
import { mergeDevices, type MergeOutcome } from './merge.ts';
import { copyDevices, type NewId } from './rows.ts';
import { haveRetired, type TakenBack, takeBackTokens } from './retired.ts';
import { Raced } from '../transact.ts';
import type { Turns } from './turns.ts';

/** `old_token`: the token is one that a device had, which has another by now. */
export type ImportOutcome = 'imported' | 'old_token' | MergeOutcome;

export interface StoreDevicesOptions {
  /**
   * How many of them are likely to be known, from 0 to 1, as of those before. Where that is all or none, they are not
   * looked for, which spares 7 µs a device; undefined where nothing is known of them.
   */
  knownShare: number | undefined;
  newId: NewId;
  /** Of the app. */
  tokenKey: TokenKey;
  now: Date;
  turns: Turns;
}

/**
 * @param devices in the order of their lines; no two of them with one push token
 * @returns what became of each, by position; `raced` also where all were likely to be known, and one is not
 * @throws a unique violation or {@link Raced} where one is known in spite of it, or just becomes known; the transaction
 *   is to be rolled back then
 */
export async function storeDevices(
  db: Kysely<Database>,
  appId: string,
  devices: readonly NumberedDevice[],
  { knownShare, newId, tokenKey, now, turns }: StoreDevicesOptions,
): Promise<ImportOutcome[]> {
  const isLookedFor = knownShare !== 0 && knownShare !== 1;
  const tokens = isLookedFor ? await findTokens(db, appId, devices) : undefined;
  const isKnown = ({ pushToken }: NumberedDevice): boolean => tokens?.has(pushToken) ?? knownShare === 1;
  const unknown = devices.filter((device) => !isKnown(device));
  const retired = isLookedFor
    ? await takeBackTokens(db, { appId, tokenKey, now, turns }, unknown)
    : new Map<string, TakenBack>();
  const added = unknown.filter(({ pushToken }) => !retired.has(pushToken));
  if (added.length > 0) {
    await copyDevices(db, appId, added, { newId, now, turns });
    // Where they were looked for, one would have to be registered and retired since.
    if (!isLookedFor && (await haveRetired(db, { appId, tokenKey, turns }, added))) throw new Raced();
  }
  const known = devices.filter((device) => isKnown(device) || retired.get(device.pushToken) === 'taken_back');
  const merged = known.length === 0 ? [] : await mergeDevices(db, appId, known, { now, turns });
  const outcomes = new Map(known.map((device, index) => [device, merged[index] ?? 'raced']));
  return devices.map((device) => {
    const outcome = outcomes.get(device);
    const taken = retired.get(device.pushToken);
    if (taken === 'taken_back') return outcome === 'unchanged' ? 'updated' : (outcome ?? 'raced');
    return outcome ?? taken ?? 'imported';
  });
}

/** Those of their push tokens that devices of the app have. */
async function findTokens(
  db: Kysely<Database>,
  appId: string,
  devices: readonly NumberedDevice[],
): Promise<ReadonlySet<string>> {
  const tokens = devices.map(({ pushToken }) => pushToken);
  // Each by itself, and the app as a column and not as a constant: of any constant the planner believes that it has a
  // 200th of the devices, and reads all that it has instead of the index of tokens.
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
