/** Holds the lease of a slice, and knows when it is over, even if this process stood still or the database is away. */
import type { Kysely } from 'kysely';
import type { Clock } from '../clock.ts';
import { databaseError } from '../db/database-error.ts';
import type { Database } from '../db/tables.ts';
import type { Observe } from '../observe.ts';
import { LEASE_MS, type LeasedSlice, ofNotification, renewLease } from './slice-store.ts';

/** A moment by both clocks of this process. */
export interface Moment {
  wallMs: number;
  monotonicMs: number;
}

export interface Lease {
  /** Aborted when the slice was taken over, or the notification canceled. */
  lost: AbortSignal;
  /** Whether it has not been renewed in time, so that another worker may have the slice. */
  isOver(): boolean;
  release(): void;
}

export interface LeaseClocks {
  clock: Clock;
  /** A monotonic clock, in milliseconds; by default the clock of the process. */
  monotonicMs?: () => number;
}

interface LeaseContext extends LeaseClocks {
  db: Kysely<Database>;
  observe: Observe;
}

export function momentOf({ clock, monotonicMs = performanceNow }: LeaseClocks): Moment {
  return { wallMs: clock().getTime(), monotonicMs: monotonicMs() };
}

/**
 * Whether a lease taken at the given moment has run out. The monotonic clock notices it if the time of day is set back,
 * and the time of day if a laptop or a virtual machine was suspended.
 */
export function isLeaseOver({ clock, monotonicMs = performanceNow }: LeaseClocks, since: Moment): boolean {
  return monotonicMs() - since.monotonicMs >= LEASE_MS || clock().getTime() - since.wallMs >= LEASE_MS;
}

/**
 * Renews the lease while the slice is in progress.
 * @param leasedAt a moment before the statement that leased it
 */
export function holdLease(context: LeaseContext, slice: LeasedSlice, leasedAt: Moment): Lease {
  const { db, observe } = context;
  const controller = new AbortController();
  let since = leasedAt;
  const renew = async (): Promise<void> => {
    const now = momentOf(context);
    try {
      const held = await renewLease(db, slice, new Date(now.wallMs));
      if (!held) controller.abort(new Error('the slice was taken over, or the notification canceled'));
      else if (now.monotonicMs > since.monotonicMs) since = now;
    } catch (error) {
      // A lease lasts for three renewal intervals, so one renewal may fail.
      observe(databaseError(error, 'renew a lease', ofNotification(slice)));
    }
  };
  const timer = setInterval(() => void renew(), LEASE_MS / 3);
  return {
    lost: controller.signal,
    isOver: () => isLeaseOver(context, since),
    release: () => clearInterval(timer),
  };
}

function performanceNow(): number {
  return performance.now();
}
