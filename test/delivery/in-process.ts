/** What tests of deliveries start from that use no network: the rows of an app, and a delivery whose gateways are not real. */
import { randomUUID } from 'node:crypto';
import type { Insertable, Kysely } from 'kysely';
import { Client } from 'pg';
import type { Database, DevicesTable, NotificationsTable } from '../../src/db/tables.ts';
import { UnsavedOutcomes } from '../../src/delivery/outcomes/unsaved-outcomes.ts';
import {
  type DeliveryContext,
  type DeliveryResources,
  openDelivery,
} from '../../src/delivery/send/deliver.ts';
import type { AppGateways } from '../../src/delivery/send/open-gateways.ts';
import {
  insertSlices,
  leaseNextSlice,
  type LeasedSlice,
  type NotificationKey,
} from '../../src/delivery/slice-store.ts';
import { cutIdSpace } from '../../src/delivery/start/id-ranges.ts';
import { sweep, type SweepContext } from '../../src/delivery/upkeep/sweep.ts';
import { observeNothing } from '../../src/observe.ts';
import type { Job } from '../../src/queue/job.ts';
import { parsed } from '../filters/parsed.ts';
import { insertNotification } from '../notifications/rows.ts';
import { everyoneAudience, findOrCreateAudience } from '../support/audiences.ts';
import { newToken } from '../support/push-token.ts';
import { tokenKeys } from '../support/token-keys.ts';

/** Where rows are inserted, and when. */
export interface Rows {
  db: Kysely<Database>;
  appId: string;
  at: Date;
}

type DeviceColumns = Partial<Insertable<DevicesTable>>;

/** Inserts iPhones with push tokens. @returns their ids, in the order of their numbers */
export async function insertPhones(
  { db, appId, at }: Rows,
  count: number,
  columns: DeviceColumns | ((number: number) => DeviceColumns) = {},
): Promise<string[]> {
  const times = { token_registered_at: at, created_at: at, registered_at: at };
  const rows = Array.from({ length: count }, (_, number) => {
    const id = randomUUID();
    const own = typeof columns === 'function' ? columns(number) : columns;
    return { app_id: appId, id, platform: 'iOS' as const, push_token: newToken(), ...times, ...own };
  });
  for (let start = 0; start < count; start += 1_000) {
    await db
      .insertInto('devices')
      .values(rows.slice(start, start + 1_000))
      .execute();
  }
  return rows.map(({ id }) => id);
}

interface ToSchedule extends Partial<Omit<Insertable<NotificationsTable>, 'filters'>> {
  /** Of its audience; by default everyone. */
  filters?: readonly unknown[];
  /** More keys of the notification. */
  keys?: object;
}

export async function schedule(
  { db, appId, at }: Rows,
  { filters = [], keys = {}, ...columns }: ToSchedule = {},
): Promise<NotificationKey> {
  const clock = (): Date => at;
  const { id: audienceId } =
    filters.length === 0
      ? await everyoneAudience(db, appId, clock)
      : await findOrCreateAudience(db, { appId, filters: parsed(filters), clock });
  const body = JSON.stringify({ payload: { alert: 'Hello' }, ...keys });
  const values = { body, created_at: at, due_at: at, ...columns };
  return { appId, notificationId: await insertNotification(db, { appId, audienceId }, values) };
}

/** A notification that is being sent, with free slices. */
export async function insertSending(inApp: Rows, slices = 1): Promise<NotificationKey> {
  const { db, at } = inApp;
  const key = await schedule(inApp, { state: 'sending', started_at: at, slices_left: slices });
  await insertSlices(db, key, cutIdSpace(slices), at);
  return key;
}

export async function leaseSlice(
  db: Kysely<Database>,
  key: NotificationKey,
  now: Date,
): Promise<LeasedSlice> {
  const slice = await leaseNextSlice(db, key, now);
  if (slice === undefined) throw new Error('no slice to lease');
  return slice;
}

/** Runs one sweep. @returns the jobs that it queues, and the notifications that it resumes */
export async function sweepOnce(given: Pick<SweepContext, 'db' | 'clock'> & Partial<SweepContext>) {
  const jobs: Job[] = [];
  const resumed: NotificationKey[] = [];
  const queue = { add: async (added: readonly Job[]) => void jobs.push(...added) };
  const drain: SweepContext['drain'] = { run: async () => 'done', resume: (of) => void resumed.push(of) };
  await sweep({ queue, drain, observe: observeNothing, ...given });
  return { jobs, resumed };
}

type Given = Pick<DeliveryResources, 'db' | 'clock'> & Partial<Omit<DeliveryResources, 'gateways'>>;

/** @param options `gateways`: those for which the app has credentials now */
export function openTestDelivery({
  gateways,
  ...given
}: Given & { gateways: () => AppGateways }): DeliveryContext {
  return openDelivery({
    observe: observeNothing,
    random: () => 0,
    tokenKeys,
    unsaved: new UnsavedOutcomes(),
    ...given,
    gateways: { forApp: async () => gateways(), close: async () => undefined },
  });
}

/** The lock of a notification's row, held until it is released. */
export async function lockNotification(url: string, { notificationId }: NotificationKey) {
  const holder = new Client({ connectionString: url });
  await holder.connect();
  await holder.query('begin');
  await holder.query('select 1 from notifications where id = $1 for update', [notificationId]);
  return { release: async (): Promise<void> => holder.end() };
}
