/**
 * Counts the receipts that devices have reported: for each slice, it looks up the devices in the outcomes and marks them. One
 * process does it at a time, in transactions of one notification each, so that a receipt counts once and none is lost.
 */
import type { Kysely } from 'kysely';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../db/tables.ts';
import { tryTransactionLock } from '../../db/try-lock.ts';
import { bulkShare, type EventLoopShare } from '../../scheduling/event-loop-share.ts';
import type { Observe } from '../../observe.ts';
import type { PeriodicJob } from '../../scheduling/periodically.ts';
import { type CountedReceipts, NotificationCount } from './notification-count.ts';
import { RECEIPT_BYTES } from './packed-receipts.ts';
import { deleteUseless, findToCount } from './receipt-store.ts';

export interface CountContext {
  db: Kysely<Database>;
  clock: Clock;
  observe: Observe;
  share?: EventLoopShare;
}

const LOCK = 'count-receipts';
const EVERY_MS = 2_000;
const NOTIFICATIONS_PER_ROUND = 50;
const USELESS_ROWS = 5_000;
/** A canceled notification may have slices that are never done. Their last outcomes are saved sooner than this. */
const FINAL_AFTER_MS = 60_000;

/**
 * Counts everything that is due, unless another process is counting.
 * @param stop ends it after the current transaction
 */
export async function countReceipts(
  { db, clock, share = bulkShare }: Omit<CountContext, 'observe'>,
  stop: AbortSignal,
): Promise<CountedReceipts> {
  const sums: CountedReceipts = { counted: 0, repeated: 0, ignored: 0 };
  while (!stop.aborted) {
    const now = clock();
    const useless = await deleteUseless(db, now, USELESS_ROWS);
    sums.ignored += useless.bytes / RECEIPT_BYTES;
    const keys = await findToCount(db, now, endedBefore(now), NOTIFICATIONS_PER_ROUND);
    if (keys.length === 0 && useless.rows < USELESS_ROWS) return sums;
    for (const key of keys) {
      if (stop.aborted) return sums;
      const counted = await db.transaction().execute(async (transaction) => {
        if (!(await tryTransactionLock(transaction, LOCK))) return undefined;
        const count = new NotificationCount({ transaction, key, share, now, endedBefore: endedBefore(now) });
        return count.run();
      });
      if (counted === undefined) return sums;
      sums.counted += counted.counted;
      sums.repeated += counted.repeated;
      sums.ignored += counted.ignored;
    }
  }
  return sums;
}

export function countReceiptsJob(context: CountContext): PeriodicJob {
  return {
    name: 'count-receipts',
    everyMs: EVERY_MS,
    run: async (stop) => {
      const counted = await countReceipts(context, stop);
      if (counted.counted + counted.repeated + counted.ignored > 0) {
        context.observe({ kind: 'receipts_counted', ...counted });
      }
    },
  };
}

function endedBefore(now: Date): Date {
  return new Date(now.getTime() - FINAL_AFTER_MS);
}
