/**
 * Imports devices from newline-delimited JSON of any length, in constant memory: batches of lines, a few of
 * them on their way to the database at a time, a transaction each. Every line counts for itself: a bad one
 * loses no other, and what was stored stays where the stream breaks off. Importing it again is cheap.
 */
import type { Kysely } from 'kysely';
import type { TokenKeys } from '../../apps/token-keys.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../db/tables.ts';
import { ApiError, DETAILS_MAX } from '../../errors.ts';
import { addLine, type Batch, emptyBatch, isFull, LINE_BYTES_MAX, sharesToken } from './batch.ts';
import { addResult, emptyResult, type ImportResult, storeBatch } from './batch-store.ts';
import { idsOfImport } from './rows.ts';
import { analyzeDevices } from './store.ts';
import { readLines } from './ndjson.ts';
import { importTurns, type Turns } from './turns.ts';

/** One is read while the database stores two: more would compete with whatever else the processors have to do. */
const BATCHES_IN_FLIGHT_MAX = 3;
/** New devices after which an import has Postgres look at the table, once. */
const ANALYZE_AFTER = 1_000;
/** One after the other: a file of so many is none of devices, and each line costs as much as a good one. */
const REJECTED_IN_A_ROW_MAX = 10_000;

/**
 * Each line registers a device as `registerDevice` does, except that a device in which nothing differs is left
 * as it is, `registered_at` included; and that a gateway's word on a token outweighs an import's.
 * @param chunks the bytes of the lines, each a device object as `POST /v6/devices` takes it; at most 64 KiB.
 * What it throws is thrown here.
 * @param turns in which lines are read, so that an import holds up nothing else in the process
 * @throws {ApiError} `unavailable` where other calls got in the way time and again; `invalid_request` after 10,000
 * rejected lines in a row, once what came before them is stored, with what became of it
 */
export async function importDevices(
  db: Kysely<Database>,
  tokenKeys: TokenKeys,
  appId: string,
  chunks: AsyncIterable<Uint8Array>,
  clock: Clock,
  turns: Turns = importTurns,
): Promise<ImportResult> {
  const tokenKey = await tokenKeys.of(appId);
  const result = emptyResult();
  const newId = idsOfImport();
  let isAnalyzed = false;
  let knownShare: number | undefined; // of the batch that was last heard of: the next are likely to be as it was
  const inFlight: { batch: Batch; stored: Promise<ImportResult> }[] = []; // the oldest first
  const settle = async (countLeft: number): Promise<void> => {
    while (inFlight.length > countLeft) {
      const oldest = inFlight.shift();
      if (oldest === undefined) return;
      const part = await oldest.stored;
      addResult(result, part);
      knownShare = knownShareOf(part);
    }
    if (isAnalyzed || result.imported < ANALYZE_AFTER) return;
    isAnalyzed = true;
    await analyzeDevices(db);
  };
  const store = async (batch: Batch): Promise<void> => {
    // Of two lines with one token the later has the last word.
    const waits = inFlight.some((other) => sharesToken(batch, other.batch));
    await settle(waits ? 0 : BATCHES_IN_FLIGHT_MAX - 1);
    const stored = storeBatch(db, appId, batch, { knownShare, newId, tokenKey, clock, turns });
    stored.catch(() => undefined); // it is told where the batch is settled
    inFlight.push({ batch, stored });
  };

  try {
    const nextBatch = (): Batch => emptyBatch(knownShare !== undefined && knownShare > 0.5);
    let batch = nextBatch();
    let rejectedInARow = 0;
    for await (const lines of readLines(chunks, LINE_BYTES_MAX)) {
      await turns.whenFree(); // also where there is none: a chunk may hold empty ones alone
      for (const line of lines) {
        const free = turns.whenFree();
        if (free !== undefined) await free;
        const read = addLine(batch, line);
        if (read === 'device') rejectedInARow = 0;
        if (read === 'rejected') rejectedInARow += 1;
        if (rejectedInARow === REJECTED_IN_A_ROW_MAX) {
          await store(batch);
          await settle(0);
          throw brokenOffAt(line.number, result);
        }
        if (!isFull(batch)) continue;
        await store(batch);
        batch = nextBatch();
      }
    }
    await store(batch);
    await settle(0);
    return result;
  } finally {
    // Nothing of an import goes on once it has ended.
    await Promise.allSettled(inFlight.map(({ stored }) => stored));
  }
}

/** @param line the last that was read */
function brokenOffAt(line: number, { imported, updated, unchanged, rejected }: ImportResult): ApiError {
  const message =
    `The import broke off at line ${line}, the last of ${REJECTED_IN_A_ROW_MAX} rejected in a row. ` +
    `Up to there: ${imported} imported, ${updated} updated, ${unchanged} unchanged.`;
  const details = rejected.slice(0, DETAILS_MAX).map(({ line: number, error }) => ({
    path: `line ${number}`,
    message: error,
  }));
  return new ApiError('invalid_request', { message, details });
}

/** From 0 to 1; undefined where no device was stored. */
function knownShareOf({ imported, updated, unchanged }: ImportResult): number | undefined {
  const known = updated + unchanged;
  return known + imported === 0 ? undefined : known / (known + imported);
}
