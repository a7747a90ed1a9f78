/** Inserts rows as other parts of the program do, for tests that read or end a notification. */
import { createHash, randomUUID } from 'node:crypto';
import type { Insertable, Kysely } from 'kysely';
import type { Database, NotificationsTable } from '../../src/db/tables.ts';
import { type CreateDeps, createNotification, type CreateRequest } from '../../src/notifications/create.ts';
import type { CreatedNotification } from '../../src/notifications/look-up/notification-reply.ts';
import { observeNothing } from '../../src/observe.ts';
import { insertApp } from '../support/database.ts';

/** Creates a notification as a request does; nobody is woken. */
export async function create(
  db: Kysely<Database>,
  request: Omit<CreateRequest, 'requestId'> & { requestId?: string },
  deps: Partial<CreateDeps> & Pick<CreateDeps, 'clock'>,
): Promise<CreatedNotification> {
  const queue = { add: async () => undefined };
  const whole = { requestId: 'request-1', ...request };
  return createNotification(db, whole, { queue, observe: observeNothing, ...deps });
}

export async function countRows(
  db: Kysely<Database>,
  table: 'notifications' | 'audiences',
  appId: string,
): Promise<number> {
  const { rows } = await db
    .selectFrom(table)
    .select(({ fn }) => fn.countAll<number>().as('rows'))
    .where('app_id', '=', appId)
    .executeTakeFirstOrThrow();
  return rows;
}

export interface AppWithAudience {
  appId: string;
  bundleId: string;
  audienceId: string;
}

export async function insertAppWithAudience(db: Kysely<Database>): Promise<AppWithAudience> {
  const { id: appId, bundleId } = await insertApp(db);
  const audienceId = randomUUID();
  const now = new Date();
  await db
    .insertInto('audiences')
    .values({
      app_id: appId,
      id: audienceId,
      kind: 'named',
      name: 'Test audience',
      filters: '[]',
      fingerprint: createHash('sha256').update(audienceId).digest(),
      created_at: now,
      updated_at: now,
    })
    .execute();
  return { appId, bundleId, audienceId };
}

/** @returns the notification's id */
export async function insertNotification(
  db: Kysely<Database>,
  { appId, audienceId }: Pick<AppWithAudience, 'appId' | 'audienceId'>,
  values: Partial<Insertable<NotificationsTable>> = {},
): Promise<string> {
  const row = {
    app_id: appId,
    id: randomUUID(),
    audience_id: audienceId,
    body: '{"to":"*","payload":{"alert":"Hi"}}',
    state: 'scheduled' as const,
    created_at: new Date('2026-11-21T10:00:00.123Z'),
    due_at: new Date('2026-11-21T10:00:00.123Z'),
    request_id: 'request-1',
    ...values,
  };
  await db.insertInto('notifications').values(row).execute();
  return row.id;
}

/** @returns the device's id */
export async function insertDevice(db: Kysely<Database>, appId: string): Promise<string> {
  const id = randomUUID();
  const now = new Date();
  await db
    .insertInto('devices')
    .values({ app_id: appId, id, platform: 'iOS', created_at: now, registered_at: now })
    .execute();
  return id;
}
