/**
 * Compares Apple's list of channels with ours. A channel at Apple that we do not know was created by another program, or by
 * a request of ours that was interrupted before its answer was stored. Apple keeps no name and no creator of a channel, so
 * only counting tells them apart (docs/decisions/0034-apns-channels.md).
 */
import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/tables.ts';
import type { ApnsChannels, ManagementFailure } from '../gateways/apns/channels-at-apple.ts';
import type { Observe } from '../observe.ts';
import { count } from '../api/reply.ts';
import type { ChannelGateways } from './channel-gateways.ts';
import { type AppEnvironment, dropAttempts, readKnown, readLook, storeLook } from './channel-store.ts';
import { channelReply, environment } from './channel.ts';
import { failureError, observed, requireApple } from './failure.ts';

/**
 * After this time, a request to create a channel has ended in some way, and Apple's list contains its channel if it has
 * one.
 */
export const ATTEMPT_OVER_MS = 5 * 60_000;
/** A new channel is created only if the list was read within this time. */
const LOOK_AGE_MAX_MS = 10 * 60_000;
const SHOWN_MAX = 100;

/**
 * - `others`: some channels belong to other programs, or once did; none is deleted.
 * - `undecided`: requests to create channels are in flight.
 * - `ours`: all were created by interrupted requests of ours.
 */
type Unknown = { verdict: 'others' | 'undecided' | 'ours'; ids: string[]; over: string[] };

interface Deps {
  db: Kysely<Database>;
  clock: Clock;
  observe: Observe;
}

/** @returns Apple's failure, if it did not return its list */
export async function lookAtApple(
  { db, clock, observe }: Deps,
  app: AppEnvironment,
  apple: ApnsChannels,
): Promise<Unknown | ManagementFailure> {
  const listed = await observed('list', apple.list(), observe);
  if (listed.kind !== 'done') return listed;
  // Read after the list: by now, every channel in the list is stored, or at least its attempt.
  const known = await readKnown(db, app);
  const now = clock();
  const unknown = judgeUnknown(listed.result, known, now);
  await storeLook(db, app, { now, hasOthers: unknown.verdict === 'others' });
  // Nothing more can be learnt about these requests: they left no channel, or their channel may be another program's.
  if (unknown.verdict === 'others' || unknown.ids.length === 0)
    await dropAttempts(db, app.appId, unknown.over);
  return unknown;
}

function judgeUnknown(
  listed: readonly string[],
  { channels, attempts, look }: Awaited<ReturnType<typeof readKnown>>,
  now: Date,
): Unknown {
  const ours = new Set(channels.map((channel) => channel.apns_channel_id));
  const ids = listed.filter((id) => !ours.has(id));
  const over = attempts
    .filter((attempt) => now.getTime() - attempt.begun_at.getTime() >= ATTEMPT_OVER_MS)
    .map(({ id }) => id);
  if ((look?.others_since ?? null) !== null || ids.length > attempts.length)
    return { verdict: 'others', ids, over };
  const isInFlight = attempts.length > over.length;
  return { verdict: isInFlight && ids.length > 0 ? 'undecided' : 'ours', ids, over };
}

/**
 * Reads Apple's list unless that was done recently, so that channels of other programs are known before ours is
 * created.
 */
export async function lookBeforeCreating(
  deps: Deps,
  app: AppEnvironment,
  apple: ApnsChannels,
): Promise<ManagementFailure | undefined> {
  const look = await readLook(deps.db, app);
  if (look !== undefined && deps.clock().getTime() - look.looked_at.getTime() < LOOK_AGE_MAX_MS)
    return undefined;
  const result = await lookAtApple(deps, app, apple);
  return 'kind' in result ? result : undefined;
}

export const compareQuery = z.object({
  environment: environment.default('production').describe('Apple’s environment.'),
});

export const comparisonReply = z
  .strictObject({
    at_apple: count.describe('Channels that Apple has.'),
    here: count.describe('Channels that Carillon has.'),
    missing: z
      .array(channelReply.pick({ id: true, key: true, apns_channel_id: true }).meta({ id: 'MissingChannel' }))
      .describe(`Channels of Carillon that Apple does not have; at most ${SHOWN_MAX}.`),
    unknown: z
      .array(z.string())
      .describe(`Ids of channels at Apple that Carillon does not have; at most ${SHOWN_MAX}.`),
  })
  .meta({ id: 'ChannelComparison' });

/** Asks Apple now. @throws {ApiError} `gateway_refused`, `unavailable` */
export async function compareChannels(
  { db, gateways, observe }: Omit<Deps, 'clock'> & { gateways: ChannelGateways | undefined },
  app: AppEnvironment,
): Promise<z.output<typeof comparisonReply>> {
  const apple = await requireApple(gateways, app);
  const listed = await observed('list', apple.list(), observe);
  if (listed.kind !== 'done') throw failureError(listed);
  const rows = await db
    .selectFrom('channels')
    .select(['id', 'key', 'apns_channel_id'])
    .where('app_id', '=', app.appId)
    .where('environment', '=', app.environment)
    .orderBy('created_at', 'desc')
    .execute();
  const atApple = new Set(listed.result);
  const here = new Set(rows.map((row) => row.apns_channel_id));
  return {
    at_apple: atApple.size,
    here: here.size,
    missing: rows.filter((row) => !atApple.has(row.apns_channel_id)).slice(0, SHOWN_MAX),
    unknown: [...atApple].filter((id) => !here.has(id)).slice(0, SHOWN_MAX),
  };
}
