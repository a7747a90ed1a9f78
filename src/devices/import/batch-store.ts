/** Stores a batch of an import and says what became of each of its lines. */
import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { TokenKey } from '../../apps/token-keys.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../db/tables.ts';
import { ApiError, invalidRequest } from '../../errors.ts';
import { count } from '../../reply.ts';
import { type Batch, type NumberedDevice, rejectedLine, sentenceOf } from './batch.ts';
import type { NewId } from './rows.ts';
import { type ImportOutcome, storeDevices } from './store.ts';
import { otherPlatform, tooManyAttributes } from '../refusals.ts';
import { transact } from '../transact.ts';
import type { Turns } from './turns.ts';

/** How often a device is tried that other calls change at that very moment. */
const ATTEMPTS_MAX = 10;

const REJECTED_LISTED_MAX = 1_000;

/** What became of the lines that are not empty: the four numbers add up to them. */
export const importReply = z.strictObject({
  imported: count.describe('Devices that are new.'),
  updated: count.describe('Devices that were known by their push token.'),
  unchanged: count.describe('Devices that were known, with nothing different.'),
  rejected_count: count,
  rejected: z.array(rejectedLine).describe('In the order of lines; of a whole import the first 1,000.'),
});

export type ImportResult = z.output<typeof importReply>;

export function emptyResult(): ImportResult {
  return { imported: 0, updated: 0, unchanged: 0, rejected_count: 0, rejected: [] };
}

/** Of the lines that were rejected only the first are listed; all are counted. */
export function addResult(sum: ImportResult, part: ImportResult): void {
  sum.imported += part.imported;
  sum.updated += part.updated;
  sum.unchanged += part.unchanged;
  sum.rejected_count += part.rejected_count;
  sum.rejected.push(...part.rejected.slice(0, REJECTED_LISTED_MAX - sum.rejected.length));
}

interface StoreOptions {
  /** See `storeDevices`. */
  knownShare: number | undefined;
  newId: NewId;
  tokenKey: TokenKey;
  clock: Clock;
  turns: Turns;
}

/**
 * @throws {ApiError} `unavailable` where other calls got in the way time and again
 */
export async function storeBatch(
  db: Kysely<Database>,
  appId: string,
  batch: Batch,
  { knownShare, newId, tokenKey, clock, turns }: StoreOptions,
): Promise<ImportResult> {
  const result = { ...emptyResult(), rejected: batch.rejected };
  for (const [index, turn] of inTurns(batch.devices).entries()) {
    // From the second turn on, the turn before has made the devices where it could.
    const options = { knownShare: index === 0 ? knownShare : undefined, newId, tokenKey, clock, turns };
    await storeTurn(db, appId, turn, options, result);
  }
  result.rejected.sort((left, right) => left.line - right.line);
  result.rejected_count = result.rejected.length;
  return result;
}

/** The lines with one token follow each other: the second has its turn after the first. */
function inTurns(devices: readonly NumberedDevice[]): NumberedDevice[][] {
  const turns: NumberedDevice[][] = [];
  const turnsOfToken = new Map<string, number>();
  for (const device of devices) {
    const turn = turnsOfToken.get(device.pushToken) ?? 0;
    turnsOfToken.set(device.pushToken, turn + 1);
    (turns[turn] ??= []).push(device);
  }
  return turns;
}

async function storeTurn(
  db: Kysely<Database>,
  appId: string,
  devices: readonly NumberedDevice[],
  { knownShare, newId, tokenKey, clock, turns }: StoreOptions,
  result: ImportResult,
): Promise<void> {
  let left = devices;
  let likely = knownShare;
  const store = async (trx: Kysely<Database>): Promise<ImportOutcome[]> => {
    const options = { knownShare: likely, newId, tokenKey, now: clock(), turns };
    likely = undefined; // from the second attempt on, they are looked for
    return storeDevices(trx, appId, left, options);
  };
  for (let attempt = 1; attempt <= ATTEMPTS_MAX && left.length > 0; attempt++) {
    const outcomes = await transact(db, store);
    for (const [index, device] of left.entries()) {
      const outcome = outcomes[index];
      if (outcome === 'imported' || outcome === 'updated' || outcome === 'unchanged') result[outcome] += 1;
      const refusal = outcome === undefined ? undefined : refusalOf(device, outcome);
      if (refusal !== undefined) {
        result.rejected.push({ line: device.line, error: sentenceOf(refusal) });
      }
    }
    left = left.filter((_device, index) => outcomes[index] === 'raced');
  }
  if (left.length > 0) throw new ApiError('unavailable', { retryAfterSeconds: 1 });
}

/** Why a line was not stored; undefined where it was, or will be. */
function refusalOf({ platform }: NumberedDevice, outcome: ImportOutcome): ApiError | undefined {
  switch (outcome) {
    case 'too_many_attributes':
      return tooManyAttributes('custom');
    case 'other_platform':
      return otherPlatform('platform', platform === 'iOS' ? 'Android' : 'iOS');
    case 'old_token':
      return invalidRequest([
        { path: 'push_token', message: 'is an old one of a device that has another by now' },
      ]);
    case 'imported':
    case 'updated':
    case 'unchanged':
    case 'raced':
      return undefined;
  }
}
