/** A worker that stood still, and one whose database was away: what they have not saved is not sent again. */
import { sql } from 'kysely';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { openPresence } from '../../src/db/outages/presence.ts';
import { deliverNextSlice } from '../../src/delivery/send/deliver.ts';
import {
  insertSlices,
  LEASE_MS,
  leaseNextSlice,
  type NotificationKey,
} from '../../src/delivery/slice-store.ts';
import { ALL_IDS } from '../../src/delivery/start/id-ranges.ts';
import { findUnworked } from '../../src/delivery/upkeep/find-unworked.ts';
import type { Recipient, Verdict } from '../../src/gateways/gateway.ts';
import { insertApp, useTestDatabase } from '../support/database.ts';
import { fakeGateway } from '../support/gateways.ts';
import { PATIENCE } from '../support/patience.ts';
import { insertPhones, openTestDelivery, type Rows, schedule, sweepOnce } from './in-process.ts';

const DEVICES = 500;
const MIDDLE = 120;
/** Pushes that are begun together. */
const AT_ONCE = 50;
const ACCEPTED: Verdict = { kind: 'accepted' };

const database = useTestDatabase();
const never = new AbortController().signal;
let appId: string;
/** Both clocks of the worker. */
let now: Date;
let monotonicMs: number;

beforeEach(async () => {
  ({ id: appId } = await insertApp(database.db));
  now = new Date('2026-11-20T12:00:00.000Z');
  monotonicMs = 1_000;
  await insertPhones(inApp(), DEVICES);
});

const inApp = (): Rows => ({ db: database.db, appId, at: now });

/** A notification in state `sending`, with one slice or as a claim. */
async function sending({ slices }: { slices: 0 | 1 }): Promise<NotificationKey> {
  const of = { started_at: now, devices: DEVICES, slices_left: slices };
  const key = await schedule(inApp(), { state: 'sending', ...of });
  if (slices === 1) await insertSlices(database.db, key, [ALL_IDS], now);
  return key;
}

/** A worker with a gateway of its own, whose pushes are in `sent`. */
function startWorker(answer: (recipient: Recipient, call: number) => Promise<Verdict>) {
  const gateway = fakeGateway('apns_production', answer, { credentialsAccepted: true });
  const context = openTestDelivery({
    db: database.db,
    clock: () => now,
    monotonicMs: () => monotonicMs,
    gateways: () => ({ apns_production: gateway }),
  });
  return {
    sent: gateway.sent,
    deliver: async (key: NotificationKey) => deliverNextSlice(context, key, never),
  };
}

async function read({ notificationId }: NotificationKey) {
  return database.db
    .selectFrom('notifications')
    .select(['state', 'accepted', 'devices'])
    .where('id', '=', notificationId)
    .executeTakeFirstOrThrow();
}

function pass(ms: number, monotonic = ms): void {
  now = new Date(now.getTime() + ms);
  monotonicMs += monotonic;
}

/** When a lease that is taken now has expired. */
function after(): Date {
  return new Date(now.getTime() + LEASE_MS + 1);
}

