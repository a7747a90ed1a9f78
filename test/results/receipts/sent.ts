/** Notifications that were sent, for the tests of receipts. */
import { randomUUID } from 'node:crypto';
import type { Insertable, Kysely } from 'kysely';
import type { Database, NotificationsTable } from '../../../src/db/tables.ts';
import { type OutcomeKind, packOutcomes } from '../../../src/delivery/outcomes/packed.ts';
import { countReceipts, type CountContext } from '../../../src/results/receipts/count.ts';
import type { Receipt } from '../../../src/results/receipts/packed-receipts.ts';
import { cutIdSpace } from '../../../src/delivery/start/id-ranges.ts';
import { insertSlices } from '../../../src/delivery/slice-store.ts';
import { type AppWithAudience, insertNotification } from '../../notifications/rows.ts';

export const NOW = new Date('2026-11-24T12:00:00.000Z');

export interface SentOptions {
  /** The key `receipts` of the notification; undefined: it asks for none. */
  receipts?: { sample?: number } | undefined;
  slices?: number;
  /** Of the slices. */
  state?: 'waiting' | 'leased' | 'done';
  values?: Partial<Insertable<NotificationsTable>>;
}

/** Inserts a notification with these outcomes by device. @returns its id */
export async function insertSent(
  db: Kysely<Database>,
  app: AppWithAudience,
  outcomes: ReadonlyMap<string, OutcomeKind>,
  { receipts, slices = 1, state = 'done', values = {} }: SentOptions = {},
): Promise<string> {
  const count = (kind: OutcomeKind): number => [...outcomes.values()].filter((one) => one === kind).length;
  const notificationId = await insertNotification(db, app, {
    body: JSON.stringify({ to: '*', payload: { alert: 'Hi' }, receipts }),
    state: 'sending',
    started_at: NOW,
    slices_left: state === 'done' ? 0 : slices,
    devices: outcomes.size,
    accepted: count('accepted'),
    ambiguous: count('ambiguous'),
    ...values,
  });
  await insertSlices(db, { appId: app.appId, notificationId }, cutIdSpace(slices), NOW);
  await endSlices(db, notificationId, outcomes, state);
  return notificationId;
}

/** Gives slices their outcomes and their state. */
export async function endSlices(
  db: Kysely<Database>,
  notificationId: string,
  outcomes: ReadonlyMap<string, OutcomeKind>,
  state: 'waiting' | 'leased' | 'done' = 'done',
): Promise<void> {
  const ranges = await db
    .selectFrom('delivery_slices')
    .select(['number', 'first_id', 'last_id'])
    .where('notification_id', '=', notificationId)
    .execute();
  for (const { number, first_id: first, last_id: last } of ranges) {
    const own = [...outcomes].filter(([id]) => id >= first && id <= last);
    await db
      .updateTable('delivery_slices')
      .set({ state, outcomes: packed(new Map(own)) })
      .where('notification_id', '=', notificationId)
      .where('number', '=', number)
      .execute();
  }
}

export function packed(outcomes: ReadonlyMap<string, OutcomeKind>): Buffer {
  const atMs = NOW.getTime();
  return packOutcomes(new Map([...outcomes].map(([id, kind]) => [id, { kind, reason: null, atMs }])));
}

/** Ids of devices with the same outcome. */
export function devices(count: number, kind: OutcomeKind = 'accepted'): Map<string, OutcomeKind> {
  return new Map(Array.from({ length: count }, () => [randomUUID(), kind]));
}

export function receiptsOf(
  notificationId: string,
  deviceIds: Iterable<string>,
  { shown = false, opened = false }: Partial<Receipt> = {},
): Receipt[] {
  return [...deviceIds].map((deviceId) => ({ notificationId, deviceId, shown, opened }));
}

/** Counts everything that is due at `now`. */
export async function countAll(db: Kysely<Database>, now = NOW): ReturnType<typeof countReceipts> {
  const context: Omit<CountContext, 'observe'> = { db, clock: () => now };
  return countReceipts(context, new AbortController().signal);
}
