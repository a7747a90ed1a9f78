/**
 * Keeps track of whether something that the process depends on is away: told once when an outage begins, and once when
 * it is over, with how many errors it brought. Whether it is over is found out by trying.
 */
import type { Clock } from './clock.ts';

export interface Outage {
  readonly isOn: boolean;
  /** Of the error that began it; '' where there is none. */
  readonly message: string;
  /** @returns whether this error is the first of an outage */
  report(message: string): boolean;
  /** Tries no more, and tells no more. */
  close(): void;
}

export interface OutageOptions {
  /** Resolves when all is well again. Bounds its own time. */
  probe: () => Promise<unknown>;
  /** From an error to the first try, and from one try to the next, in milliseconds. */
  probeEveryMs: number;
  /** Not over until there has been no error for so long, in milliseconds. */
  quietMs?: number;
  clock: Clock;
  onOver: (outage: { durationMs: number; errors: number }) => void;
}

export function openOutage({ probe, probeEveryMs, quietMs = 0, clock, onOver }: OutageOptions): Outage {
  let current: { message: string; beganMs: number; lastMs: number; errors: number } | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  async function tryAgain(): Promise<void> {
    const isWell = await probe().then(
      () => true,
      () => false,
    );
    if (isClosed || current === undefined) return;
    const nowMs = clock().getTime();
    if (!isWell || nowMs - current.lastMs < quietMs) {
      tryLater();
      return;
    }
    const { beganMs, errors } = current;
    current = undefined;
    onOver({ durationMs: nowMs - beganMs, errors });
  }

  function tryLater(): void {
    timer = setTimeout(() => void tryAgain(), probeEveryMs);
    timer.unref();
  }

  return {
    get isOn() {
      return current !== undefined;
    },
    get message() {
      return current?.message ?? '';
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
      tryLater();
      return true;
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
