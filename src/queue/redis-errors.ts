/**
 * Errors of the connections of one queue, without the password. While Redis cannot be used there is one outage, logged
 * when it begins and when it is over; any other answer of Redis is logged once.
 */
import type { Clock } from '../clock.ts';
import type { Observe } from '../observe.ts';
import { openOutage } from '../scheduling/outage.ts';
import { withoutPasswords } from './redis-address.ts';
import type { RedisErrors } from './redis.ts';

/** Redis is away. It is in the log already. */
export class RedisAway extends Error {
  override readonly name = 'RedisAway';

  /** @param message the message of the first error, without the password */
  constructor(message: string) {
    super(`Redis is not available: ${message}`);
  }
}

export interface RedisOutage extends RedisErrors {
  readonly isAway: boolean;
  /** For the error of any command. */
  report: (error: unknown) => void;
  /** @throws {RedisAway} */
  refuseIfAway: () => void;
  close: () => void;
}

export interface RedisErrorsOptions {
  redisUrl: string;
  /** Resolves if Redis takes jobs again, otherwise rejects; limits its own time. */
  probe: () => Promise<unknown>;
  clock: Clock;
  observe: Observe;
}

const PROBE_EVERY_MS = 1_000;
/** Answers to any write while Redis is full, read-only or loading, or while its cluster is incomplete. */
const REFUSAL = /^(OOM|READONLY|MISCONF|LOADING|MASTERDOWN|CLUSTERDOWN|NOREPLICAS)\b/;

export function openRedisErrors({ redisUrl, probe, clock, observe }: RedisErrorsOptions): RedisOutage {
  const logged = new Set<string>();
  const outage = openOutage({
    probe,
    probeEveryMs: PROBE_EVERY_MS,
    clock,
    onOver: (over) => {
      logged.clear();
      observe({ kind: 'queue_back', ...over });
    },
  });

  const explain = (error: unknown): string =>
    withoutPasswords(redisUrl, error instanceof Error ? error.message : String(error));
  const reportAway = (error: unknown): void => {
    const message = explain(error);
    if (outage.report(message)) observe({ kind: 'queue_away', message });
  };
  return {
    explain,
    reportAway,
    report: (error) => {
      if (error instanceof RedisAway) return;
      if (!isAnswer(error) || outage.isOn) return reportAway(error);
      const message = explain(error);
      if (logged.has(message)) return undefined;
      logged.add(message);
      return observe({ kind: 'queue_error', message });
    },
    connected: () => {
      if (!outage.isOn) logged.clear();
    },
    get isAway() {
      return outage.isOn;
    },
    refuseIfAway: () => {
      if (outage.isOn) throw new RedisAway(outage.message);
    },
    close: () => outage.close(),
  };
}

/** Whether Redis has answered and does not refuse all writes. */
function isAnswer(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === 'ReplyError') return !REFUSAL.test(error.message);
  return error instanceof UnreadableJob;
}

/** Redis holds something else where a job should be. */
export class UnreadableJob extends Error {}