describe('a worker that stood still', () => {
  /** By the clock that shows it: a stopped process has both, a suspended machine only the time of day. */
  const clocks = [
    ['the monotonic clock', () => (monotonicMs += LEASE_MS)],
    ['the time of day', () => pass(LEASE_MS, 0)],
  ] as const;

  test.each(clocks)(
    'a worker that stood still past its lease sends nothing, as %s shows, until it has the slice again',
    async (_, standStill) => {
      const key = await sending({ slices: 1 });
      const worker = startWorker(async (_recipient, call) => {
        if (call === MIDDLE) standStill();
        return ACCEPTED;
      });
      expect(await worker.deliver(key)).toBe(true);
      const before = worker.sent.length;
      expect(before).toBeLessThan(MIDDLE + AT_ONCE);
      // Nobody took the slice, so its outcomes are saved, and it is free.
      expect(await read(key)).toMatchObject({ state: 'sending', accepted: before });
      expect(await worker.deliver(key)).toBe(true);
      expect(worker.sent.length).toBe(DEVICES);
      expect(new Set(worker.sent).size).toBe(DEVICES);
      expect(await read(key)).toMatchObject({ state: 'sent', accepted: DEVICES });
    },
  );

  test.each(clocks)(
    'a worker that stood still repeats no more than it had begun, as %s shows, if another took over',
    async (_, standStill) => {
      const key = await sending({ slices: 1 });
      const other = startWorker(async () => ACCEPTED);
      const worker = startWorker(async (_recipient, call) => {
        if (call !== MIDDLE) return ACCEPTED;
        standStill();
        now = new Date(now.getTime() + LEASE_MS + 1);
        await other.deliver(key);
        return ACCEPTED;
      });
      await worker.deliver(key);
      expect(worker.sent.length).toBeLessThan(MIDDLE + AT_ONCE);
      expect(new Set(other.sent).size).toBe(other.sent.length);
      expect(new Set([...worker.sent, ...other.sent]).size).toBe(DEVICES);
      expect(await read(key)).toMatchObject({ state: 'sent', accepted: DEVICES, devices: DEVICES });
    },
  );
});

describe('a lease whose holder may lack the database', () => {
  test('an expired lease is not taken while its holder may lack the database, and a waiting slice is', async () => {
    const key = await sending({ slices: 1 });
    expect(await leaseNextSlice(database.db, key, now, { takesOver: false })).toMatchObject({ attempt: 1 });
    expect(await leaseNextSlice(database.db, key, after(), { takesOver: false })).toBeUndefined();
    expect(await findUnworked(database.db, after(), { slicesMax: 1, takesOver: false })).toEqual([]);
    expect(await findUnworked(database.db, after(), { slicesMax: 1 })).toHaveLength(1);
    expect(await leaseNextSlice(database.db, key, after())).toMatchObject({ attempt: 2 });
  });

  test('an old claim does not become a slice while its holder may lack the database', async () => {
    const key = await sending({ slices: 0 });
    const sweepWith = async (takesOver: boolean): Promise<unknown> => {
      await sweepOnce({ db: database.db, clock: after, mayTakeOver: () => takesOver });
      const { notificationId } = key;
      return database.db
        .selectFrom('delivery_slices')
        .where('notification_id', '=', notificationId)
        .execute();
    };
    expect(await sweepWith(false)).toEqual([]);
    expect(await sweepWith(true)).toHaveLength(1);
  });
});

describe('the presence of the database', () => {
  test('the presence of the database counts from the first answer, and from the first one after a break', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const wallMs = vi.fn(() => now.getTime());
    const db = database.db;
    const presence = openPresence({
      ask: async () => sql`select 1`.execute(db),
      clock: () => new Date(wallMs()),
      monotonicMs: () => monotonicMs,
    });
    /** Resolves when the database has answered once more. */
    const answered = async (): Promise<void> => {
      wallMs.mockClear();
      vi.advanceTimersByTime(1_000);
      await vi.waitFor(() => expect(wallMs.mock.calls.length).toBeGreaterThan(1), PATIENCE);
    };
    try {
      expect(presence.hasLasted(0)).toBe(false);
      await vi.waitFor(() => expect(presence.hasLasted(0)).toBe(true), PATIENCE);
      for (let second = 0; second < 10; second++) {
        pass(1_000);
        await answered();
      }
      expect(presence.hasLasted(10_000)).toBe(true);
      expect(presence.hasLasted(10_001)).toBe(false);
      // Nothing was heard for some seconds: the database, the network or this process stood still.
      pass(4_000);
      expect(presence.hasLasted(0)).toBe(false);
      await answered();
      pass(1_000);
      expect([presence.hasLasted(1_000), presence.hasLasted(1_001)]).toEqual([true, false]);
      // A suspended machine, whose monotonic clock stood still.
      pass(3_600_000, 0);
      expect(presence.hasLasted(0)).toBe(false);
      await answered();
      expect([presence.hasLasted(0), presence.hasLasted(1)]).toEqual([true, false]);
    } finally {
      presence.close();
      vi.useRealTimers();
    }
  });
});
