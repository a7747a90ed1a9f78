/**
 * Sends the events of the outbox. Every worker looks for due events once a second and after each attempt. An event is
 * leased during an attempt, so a worker that dies only delays it (docs/decisions/0006-webhook-outbox.md). The number of
 * concurrent attempts per webhook is limited, so that an endpoint that hangs does not delay the others.
 */
import { watchClock } from '../clock.ts';
import { databaseError } from '../db/database-error.ts';
import { startPeriodically } from '../scheduling/periodically.ts';
import { SearchStart } from '../scheduling/search-start.ts';
import { startSweeps, type Sweeps } from '../scheduling/sweeps.ts';
import { attemptOnce, type WebhookContext } from './attempt.ts';
import { bringEventsForward, deleteEnded, takeDue, type TakenDelivery } from './delivery-store.ts';
import { gatherDevices } from './gather.ts';

const LIMITS = {
  sweepEveryMs: 1_000,
  /** The time limit of an attempt, from resolving the name to the head of the response. */
  timeoutMs: 10_000,
  /** An attempt without a recorded result is repeated after this time. Must be well above `timeoutMs`. */
  leaseMs: 30_000,
  /** The most concurrent attempts in this process, per webhook and in all (`attempts`). */
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
  limits: Partial<typeof LIMITS> = {},
): { close(): Promise<void> } {
  const { db, clock, observe } = context;
  const { sweepEveryMs, timeoutMs, leaseMs, attemptsPerWebhook, attempts } = { ...LIMITS, ...limits };
  const busy = new Map<string, number>();

  const attempt = async (delivery: TakenDelivery): Promise<void> => {
    const { webhookId } = delivery;
    busy.set(webhookId, (busy.get(webhookId) ?? 0) + 1);
    try {
      await attemptOnce(context, delivery, timeoutMs);
    } finally {
      const left = (busy.get(webhookId) ?? 1) - 1;
      if (left === 0) busy.delete(webhookId);
      else busy.set(webhookId, left);
    }
  };

  const wasPutBack = watchClock(clock, () => performance.now());
  const leaseFrom = (now: Date): { now: Date; until: Date } => ({
    now,
    until: new Date(now.getTime() + leaseMs),
  });

  const starts = new Map<string, SearchStart>();
  /** Takes the event that is due longest of each webhook that is not busy. */
  const takeOneOfEach = async (limit: number): Promise<TakenDelivery[]> => {
    const full = [...busy].filter(([, count]) => count >= attemptsPerWebhook).map(([webhookId]) => webhookId);
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

  const report = (error: unknown): void => observe(databaseError(error, 'webhooks'));
  /** An event that cannot be read is sent alone, and holds up no other. */
  const gather = async (delivery: TakenDelivery): Promise<TakenDelivery> =>
    gatherDevices(db, delivery).catch((error: unknown) => {
      report(error);
      return delivery;
    });

  /** Takes one event per webhook at a time, until nothing is due or the limit is reached. */
  const sweep = async (sweeps: Sweeps): Promise<void> => {
    if (wasPutBack()) await bringEventsForward(db, leaseFrom(clock()));
    while (!sweeps.isClosing && sweeps.running < attempts) {
      const taken = await takeOneOfEach(attempts - sweeps.running);
      // Gather before more events are taken, because gathering may delete them.
      const gathered = await Promise.all(taken.map(gather));
      for (const delivery of gathered) sweeps.begin(async () => attempt(delivery));
      if (taken.length === 0) return;
    }
  };

  const prune = async (): Promise<void> => {
    const before = new Date(clock().getTime() - KEEP_ENDED_MS);
    await deleteEnded(db, before, DELETED_AT_ONCE).catch(report);
  };

  const sweeps = startSweeps(sweepEveryMs, sweep, report);
  const pruning = startPeriodically(sweepEveryMs, prune);
  return {
    async close() {
      await Promise.all([sweeps.close(), pruning.close()]);
    },
  };
}
