/**
 * Sends the events of the outbox to the webhooks that wait for them. Every worker looks for what is due once a second
 * and after each attempt; the row of a delivery is leased meanwhile, so a worker that dies only makes it late
 * (docs/decisions/0006-webhook-outbox.md). An endpoint that hangs holds few of the places, so others have theirs.
 */
import { databaseError } from '../db/database-error.ts';
import { attemptOnce, type WebhookContext } from './attempt.ts';
import { deleteEnded, takeDue, type TakenDelivery } from './delivery-store.ts';
import { gatherDevices } from './gather.ts';

interface WebhookLimits {
  sweepEveryMs: number;
  /** For an attempt, from the resolving of the name to the head of the answer. */
  timeoutMs: number;
  /** After which an attempt of which nothing is heard is made again. Well above `timeoutMs`. */
  leaseMs: number;
  /** Attempts at once, in this process: of one webhook, and in all. */
  attemptsAWebhook: number;
  attempts: number;
}

const LIMITS: WebhookLimits = {
  sweepEveryMs: 1_000,
  timeoutMs: 10_000,
  leaseMs: 30_000,
  attemptsAWebhook: 8,
  attempts: 256,
};

/** How long what became of an event can be looked up. */
const KEEP_ENDED_MS = 7 * 24 * 60 * 60_000;
const DELETED_AT_ONCE = 1_000;

/** Runs until closed; `close()` waits for the attempts under way, which have a time limit. */
export function startWebhookWorker(
  context: WebhookContext,
  limits: Partial<WebhookLimits> = {},
): { close(): Promise<void> } {
  const { db, clock, observe } = context;
  const { sweepEveryMs, timeoutMs, leaseMs, attemptsAWebhook, attempts } = { ...LIMITS, ...limits };
  const busy = new Map<string, number>();
  const running = new Set<Promise<void>>();
  const closing = new AbortController();
  let sweeping: Promise<void> | undefined;
  let isWantedAgain = false;
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

  /** One of each webhook at a time, until nothing is due or every place is taken. */
  const takeAll = async (): Promise<void> => {
    while (!closing.signal.aborted && running.size < attempts) {
      const now = clock();
      const full = [...busy].filter(([, count]) => count >= attemptsAWebhook);
      const taken = await takeDue(db, {
        now,
        until: new Date(now.getTime() + leaseMs),
        except: full.map(([webhookId]) => webhookId),
        limit: attempts - running.size,
      });
      // Before more is taken, which it may make unnecessary.
      const gathered = await Promise.all(taken.map(async (delivery) => gatherDevices(db, delivery)));
      gathered.forEach(begin);
      if (taken.length === 0) return;
    }
  };

  const sweepUntilDone = async (): Promise<void> => {
    try {
      do {
        isWantedAgain = false;
        await takeAll();
      } while (isWantedAgain && !closing.signal.aborted);
    } catch (error) {
      observe(databaseError(error, 'webhooks'));
    }
    sweeping = undefined;
  };

  const sweep = (): void => {
    if (closing.signal.aborted) return;
    isWantedAgain = true;
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
