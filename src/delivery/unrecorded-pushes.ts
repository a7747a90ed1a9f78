/**
 * The allowance of a worker process for pushes that have begun and are not on record yet: what a crash may
 * repeat. Shared by the slices under way; while it is spent, none of them begins another push.
 */
import { addAbortListener } from 'node:events';

export class UnrecordedPushes {
  #left: number;
  #waiting: (() => void)[] = [];

  /** @param pushesMax at once; `Infinity` for no bound */
  constructor(pushesMax: number) {
    this.#left = pushesMax;
  }

  /** @returns how many of them may begin: from 0 to `wanted` */
  take(wanted: number): number {
    const taken = Math.min(wanted, this.#left);
    this.#left -= taken;
    return taken;
  }

  /** For pushes that are on record, or that turned out not to have been made. */
  giveBack(count: number): void {
    this.#left += count;
    for (const wake of this.#waiting.splice(0)) wake();
  }

  /** Resolves when some have been given back, to whoever takes them first; or when `stop` is aborted. */
  async untilGivenBack(stop: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const listener = addAbortListener(stop, () => resolve());
    this.#waiting.push(resolve);
    await promise;
    listener[Symbol.dispose]();
  }
}
