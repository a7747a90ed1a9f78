/** When a wave that could not be started is tried again. Each process keeps its own pauses: they spare the database, no more. */
import { jittered } from '../../jitter.ts';
import type { NotificationKey } from '../slice-store.ts';
import { FIRST_PAUSE_MS, PAUSE_MS_MAX } from '../troubles/tries.ts';

export interface WaveKey extends NotificationKey {
  wave: number;
}

interface Failed {
  key: WaveKey;
  failures: number;
  /** Unix ms. */
  notBeforeMs: number;
}

/** After this long without another try, the wave has been started elsewhere, or canceled. */
const FORGET_AFTER_MS = 10 * PAUSE_MS_MAX;

export class WaveTries {
  readonly #random: () => number;
  readonly #failed = new Map<string, Failed>();

  constructor(random: () => number = Math.random) {
    this.#random = random;
  }

  /** The pauses double up to a minute, with jitter. */
  failed(key: WaveKey, now: Date): void {
    const failures = (this.#failed.get(nameOf(key))?.failures ?? 0) + 1;
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), PAUSE_MS_MAX);
    const notBeforeMs = now.getTime() + jittered(pauseMs, this.#random);
    this.#failed.set(nameOf(key), { key, failures, notBeforeMs });
  }

  started(key: WaveKey): void {
    this.#failed.delete(nameOf(key));
  }

  /** The waves that are not to be tried yet. A pause that seems longer than any is over: the clock was set back. */
  pausing(now: Date): WaveKey[] {
    const nowMs = now.getTime();
    for (const [name, { notBeforeMs }] of this.#failed) {
      if (nowMs - notBeforeMs > FORGET_AFTER_MS) this.#failed.delete(name);
    }
    return [...this.#failed.values()]
      .filter(({ notBeforeMs }) => notBeforeMs > nowMs && notBeforeMs <= nowMs + PAUSE_MS_MAX)
      .map(({ key }) => key);
  }
}

function nameOf({ appId, notificationId, wave }: WaveKey): string {
  return `${appId} ${notificationId} ${wave}`;
}
