/**
 * Statements on broadcasts. Of each channel, at most one waits and one is being sent. Every change of their states first
 * locks the row of the channel, so that they never wait for each other in a circle.
 */
import { randomUUID } from 'node:crypto';
import { type Kysely, type Selectable, sql } from 'kysely';
import type { Database } from '../db/tables.ts';
import { stringifyJson } from '../json/lossless.ts';
import type { NewBroadcast } from './broadcast-body.ts';
import type { Environment } from './channel.ts';

/** A channel gets at most one broadcast in this time: so timestamps, which have seconds, rise with every broadcast. */
const SEND_EVERY_MS = 1_000;

export async function lockChannel(transaction: Kysely<Database>, appId: string, id: string) {
  return transaction
    .selectFrom('channels')
    .select(['state', 'last_timestamp', 'last_sent_at'])
    .where('app_id', '=', appId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
}

export const broadcastColumns = [
  'id',
  'event',
  'state',
  'priority',
  'timestamp',
  'created_at',
  'expires_at',
  'attempt',
  'reason',
  'ended_at',
] as const;
export type BroadcastRow = Pick<
  Selectable<Database['channel_broadcasts']>,
  (typeof broadcastColumns)[number]
>;

/**
 * Stores a broadcast; one that waits ends as replaced.
 * @param now read while the channel is locked: so of two calls at once, the one that is stored later is the newer one
 * @returns the broadcast. It was created after the one that it replaces, whatever the clocks of two hosts say
 */
export async function putBroadcast(
  transaction: Kysely<Database>,
  { appId, channelId, lastSentAt }: { appId: string; channelId: string; lastSentAt: Date | null },
  { event, aps, priority, timestamp, timeToLiveSeconds }: NewBroadcast,
  now: Date,
): Promise<BroadcastRow> {
  const replaced = await transaction
    .updateTable('channel_broadcasts')
    .set({ state: 'replaced', ended_at: now })
    .where('app_id', '=', appId)
    .where('channel_id', '=', channelId)
    .where('state', '=', 'waiting')
    .returning('created_at')
    .executeTakeFirst();
  const createdAt = new Date(Math.max(now.getTime(), (replaced?.created_at.getTime() ?? 0) + 1));
  // One that was sent in the future was sent before the clock was set back.
  const dueMs = Math.min(
    Math.max(now.getTime(), (lastSentAt?.getTime() ?? 0) + SEND_EVERY_MS),
    now.getTime() + SEND_EVERY_MS,
  );
  const row = await transaction
    .insertInto('channel_broadcasts')
    .values({
      app_id: appId,
      channel_id: channelId,
      id: randomUUID(),
      event,
      aps: stringifyJson(aps),
      priority,
      timestamp,
      created_at: createdAt,
      expires_at: new Date(createdAt.getTime() + timeToLiveSeconds * 1_000),
      due_at: new Date(dueMs),
    })
    .returning(broadcastColumns)
    .executeTakeFirstOrThrow();
  await transaction
    .updateTable('channels')
    .set({
      used_at: now,
      ...(event === 'end' && { state: 'ended', ended_at: now }),
      ...(timestamp !== null && { last_timestamp: timestamp }),
    })
    .where('app_id', '=', appId)
    .where('id', '=', channelId)
    .execute();
  return row;
}

export interface TakenBroadcast {
  appId: string;
  channelId: string;
  id: string;
  environment: Environment;
  apnsChannelId: string;
  storage: 'none' | 'latest';
  event: 'update' | 'end';
  aps: unknown;
  priority: number;
  timestamp: number;
  expiresAt: Date;
  attempt: number;
}

/**
 * Leases due broadcasts: those that wait, of channels of which none is being sent, and those whose attempt was lost. A
 * broadcast without a timestamp gets one that is later than all before.
 */
export async function takeDueBroadcasts(
  db: Kysely<Database>,
  { now, until, limit }: { now: Date; until: Date; limit: number },
): Promise<TakenBroadcast[]> {
  const { rows } = await sql<TakenBroadcast>`
    with due as (
      select broadcast.app_id, broadcast.channel_id, broadcast.id, broadcast.attempt, channel.environment,
        channel.apns_channel_id, channel.storage,
        coalesce(
          broadcast.timestamp,
          greatest(floor(extract(epoch from ${now}::timestamptz))::bigint, channel.last_timestamp + 1)
        ) as timestamp
      from channel_broadcasts as broadcast
      join channels as channel on channel.app_id = broadcast.app_id and channel.id = broadcast.channel_id
      where broadcast.state in ('waiting', 'sending') and broadcast.due_at <= ${now} and broadcast.expires_at > ${now}
        and channel.state <> 'deleting'
        and not exists (
          select from channel_broadcasts as other
          where other.app_id = broadcast.app_id and other.channel_id = broadcast.channel_id and other.id <> broadcast.id
            and other.state = case broadcast.state when 'waiting' then 'sending' else 'waiting' end
        )
      order by broadcast.due_at
      limit ${limit}
      for update of channel skip locked
    ), taken as (
      update channel_broadcasts as broadcast
      set state = 'sending', attempt = broadcast.attempt + 1, due_at = ${until}, timestamp = due.timestamp
      from due
      where broadcast.app_id = due.app_id and broadcast.channel_id = due.channel_id and broadcast.id = due.id
        and broadcast.attempt = due.attempt and broadcast.state in ('waiting', 'sending')
      returning broadcast.app_id as "appId", broadcast.channel_id as "channelId", broadcast.id, due.environment,
        due.apns_channel_id as "apnsChannelId", due.storage, broadcast.event, broadcast.aps, broadcast.priority,
        broadcast.timestamp, broadcast.expires_at as "expiresAt", broadcast.attempt
    ), marked as (
      update channels as channel
      set last_sent_at = ${now}, last_timestamp = greatest(channel.last_timestamp, taken.timestamp)
      from taken
      where channel.app_id = taken."appId" and channel.id = taken."channelId"
    )
    select * from taken`.execute(db);
  return rows;
}

/**
 * Ends broadcasts that need not be sent any more: those that have expired, and those whose attempt was lost while a newer
 * one waits.
 */
export async function endUnsendable(db: Kysely<Database>, now: Date) {
  const { rows } = await sql<{
    channelId: string;
    event: string;
    attempt: number;
    state: 'expired' | 'replaced';
  }>`
    with ending as (
      select broadcast.app_id, broadcast.channel_id, broadcast.id, broadcast.attempt,
        case when broadcast.expires_at <= ${now} then 'expired' else 'replaced' end as state
      from channel_broadcasts as broadcast
      join channels as channel on channel.app_id = broadcast.app_id and channel.id = broadcast.channel_id
      where broadcast.state in ('waiting', 'sending') and broadcast.due_at <= ${now} and (
        broadcast.expires_at <= ${now}
        or broadcast.state = 'sending' and exists (
          select from channel_broadcasts as newer
          where newer.app_id = broadcast.app_id and newer.channel_id = broadcast.channel_id and newer.state = 'waiting'
        )
      )
      for update of channel skip locked
    )
    update channel_broadcasts as broadcast set state = ending.state, ended_at = ${now}
    from ending
    where broadcast.app_id = ending.app_id and broadcast.channel_id = ending.channel_id and broadcast.id = ending.id
      and broadcast.attempt = ending.attempt and broadcast.state in ('waiting', 'sending')
    returning broadcast.channel_id as "channelId", broadcast.event, broadcast.attempt, broadcast.state`.execute(
    db,
  );
  return rows;
}

/**
 * Corrects times of a clock that has been set back: broadcasts that wait become due at once, and leases end as if taken now. A delay
 * that a gateway asked for is cut short, once.
 */
export async function bringBroadcastsForward(
  db: Kysely<Database>,
  { now, until }: { now: Date; until: Date },
): Promise<void> {
  for (const [state, dueAt] of [
    ['waiting', now],
    ['sending', until],
  ] as const) {
    await db
      .updateTable('channel_broadcasts')
      .set({ due_at: dueAt })
      .where('state', '=', state)
      .where('due_at', '>', dueAt)
      .execute();
  }
}

/** Makes attempts that a killed process has left due at once. Only for a database that no other process uses. */
export async function releaseBroadcasts(db: Kysely<Database>, now: Date): Promise<void> {
  await db.updateTable('channel_broadcasts').set({ due_at: now }).where('state', '=', 'sending').execute();
}

export type Attempted =
  | { state: 'sent' | 'rejected' | 'expired'; reason: string | null }
  | { state: 'waiting'; reason: string; dueAt: Date };

/**
 * Records an attempt, unless a later one has begun. If it has to be repeated and a newer broadcast waits, it ends as
 * replaced, and the newer one waits as long as it would have waited itself.
 * @returns the state that it has now; undefined if nothing was recorded
 */
export async function recordAttempt(
  db: Kysely<Database>,
  { appId, channelId, id, attempt }: Pick<TakenBroadcast, 'appId' | 'channelId' | 'id' | 'attempt'>,
  attempted: Attempted,
  now: Date,
): Promise<Attempted['state'] | 'replaced' | undefined> {
  return db.transaction().execute(async (transaction) => {
    await lockChannel(transaction, appId, channelId);
    const ofChannel = transaction
      .updateTable('channel_broadcasts')
      .where('app_id', '=', appId)
      .where('channel_id', '=', channelId);
    let { state }: { state: Attempted['state'] | 'replaced' } = attempted;
    if (attempted.state === 'waiting') {
      const delayed = await ofChannel
        .set({ due_at: sql<Date>`greatest(due_at, ${attempted.dueAt})` })
        .where('state', '=', 'waiting')
        .executeTakeFirst();
      if (delayed.numUpdatedRows > 0n) state = 'replaced';
    }
    const recorded = await ofChannel
      .set({
        state,
        reason: attempted.reason,
        ...(attempted.state === 'waiting' && state === 'waiting'
          ? { due_at: attempted.dueAt }
          : { ended_at: now }),
      })
      .where('id', '=', id)
      .where('state', '=', 'sending')
      .where('attempt', '=', attempt)
      .executeTakeFirst();
    return recorded.numUpdatedRows === 1n ? state : undefined;
  });
}

export async function deleteEndedBroadcasts(
  db: Kysely<Database>,
  before: Date,
  limit: number,
): Promise<number> {
  const result = await sql`
    delete from channel_broadcasts where ctid = any (array(
      select ctid from channel_broadcasts where ended_at < ${before} order by ended_at limit ${limit}
    ))`.execute(db);
  return Number(result.numAffectedRows ?? 0n);
}
