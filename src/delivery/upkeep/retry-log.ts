/** Reports why pushes are retried, at most once per minute for each gateway: thousands may be, for the same reason. */
import type { Clock } from '../../clock.ts';
import type { Observation, Observe } from '../../observe.ts';

const EVERY_MS = 60_000;
/** Reasons beyond these count as `other`, because a gateway may give any word. */
const REASONS_MAX = 10;

/** The retries on a gateway since its last report. */
interface Retries {
  reportedAtMs: number;
  reasons: Map<string, number>;
}

/**
 * The first retry is reported at once. Retries within the next minute are reported with the first one after it.
 * @param options.observe receives `pushes_retried`
 * @returns an observer of `push_retried`
 */
export function openRetryLog({ observe, clock }: { observe: Observe; clock: Clock }): Observe {
  const byGateway = new Map<string, Retries>();

  return (observation: Observation) => {
    if (observation.kind !== 'push_retried') return;
    const { gateway, reason } = observation;
    const retries = byGateway.get(gateway) ?? { reportedAtMs: -Infinity, reasons: new Map<string, number>() };
    byGateway.set(gateway, retries);
    const { reasons } = retries;
    const word = reasons.has(reason) || reasons.size < REASONS_MAX ? reason : 'other';
    reasons.set(word, (reasons.get(word) ?? 0) + 1);
    const nowMs = clock().getTime();
    if (Math.abs(nowMs - retries.reportedAtMs) < EVERY_MS) return;
    const pushes = [...reasons.values()].reduce((sum, count) => sum + count, 0);
    observe({ kind: 'pushes_retried', gateway, pushes, reasons: Object.fromEntries(reasons) });
    byGateway.set(gateway, { reportedAtMs: nowMs, reasons: new Map() });
  };
}
