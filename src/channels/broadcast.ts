/** Stores a broadcast to a channel, to be sent by a worker, and shows broadcasts. */
import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/tables.ts';
import { ApiError, invalidRequest } from '../api/errors.ts';
import { explainReason } from '../gateways/explain-reason.ts';
import { count, idText, timeText } from '../api/reply.ts';
import { isUuid } from '../uuid.ts';
import { type NewBroadcast, unixSeconds } from './broadcast-body.ts';
import { broadcastColumns, type BroadcastRow, lockChannel, putBroadcast } from './broadcast-store.ts';
import { noSuchChannel } from './channel-store.ts';

const SHOWN = 20;
/** The clocks of callers may be ahead by this much. */
const AHEAD_SECONDS_MAX = 60;

export const broadcastReply = z
  .strictObject({
    id: idText.describe('Also the `apns-request-id` that Apple gets.'),
    event: z.enum(['update', 'end']),
    state: z
      .enum(['waiting', 'sending', 'sent', 'replaced', 'rejected', 'expired'])
      .describe(
        '`replaced`: a newer one came before it was sent. `rejected`: Apple refused it, see `reason`.',
      ),
    priority: z.enum(['high', 'normal']),
    timestamp: timeText
      .nullable()
      .describe('The time that devices compare; null until it is sent, unless it was given.'),
    created_at: timeText,
    expires_at: timeText,
    attempts: count,
    reason: z.string().nullable().describe('Why the last attempt failed, as a code of Apple’s or ours.'),
    explanation: z.string().nullable(),
    ended_at: timeText.nullable(),
  })
  .meta({ id: 'Broadcast' });

type BroadcastJson = z.output<typeof broadcastReply>;

/**
 * Stores the broadcast; one of the same channel that waits ends as replaced.
 * @throws {ApiError} `not_found`, `channel_not_open`, `broadcast_outdated`, `invalid_request`
 */
export async function createBroadcast(
  db: Kysely<Database>,
  appId: string,
  channelId: string,
  broadcast: NewBroadcast,
  clock: Clock,
): Promise<BroadcastJson> {
  if (!isUuid(channelId)) throw noSuchChannel();
  const { timestamp } = broadcast;
  if (timestamp !== null && timestamp > unixSeconds(clock()) + AHEAD_SECONDS_MAX) {
    throw invalidRequest([{ path: 'broadcast.timestamp', message: 'must not be in the future' }]);
  }
  return db.transaction().execute(async (transaction) => {
    const channel = await lockChannel(transaction, appId, channelId);
    if (channel === undefined) throw noSuchChannel();
    const { state, last_timestamp: lastTimestamp, last_sent_at: lastSentAt } = channel;
    if (state === 'deleting' || (state === 'ended' && broadcast.event === 'update')) {
      throw new ApiError('channel_not_open');
    }
    if (timestamp !== null && timestamp <= lastTimestamp) throw new ApiError('broadcast_outdated');
    const place = { appId, channelId, lastSentAt };
    return broadcastJson(await putBroadcast(transaction, place, broadcast, clock()));
  });
}

/** The newest first, at most 20. */
export async function readBroadcasts(
  db: Kysely<Database>,
  appId: string,
  channelId: string,
): Promise<BroadcastJson[]> {
  const rows = await db
    .selectFrom('channel_broadcasts')
    .select(broadcastColumns)
    .where('app_id', '=', appId)
    .where('channel_id', '=', channelId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(SHOWN)
    .execute();
  return rows.map(broadcastJson);
}

function broadcastJson({ attempt, reason, ended_at: endedAt, ...row }: BroadcastRow): BroadcastJson {
  const { timestamp } = row;
  return {
    ...row,
    priority: row.priority === 10 ? 'high' : 'normal',
    timestamp: timestamp === null ? null : new Date(timestamp * 1_000).toISOString(),
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
    attempts: attempt,
    reason,
    explanation: reason === null ? null : explainReason('rejected', reason),
    ended_at: endedAt?.toISOString() ?? null,
  };
}
