/** Statements on channels, on unanswered requests to create one, and on comparisons with Apple's list. */
import { randomUUID } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { ApiError } from '../api/errors.ts';
import type { Database } from '../db/tables.ts';
import { isUuid } from '../uuid.ts';
import { type ChannelRow, channelColumns, type Environment } from './channel.ts';

export interface AppEnvironment {
  appId: string;
  environment: Environment;
}

export function channelsOf(db: Kysely<Database>, appId: string) {
  return db.selectFrom('channels').select(channelColumns).where('app_id', '=', appId);
}

/** @throws {ApiError} `not_found` */
export async function readChannelRow(db: Kysely<Database>, appId: string, id: string): Promise<ChannelRow> {
  const row = isUuid(id) ? await channelsOf(db, appId).where('id', '=', id).executeTakeFirst() : undefined;
  if (row === undefined) throw noSuchChannel();
  return row;
}

export function noSuchChannel(): ApiError {
  return new ApiError('not_found', { message: 'There is no such channel.' });
}

/** @returns undefined if a channel with this key, or with this id at Apple, exists */
export async function insertChannel(
  db: Kysely<Database>,
  appId: string,
  facts: Pick<ChannelRow, 'key' | 'environment' | 'storage' | 'apns_channel_id'>,
  now: Date,
): Promise<ChannelRow | undefined> {
  return db
    .insertInto('channels')
    .values({ app_id: appId, id: randomUUID(), state: 'open', created_at: now, used_at: now, ...facts })
    .onConflict((conflict) => conflict.doNothing())
    .returning(channelColumns)
    .executeTakeFirst();
}

export async function markUsed(db: Kysely<Database>, appId: string, id: string, now: Date): Promise<void> {
  await db
    .updateTable('channels')
    .set({ used_at: now })
    .where('app_id', '=', appId)
    .where('id', '=', id)
    .execute();
}

/** Sets the state `deleting`, or restores the state before it. @returns the channel; undefined if it does not exist */
export async function setDeleting(
  db: Kysely<Database>,
  appId: string,
  id: string,
  isDeleting: boolean,
): Promise<ChannelRow | undefined> {
  const before = sql<'open' | 'ended'>`case when ended_at is null then 'open' else 'ended' end`;
  return db
    .updateTable('channels')
    .set({ state: isDeleting ? 'deleting' : before })
    .where('app_id', '=', appId)
    .where('id', '=', id)
    .returning(channelColumns)
    .executeTakeFirst();
}

/** Removes a channel that Apple has deleted, with its broadcasts. */
export async function removeChannel(db: Kysely<Database>, appId: string, id: string): Promise<void> {
  await db
    .deleteFrom('channels')
    .where('app_id', '=', appId)
    .where('id', '=', id)
    .where('state', '=', 'deleting')
    .execute();
}

/** @returns the id of the attempt */
export async function beginAttempt(
  db: Kysely<Database>,
  { appId, environment }: AppEnvironment,
  now: Date,
): Promise<string> {
  const id = randomUUID();
  await db.insertInto('channel_attempts').values({ app_id: appId, id, environment, begun_at: now }).execute();
  return id;
}

/** @returns whether the attempt was still stored */
export async function endAttempt(db: Kysely<Database>, appId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('channel_attempts')
    .where('app_id', '=', appId)
    .where('id', '=', id)
    .executeTakeFirst();
  return numDeletedRows === 1n;
}

/** Reads what is known about an app in an environment, in one snapshot. */
export async function readKnown(db: Kysely<Database>, app: AppEnvironment) {
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (transaction) => {
      const channels = await transaction
        .selectFrom('channels')
        .select('apns_channel_id')
        .where('app_id', '=', app.appId)
        .where('environment', '=', app.environment)
        .execute();
      const attempts = await transaction
        .selectFrom('channel_attempts')
        .select(['id', 'begun_at'])
        .where('app_id', '=', app.appId)
        .where('environment', '=', app.environment)
        .execute();
      return { channels, attempts, look: await readLook(transaction, app) };
    });
}

export async function readLook(db: Kysely<Database>, { appId, environment }: AppEnvironment) {
  return db
    .selectFrom('channel_looks')
    .select(['looked_at', 'others_since'])
    .where('app_id', '=', appId)
    .where('environment', '=', environment)
    .executeTakeFirst();
}

/** Stores that Apple's list was read. Channels of other programs, once found, are never forgotten. */
export async function storeLook(
  db: Kysely<Database>,
  { appId, environment }: AppEnvironment,
  { now, hasOthers }: { now: Date; hasOthers: boolean },
): Promise<void> {
  await sql`
    insert into channel_looks as look (app_id, environment, looked_at, others_since)
    values (${appId}, ${environment}, ${now}, ${hasOthers ? now : null})
    on conflict (app_id, environment) do update set
      looked_at = greatest(look.looked_at, excluded.looked_at),
      others_since = coalesce(look.others_since, excluded.others_since)`.execute(db);
}

/** Removes attempts whose result the list has shown. */
export async function dropAttempts(
  db: Kysely<Database>,
  appId: string,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  await db.deleteFrom('channel_attempts').where('app_id', '=', appId).where('id', 'in', ids).execute();
}

/** Reads the environments with requests that Apple has not answered. */
export async function unansweredEnvironments(db: Kysely<Database>, before: Date): Promise<AppEnvironment[]> {
  return db
    .selectFrom('channel_attempts')
    .select(['app_id as appId', 'environment'])
    .distinct()
    .where('begun_at', '<=', before)
    .execute();
}

/** A channel in state `deleting`. */
export interface MarkedChannel extends AppEnvironment {
  id: string;
  key: string;
  apnsChannelId: string;
}

/** Marks channels as `deleting` that ended or were last used before these times and have nothing to send. */
export async function markUnneeded(
  db: Kysely<Database>,
  { endedBefore, usedBefore }: { endedBefore: Date | null; usedBefore: Date | null },
): Promise<MarkedChannel[]> {
  const { rows } = await sql<MarkedChannel>`
    update channels as channel set state = 'deleting'
    where (
        (state = 'ended' and ended_at < ${endedBefore}::timestamptz)
        or (state = 'open' and used_at < ${usedBefore}::timestamptz)
      )
      and not exists (
        select from channel_broadcasts as broadcast
        where broadcast.app_id = channel.app_id and broadcast.channel_id = channel.id
          and broadcast.state in ('waiting', 'sending'))
    returning channel.app_id as "appId", channel.id, channel.key, channel.environment,
      channel.apns_channel_id as "apnsChannelId"`.execute(db);
  return rows;
}

/**
 * Reads channels that Apple has not deleted yet, in any order, so that an app whose requests Apple refuses does not
 * delay the others.
 */
export async function readDeleting(
  db: Kysely<Database>,
  limit: number,
): Promise<Omit<MarkedChannel, 'key'>[]> {
  return db
    .selectFrom('channels')
    .select(['app_id as appId', 'environment', 'id', 'apns_channel_id as apnsChannelId'])
    .where('state', '=', 'deleting')
    .orderBy(sql`random()`)
    .limit(limit)
    .execute();
}
