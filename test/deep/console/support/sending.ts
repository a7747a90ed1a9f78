/** Notifications as delivery leaves them, for screens; the worker of the test leaves them alone. */
import { randomUUID } from 'node:crypto';
import type { Insertable } from 'kysely';
import { systemClock } from '../../../../src/clock.ts';
import type { NotificationsTable } from '../../../../src/db/tables.ts';
import { everyoneAudience } from '../../../support/audiences.ts';
import type { ConsoleFixture } from './console.ts';

const HOUR_MS = 3_600_000;

type Fixture = Pick<ConsoleFixture, 'db' | 'app'>;

/**
 * One to all devices, sent unless `values` say otherwise.
 * @param options more keys of it
 * @returns its id
 */
export async function insertNotification(
  { db, app }: Fixture,
  payload: object,
  values: Partial<Insertable<NotificationsTable>> = {},
  options: object = {},
): Promise<string> {
  const { id: audienceId } = await everyoneAudience(db, app.id, systemClock);
  const createdAt = values.created_at ?? new Date();
  const row = {
    app_id: app.id,
    id: randomUUID(),
    audience_id: audienceId,
    body: JSON.stringify({ to: '*', payload, ...options }),
    state: 'sent' as const,
    created_at: createdAt,
    due_at: createdAt,
    request_id: 'request-1',
    ...values,
  };
  await db.insertInto('notifications').values(row).execute();
  return row.id;
}

/** One whose only slice another worker holds. @returns its id */
export async function insertSending(fixture: Fixture, payload: object, devices: number): Promise<string> {
  const sending = { state: 'sending', started_at: new Date(), devices, slices_left: 1 } as const;
  const id = await insertNotification(fixture, payload, sending);
  await fixture.db
    .insertInto('delivery_slices')
    .values({
      app_id: fixture.app.id,
      notification_id: id,
      number: 0,
      first_id: randomUUID(),
      last_id: randomUUID(),
      state: 'leased',
      not_before: new Date(),
      lease_until: new Date(Date.now() + HOUR_MS),
      outcomes: null,
      finished_at: null,
    })
    .execute();
  return id;
}

/** Pauses Google for the app, and lets all that is left of a notification wait for it. @returns what ends the pause */
export async function pauseGoogle(
  { db, app }: Fixture,
  id: string,
  why: string,
): Promise<() => Promise<void>> {
  await db
    .updateTable('notifications')
    .set({ reason: `Google is paused: ${why}` })
    .where('id', '=', id)
    .execute();
  const not_before = new Date(Date.now() + HOUR_MS);
  await db
    .updateTable('delivery_slices')
    .set({ state: 'waiting', not_before, waits_for: ['fcm'] })
    .where('notification_id', '=', id)
    .execute();
  const { version } = await db
    .selectFrom('gateway_credentials')
    .select('version')
    .where('app_id', '=', app.id)
    .where('gateway', '=', 'fcm')
    .executeTakeFirstOrThrow();
  const pause = { pause: 'tokens' as const, pause_reason: why, paused_at: new Date() };
  await db
    .insertInto('route_states')
    .values({
      app_id: app.id,
      route: 'fcm',
      version,
      proven_at: null,
      probe_at: null,
      unguarded_until: null,
      ...pause,
    })
    .onConflict((conflict) => conflict.columns(['app_id', 'route', 'version']).doUpdateSet(pause))
    .execute();
  return async () => {
    await db.deleteFrom('route_states').where('app_id', '=', app.id).execute();
  };
}
