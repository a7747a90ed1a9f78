/**
 * Tracks outages of a service that the process depends on: reports the first error, probes until the outage is over,
 * and then reports its length and its number of errors.
 */
import type { Clock } from '../clock.ts';

export interface Outage {
  readonly isOn: boolean;
  /** The message of the first error; '' while there is no outage. */
  readonly message: string;
  /** When the first error came (Unix ms); 0 while there is no outage. */
  readonly sinceMs: number;
  /** @returns whether this error is the first of an outage */
  report(message: string): boolean;
  close(): void;
}

export interface OutageOptions {
  /** Resolves if the service works again; rejects if not. Must have a time limit of its own. */
  probe: () => Promise<unknown>;
  /** Milliseconds from the first error to the first probe, and from one probe to the next. */
  probeEveryMs: number;
  /** The outage is over only after this many milliseconds without an error. */
  quietMs?: number;
  clock: Clock;
  onOver: (outage: { durationMs: number; errors: number }) => void;
}

export function openOutage({ probe, probeEveryMs, quietMs = 0, clock, onOver }: OutageOptions): Outage {
  let current: { message: string; beganMs: number; lastMs: number; errors: number } | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  async function probeOnce(): Promise<void> {
    const isWell = await probe().then(
      () => true,
      () => false,
    );
    if (isClosed || current === undefined) return;
    const nowMs = clock().getTime();
    if (!isWell || nowMs - current.lastMs < quietMs) {
      probeLater();
      return;
    }
    const { beganMs, errors } = current;
    current = undefined;
    onOver({ durationMs: nowMs - beganMs, errors });
  }

  function probeLater(): void {
    timer = setTimeout(() => void probeOnce(), probeEveryMs);
    timer.unref();
  }

  return {
    get isOn() {
      return current !== undefined;
    },
    get message() {
      return current?.message ?? '';
    },
    get sinceMs() {
      return current?.beganMs ?? 0;
    },
    report(message) {
      if (isClosed) return false;
      const nowMs = clock().getTime();
      if (current !== undefined) {
        current.lastMs = nowMs;
        current.errors += 1;
        return false;
      }
      current = { message, beganMs: nowMs, lastMs: nowMs, errors: 1 };
      probeLater();
      return true;
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
