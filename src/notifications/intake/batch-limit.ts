/**
 * Limits how many notifications of batches are in progress. Where this process sends too, they also wait until it has slots
 * for them. Notifications that are stored without a slot cost two more statements and a fifth more processor time, and keep
 * the next single calls waiting, because what is due is sent in order (docs/decisions/0023).
 */
import type { Slots } from '../../queue/slots.ts';

/** If no slot becomes free for so long, the gateways or the database are slow, and batches do not wait for them. */
const STALLED_MS = 250;
/** For so long after that, batches do not wait for slots. */
const WITHOUT_SLOTS_MS = 1_000;

export interface BatchLimitOptions {
  max: number;
  /** Of the direct lane. Undefined: this process does not send. */
  slots: Pick<Slots, 'free' | 'onFree'> | undefined;
}

export class BatchLimit {
  readonly #options: BatchLimitOptions;
  #waiting: (() => void)[] = [];
  #inProgress = 0;
  /** Runs while some wait for slots; begins again whenever one is admitted. */
  #timer: NodeJS.Timeout | undefined;
  #unlisten: (() => void) | undefined;
  /** Until when slots do not count (monotonic). */
  #withoutSlotsUntilMs = 0;

  constructor(options: BatchLimitOptions) {
    this.#options = options;
  }

  /** @returns undefined if the notification may begin, otherwise a promise that resolves once it may */
  enter(): Promise<void> | undefined {
    if (this.#waiting.length === 0 && this.#hasRoom()) {
      this.#inProgress += 1;
      return undefined;
    }
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      const { slots } = this.#options;
      if (slots === undefined) return;
      this.#unlisten ??= slots.onFree(() => this.#admit());
      this.#timer ??= setInterval(() => this.#doWithoutSlots(), STALLED_MS);
    });
  }

  leave(): void {
    this.#inProgress -= 1;
    this.#admit();
  }

  #hasRoom(): boolean {
    const { max, slots } = this.#options;
    if (this.#inProgress >= max) return false;
    if (slots === undefined || this.#inProgress < slots.free) return true;
    return performance.now() < this.#withoutSlotsUntilMs;
  }

  #admit(): void {
    const before = this.#waiting.length;
    while (this.#waiting.length > 0 && this.#hasRoom()) {
      this.#inProgress += 1;
      this.#waiting.shift()?.();
    }
    if (this.#waiting.length === 0) return this.#stopWaiting();
    if (this.#waiting.length < before) this.#timer?.refresh();
  }

  #doWithoutSlots(): void {
    this.#withoutSlotsUntilMs = performance.now() + WITHOUT_SLOTS_MS;
    this.#admit();
  }

  #stopWaiting(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#unlisten?.();
    this.#unlisten = undefined;
  }
}
