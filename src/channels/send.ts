/**
 * Sends broadcasts to channels. Every worker looks for due ones once a second, after each attempt, and when a call in its
 * process has stored one. A broadcast is leased during an attempt, so a worker that dies only delays it.
 */
import type { Kysely } from 'kysely';
import { type Clock, watchClock } from '../clock.ts';
import { databaseError } from '../db/database-error.ts';
import { keepTrying } from '../db/outages/keep-trying.ts';
import type { Database } from '../db/tables.ts';
import type { Verdict } from '../gateways/gateway.ts';
import { retryDelayMs } from '../gateways/retry-delay.ts';
import type { Observe } from '../observe.ts';
import { startSweeps, type Sweeps } from '../scheduling/sweeps.ts';
import { compileBroadcast, unixSeconds } from './broadcast-body.ts';
import {
  type Attempted,
  bringBroadcastsForward,
  endUnsendable,
  recordAttempt,
  takeDueBroadcasts,
  type TakenBroadcast,
} from './broadcast-store.ts';
import type { ChannelGateways } from './channel-gateways.ts';

export interface SenderContext {
  db: Kysely<Database>;
  gateways: ChannelGateways;
  clock: Clock;
  observe: Observe;
  /** Returns 0 to 1, for the jitter of the backoff. */
  random: () => number;
}

const SWEEP_EVERY_MS = 1_000;
/**
 * An attempt without a result is repeated after this time, somewhat more than an attempt takes at most. Should it be in
 * progress after all, a device gets the same timestamp twice and shows it once.
 */
const LEASE_MS = 20_000;
const ATTEMPTS_AT_ONCE = 32;

/** Runs until closed. Call `wake` when a broadcast was stored. */
export function startChannelSender(context: SenderContext): Pick<Sweeps, 'wake' | 'close'> {
  const { db, clock, observe } = context;
  const wasPutBack = watchClock(clock, () => performance.now());
  const sweep = async (sweeps: Sweeps): Promise<void> => {
    if (wasPutBack()) await bringBroadcastsForward(db, leaseFrom(clock()));
    for (const ended of await endUnsendable(db, clock())) {
      observe({ kind: 'channel_broadcast', ...ended, reason: null });
    }
    while (!sweeps.isClosing && sweeps.running < ATTEMPTS_AT_ONCE) {
      const limit = ATTEMPTS_AT_ONCE - sweeps.running;
      const taken = await takeDueBroadcasts(db, { ...leaseFrom(clock()), limit });
      for (const broadcast of taken) sweeps.begin(async () => attemptOnce(context, broadcast));
      if (taken.length === 0) return;
    }
  };
  return startSweeps(SWEEP_EVERY_MS, sweep, (error) => observe(databaseError(error, 'channels')));
}

function leaseFrom(now: Date): { now: Date; until: Date } {
  return { now, until: new Date(now.getTime() + LEASE_MS) };
}

/** Sends a broadcast once and records the result. Never throws. */
async function attemptOnce(context: SenderContext, broadcast: TakenBroadcast): Promise<void> {
  const { db, clock, observe, random } = context;
  const { channelId, event, attempt } = broadcast;
  try {
    const verdict = await send(context, broadcast);
    const now = clock();
    const attempted = attemptedOf(verdict, broadcast, now, random);
    const state = await keepTrying(async () => recordAttempt(db, broadcast, attempted, now), {
      random,
      onFailure: (error) => observe(databaseError(error, 'channels')),
    });
    if (state === undefined) return;
    observe({ kind: 'channel_broadcast', channelId, event, attempt, state, reason: attempted.reason });
  } catch (error) {
    // Nothing is recorded; the broadcast is due again when its lease runs out.
    observe(databaseError(error, 'channels'));
  }
}

async function send({ gateways }: SenderContext, broadcast: TakenBroadcast): Promise<Verdict> {
  const { appId, environment, id, apnsChannelId, storage, event, aps, timestamp, expiresAt } = broadcast;
  const apple = await gateways.forApp(appId, environment);
  if (apple === undefined) return { kind: 'credentials_refused', reason: 'no_credentials' };
  return apple.broadcast({
    channelId: apnsChannelId,
    requestId: id,
    // Apple refuses another value where a channel keeps nothing.
    expiration: storage === 'none' ? 0 : unixSeconds(expiresAt),
    priority: broadcast.priority === 10 ? 10 : 5,
    body: compileBroadcast(aps, event, timestamp),
  });
}

/** Credentials may be replaced, so a broadcast that they were refused for waits like one that Apple has no time for. */
function attemptedOf(
  verdict: Verdict,
  { attempt, expiresAt }: TakenBroadcast,
  now: Date,
  random: () => number,
): Attempted {
  if (verdict.kind === 'accepted') return { state: 'sent', reason: null };
  const { reason } = verdict;
  if (verdict.kind === 'rejected' || verdict.kind === 'unregistered') return { state: 'rejected', reason };
  const askedMs = verdict.kind === 'retry' ? verdict.afterMs : null;
  const dueAt = new Date(now.getTime() + retryDelayMs('apns', attempt, askedMs, random));
  return dueAt < expiresAt ? { state: 'waiting', reason, dueAt } : { state: 'expired', reason };
}
