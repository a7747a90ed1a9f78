/**
 * What the connections of one queue tell of their errors, without the password. A Redis that cannot be asked is an
 * outage, told when it begins and when it is over; what Redis answers otherwise is told once.
 */
import type { Clock } from '../clock.ts';
import type { Observe } from '../observe.ts';
import { openOutage } from '../outage.ts';
import type { RedisErrors } from './redis.ts';

/** Redis cannot be asked. The log has told of it already. */
export class RedisAway extends Error {
  override readonly name = 'RedisAway';

  /** @param message what was met, without the password */
  constructor(message: string) {
    super(`Redis cannot be asked: ${message}`);
  }
}

export interface RedisOutage extends RedisErrors {
  readonly isAway: boolean;
  /** Of a command that waited for Redis, or of a bell. */
  report: (error: unknown) => void;
  /** @throws {RedisAway} */
  refuseIfAway: () => void;
  close: () => void;
}

export interface RedisErrorsOptions {
  redisUrl: string;
  /** Resolves when Redis takes bells again, else rejects; bounds its own time. */
  probe: () => Promise<unknown>;
  clock: Clock;
  observe: Observe;
}

const PROBE_EVERY_MS = 1_000;

export function openRedisErrors({ redisUrl, probe, clock, observe }: RedisErrorsOptions): RedisOutage {
  const { password } = new URL(redisUrl);
  const told = new Set<string>();
  const outage = openOutage({
    probe,
    probeEveryMs: PROBE_EVERY_MS,
    clock,
    onOver: (over) => {
      told.clear();
      observe({ kind: 'queue_back', ...over });
    },
  });

  const explain = (error: unknown): string => {
    const message = error instanceof Error ? error.message : String(error);
    // Redis echoes arguments in some errors: "unknown command 'AUTH', with args beginning with: …".
    if (password === '') return message;
    return message.replaceAll(decodeURIComponent(password), '***').replaceAll(password, '***');
  };
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
      if (told.has(message)) return undefined;
      told.add(message);
      return observe({ kind: 'queue_error', message });
    },
    connected: () => {
      if (!outage.isOn) told.clear();
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

/** Something that Redis has said, or that was found in it: it is there. */
function isAnswer(error: unknown): boolean {
  return error instanceof Error && (error.name === 'ReplyError' || error instanceof UnreadableBell);
}

/** Redis holds something else at the place of a bell. */
export class UnreadableBell extends Error {}
