/**
 * Sends the events of the outbox. Every worker looks for due events once a second and after each attempt. An event is
 * leased during an attempt, so a worker that dies only delays it (docs/decisions/0006-webhook-outbox.md). The number of
 * concurrent attempts per webhook is limited, so that an endpoint that hangs does not delay the others.
 */
import { watchClock } from '../clock.ts';
import { databaseError } from '../db/database-error.ts';
import { SearchStart } from '../scheduling/search-start.ts';
import { attemptOnce, type WebhookContext } from './attempt.ts';
import { bringEventsForward, deleteEnded, takeDue, type TakenDelivery } from './delivery-store.ts';
import { gatherDevices } from './gather.ts';

interface WebhookLimits {
  sweepEveryMs: number;
  /** The time limit of an attempt, from resolving the name to the head of the response. */
  timeoutMs: number;
  /** An attempt without a recorded result is repeated after this time. Must be well above `timeoutMs`. */
  leaseMs: number;
  /** The most concurrent attempts in this process, per webhook and in all (`attempts`). */
  attemptsPerWebhook: number;
  attempts: number;
}

const LIMITS: WebhookLimits = {
  sweepEveryMs: 1_000,
  timeoutMs: 10_000,
  leaseMs: 30_000,
  attemptsPerWebhook: 8,
  attempts: 256,
};

/** How long finished deliveries can be looked up. */
const KEEP_ENDED_MS = 7 * 24 * 60 * 60_000;
const DELETED_AT_ONCE = 1_000;
/** From the time at which an event is due until it is usually seen: the transaction of its cause may take long. */
const LATE_MS = 2_000;

/** Runs until closed. `close()` waits for the running attempts, which have a time limit. */
export function startWebhookWorker(
  context: WebhookContext,
  limits: Partial<WebhookLimits> = {},
): { close(): Promise<void> } {
  const { db, clock, observe } = context;
  const { sweepEveryMs, timeoutMs, leaseMs, attemptsPerWebhook, attempts } = { ...LIMITS, ...limits };
  const busy = new Map<string, number>();
  const running = new Set<Promise<void>>();
  const closing = new AbortController();
  let sweeping: Promise<void> | undefined;
  let sweepAgain = false;
  let pruning: Promise<void> | undefined;

  const begin = (delivery: TakenDelivery): void => {
    const { webhookId } = delivery;
    busy.set(webhookId, (busy.get(webhookId) ?? 0) + 1);
    const attempt = attemptOnce(context, delivery, timeoutMs).finally(() => {
      const left = (busy.get(webhookId) ?? 1) - 1;
      if (left === 0) busy.delete(webhookId);
      else busy.set(webhookId, left);
      running.delete(attempt);
      sweep();
    });
    running.add(attempt);
  };

  const wasPutBack = watchClock(clock, () => performance.now());
  const leaseFrom = (now: Date): { now: Date; until: Date } => ({
    now,
    until: new Date(now.getTime() + leaseMs),
  });

  /** By the ids of webhooks that have had events. */
  const starts = new Map<string, SearchStart>();
  /** Takes the event that is due longest of each webhook that is not busy. */
  const takeOneOfEach = async (): Promise<TakenDelivery[]> => {
    const full = [...busy].filter(([, count]) => count >= attemptsPerWebhook).map(([webhookId]) => webhookId);
    const limit = attempts - running.size;
    const lease = leaseFrom(clock());
    const searched = [...starts].filter(([webhookId]) => !full.includes(webhookId));
    const from = new Map(searched.map(([webhookId, start]) => [webhookId, start.begin(lease.now)]));
    const taken = await takeDue(db, { ...lease, from, except: full, limit });
    const dueAt = new Map(taken.map((delivery) => [delivery.webhookId, delivery.dueAt]));
    for (const [webhookId, start] of searched) {
      // If there are as many as were asked for, others may have some too.
      if (dueAt.has(webhookId) || taken.length < limit) start.end(dueAt.get(webhookId) ?? lease.now);
    }
    for (const webhookId of dueAt.keys()) {
      if (!starts.has(webhookId)) starts.set(webhookId, new SearchStart(LATE_MS));
    }
    return taken;
  };

  /** An event that cannot be read is sent alone, and holds up no other. */
  const gather = async (delivery: TakenDelivery): Promise<TakenDelivery> => {
    try {
      return await gatherDevices(db, delivery);
    } catch (error) {
      observe(databaseError(error, 'webhooks'));
      return delivery;
    }
  };

  /** Takes one event per webhook at a time, until nothing is due or the limit is reached. */
  const takeAll = async (): Promise<void> => {
    if (wasPutBack()) await bringEventsForward(db, leaseFrom(clock()));
    while (!closing.signal.aborted && running.size < attempts) {
      const taken = await takeOneOfEach();
      // Gather before more events are taken, because gathering may delete them.
      const gathered = await Promise.all(taken.map(gather));
      gathered.forEach(begin);
      if (taken.length === 0) return;
    }
  };

  const sweepUntilDone = async (): Promise<void> => {
    try {
      do {
        sweepAgain = false;
        await takeAll();
      } while (sweepAgain && !closing.signal.aborted);
    } catch (error) {
      observe(databaseError(error, 'webhooks'));
    }
    sweeping = undefined;
  };

  const sweep = (): void => {
    if (closing.signal.aborted) return;
    sweepAgain = true;
    sweeping ??= sweepUntilDone();
  };

  const prune = async (): Promise<void> => {
    const before = new Date(clock().getTime() - KEEP_ENDED_MS);
    try {
      await deleteEnded(db, before, DELETED_AT_ONCE);
    } catch (error) {
      observe(databaseError(error, 'webhooks'));
    }
  };

  const timer = setInterval(() => {
    sweep();
    pruning ??= prune().finally(() => (pruning = undefined));
  }, sweepEveryMs);
  sweep();
  return {
    async close() {
      closing.abort();
      clearInterval(timer);
      await sweeping;
      await Promise.all([...running, pruning]);
    },
  };
}
