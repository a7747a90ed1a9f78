/**
 * The garbage collector of channels, a periodic job: deletes channels that have ended, were not used for long, or were
 * left at Apple by an interrupted request.
 */
import type { Kysely } from 'kysely';
import { server } from '../audit/author.ts';
import { recordChange } from '../audit/record.ts';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/tables.ts';
import type { ApnsChannels, Managed } from '../gateways/apns/channels-at-apple.ts';
import type { Observe } from '../observe.ts';
import { pause, type PeriodicJob } from '../scheduling/periodically.ts';
import { deleteEndedBroadcasts } from './broadcast-store.ts';
import type { ChannelGateways } from './channel-gateways.ts';
import {
  dropAttempts,
  markUnneeded,
  readDeleting,
  removeChannel,
  unansweredEnvironments,
} from './channel-store.ts';
import { ATTEMPT_OVER_MS, lookAtApple } from './compare.ts';
import { channelDeleted } from './delete.ts';
import { observed } from './failure.ts';

export interface CollectorOptions {
  db: Kysely<Database>;
  gateways: ChannelGateways;
  clock: Clock;
  observe: Observe;
  /** Hours after the `end` of a channel; 0: ended channels stay. */
  keepEndedHours: number;
  /** Days since it was last used; 0: unused channels stay. */
  keepUnusedDays: number;
  /** Milliseconds between two requests to Apple. */
  pauseMs?: number;
}

const EVERY_MS = 60_000;
/** At most five requests per second. */
const PAUSE_MS = 200;
/** Small enough to fit, with the pauses, into the time of a run. */
const DELETED_AT_ONCE = 200;
const KEEP_BROADCASTS_MS = 7 * 24 * 3_600_000;
const BROADCASTS_AT_ONCE = 1_000;
const HOUR_MS = 3_600_000;

export function collectChannelsJob(options: CollectorOptions): PeriodicJob {
  return {
    name: 'collect-channels',
    everyMs: EVERY_MS,
    run: async (stop) => collectChannels(options, stop),
  };
}

export async function collectChannels(options: CollectorOptions, stop: AbortSignal): Promise<void> {
  const { db, clock, observe, keepEndedHours, keepUnusedDays } = options;
  const ago = (ms: number): Date => new Date(clock().getTime() - ms);
  await db.transaction().execute(async (transaction) => {
    const marked = await markUnneeded(transaction, {
      endedBefore: keepEndedHours === 0 ? null : ago(keepEndedHours * HOUR_MS),
      usedBefore: keepUnusedDays === 0 ? null : ago(keepUnusedDays * 24 * HOUR_MS),
    });
    for (const channel of marked) await recordChange(transaction, server, channelDeleted(channel), clock);
  });
  const unneeded = await deleteMarked(options, stop);
  const leftOver = await deleteLeftOver(options, stop);
  if (unneeded + leftOver > 0) observe({ kind: 'channels_collected', unneeded, leftOver });
  await deleteEndedBroadcasts(db, ago(KEEP_BROADCASTS_MS), BROADCASTS_AT_ONCE);
}

async function deleteMarked(options: CollectorOptions, stop: AbortSignal): Promise<number> {
  const { db, gateways } = options;
  let deleted = 0;
  /** Apps for which a request has failed; the other apps continue. */
  const failed = new Set<string>();
  for (const { appId, environment, id, apnsChannelId } of await readDeleting(db, DELETED_AT_ONCE)) {
    if (stop.aborted) break;
    const name = `${appId} ${environment}`;
    const apple = failed.has(name) ? undefined : await gateways.forApp(appId, environment);
    if (apple !== undefined && (await deleteAtApple(options, apple, apnsChannelId, stop)).kind === 'done') {
      await removeChannel(db, appId, id);
      deleted += 1;
    } else {
      failed.add(name);
    }
  }
  return deleted;
}

async function deleteLeftOver(options: CollectorOptions, stop: AbortSignal): Promise<number> {
  const { db, gateways, clock, pauseMs = PAUSE_MS } = options;
  let deleted = 0;
  const apps = await unansweredEnvironments(db, new Date(clock().getTime() - ATTEMPT_OVER_MS));
  for (const app of apps) {
    if (stop.aborted) break;
    const apple = await gateways.forApp(app.appId, app.environment);
    if (apple === undefined) continue;
    const unknown = await lookAtApple(options, app, apple);
    await pause(pauseMs, stop);
    if ('kind' in unknown || unknown.verdict !== 'ours') continue;
    let done = 0;
    for (const id of unknown.ids) {
      if (stop.aborted || (await deleteAtApple(options, apple, id, stop)).kind !== 'done') break;
      done += 1;
    }
    deleted += done;
    if (done === unknown.ids.length) await dropAttempts(db, app.appId, unknown.over);
  }
  return deleted;
}

async function deleteAtApple(
  { observe, pauseMs = PAUSE_MS }: CollectorOptions,
  apple: ApnsChannels,
  apnsChannelId: string,
  stop: AbortSignal,
): Promise<Managed<null>> {
  const deleted = await observed('delete', apple.delete(apnsChannelId), observe);
  await pause(pauseMs, stop);
  return deleted;
}
