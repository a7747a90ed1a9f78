/**
 * Stores receipts as they are reported: one statement for many calls, without reading anything. A worker counts them
 * afterwards (`count.ts`).
 */
import type { Kysely } from 'kysely';
import type { Clock } from '../../clock.ts';
import { conditionOf } from '../../db/database-error.ts';
import type { Database } from '../../db/tables.ts';
import { ApiError } from '../../api/errors.ts';
import { SharedRuns } from '../../scheduling/shared-runs.ts';
import { packReceipts, type Receipt, RECEIPT_BYTES } from './packed-receipts.ts';
import { insertUncounted, type UncountedRow } from './receipt-store.ts';

interface Call {
  appId: string;
  receipts: readonly Receipt[];
}

/** A statement then stores up to 1.7 MB. */
const CALLS_PER_STATEMENT = 100;
/** A call that comes soon after another waits this long at most, so that phones that report at once share a statement. */
const STORE_EVERY_MS = 50;
/** Some 30 MB. Far fewer wait as long as the database takes less than a second for a statement. */
const WAITING_MAX = 100_000;
const RETRY_AFTER_SECONDS = 10;
/** A row is 85 KB at most. */
const RECEIPTS_PER_ROW = 5_000;

export function openReceipts({
  db,
  clock,
  waitingMax = WAITING_MAX,
}: {
  db: Kysely<Database>;
  clock: Clock;
  /** Receipts that may wait to be stored. */
  waitingMax?: number;
}) {
  let waiting = 0;
  const shared = new SharedRuns<Call, void>({
    itemsMax: CALLS_PER_STATEMENT,
    runsMax: 1,
    everyMs: STORE_EVERY_MS,
    run: async (calls) => {
      await insertUncounted(db, rowsOf(calls), clock());
      return calls.map(() => undefined);
    },
    isOutage: (error) => conditionOf(error) !== undefined,
  });
  return {
    /**
     * Resolves when they are stored. They may contain a receipt twice, and receipts of unknown notifications or devices.
     * @throws {ApiError} `unavailable` if too many receipts of this process wait to be stored
     * @throws the database's error
     */
    async store(appId: string, receipts: readonly Receipt[]): Promise<void> {
      if (waiting + receipts.length > waitingMax) {
        throw new ApiError('unavailable', {
          message: 'Too many receipts wait to be stored; none of this call was stored; send it again later.',
          retryAfterSeconds: RETRY_AFTER_SECONDS,
        });
      }
      waiting += receipts.length;
      try {
        await shared.add({ appId, receipts });
      } finally {
        waiting -= receipts.length;
      }
    },
  };
}

/** A row per notification, or more if it has many receipts. */
function rowsOf(calls: readonly Call[]): UncountedRow[] {
  const ofNotifications = new Map<string, { appId: string; notificationId: string; packed: Buffer[] }>();
  for (const { appId, receipts } of calls) {
    for (const [notificationId, own] of Map.groupBy(receipts, (receipt) => receipt.notificationId)) {
      const key = `${appId} ${notificationId}`;
      const known = ofNotifications.get(key);
      if (known === undefined)
        ofNotifications.set(key, { appId, notificationId, packed: [packReceipts(own)] });
      else known.packed.push(packReceipts(own));
    }
  }
  return [...ofNotifications.values()].flatMap(({ appId, notificationId, packed }) =>
    cut(Buffer.concat(packed)).map((receipts) => ({ appId, notificationId, receipts })),
  );
}

function cut(packed: Buffer): Buffer[] {
  const bytes = RECEIPTS_PER_ROW * RECEIPT_BYTES;
  const rows: Buffer[] = [];
  for (let at = 0; at < packed.length; at += bytes) rows.push(packed.subarray(at, at + bytes));
  return rows;
}
