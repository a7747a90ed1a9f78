/**
 * Runs an action for many items at once, so that its fixed cost is paid once per run. Items that are added while enough runs
 * are in progress wait, and the next run takes all of them: the busier, the more items share a run.
 */
export interface SharedRunsOptions<Item, Result> {
  /** @returns a result for each item, in order; if it rejects, all items of the run get its error */
  run: (items: readonly Item[]) => Promise<readonly Result[]>;
  itemsMax: number;
  runsMax: number;
  /** While a run is in progress, the next starts only if so many items wait. By default any number. */
  overlap?: { min: number; max: number };
  /**
   * Milliseconds. While a run is in progress, the next starts only if the last to start has taken this long: then more
   * items share one, and a slow run does not hold up the items that come after it. 0: the next starts at once.
   */
  slowMs?: number;
  /**
   * Milliseconds from the start of a run to that of the next, if items come one after another. The first starts at once. A
   * function is asked whenever items wait.
   */
  everyMs?: number | (() => number);
  /**
   * The next run starts earlier if this many items wait, or as many as the largest of the last runs had. So a few
   * callers that each add one item after another are not held up.
   */
  enough?: number;
  /** Calls the task soon; by default at the end of this turn of the event loop, so that items of one turn share a run. */
  soon?: (task: () => void) => void;
  /** Whether a run failed because of one of its items. Then each of them is run alone, and the next run does not wait. */
  isFaultOfItem?: (error: unknown) => boolean;
  /** Whether the next run would fail in the same way. Then the items that wait get the error as well. */
  isOutage?: (error: unknown) => boolean;
}

/** Their sizes say how many items to expect. */
const LAST_RUNS = 8;

interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

export class SharedRuns<Item, Result> {
  readonly #options: Required<SharedRunsOptions<Item, Result>>;
  #running = 0;
  #waiting: Waiting<Item, Result>[] = [];
  #isScheduled = false;
  /** Set while the next run waits for its time. */
  #timer: NodeJS.Timeout | undefined;
  #startedMs = Number.NEGATIVE_INFINITY;
  #sizes: readonly number[] = [];

  constructor(options: SharedRunsOptions<Item, Result>) {
    this.#options = {
      soon: setImmediate,
      overlap: { min: 1, max: Number.POSITIVE_INFINITY },
      slowMs: 0,
      everyMs: 0,
      enough: Number.POSITIVE_INFINITY,
      isFaultOfItem: () => false,
      isOutage: () => false,
      ...options,
    };
  }

  /** @returns the result of the item; rejects with the error of its run */
  async add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#isScheduled || !this.#mayStart()) return;
    const waitMs = this.#waitMs();
    if (waitMs > 0) {
      this.#timer ??= setTimeout(() => this.#startAll(), waitMs);
      return;
    }
    clearTimeout(this.#timer);
    this.#isScheduled = true;
    this.#options.soon(() => this.#startAll());
  }

  #mayStart(): boolean {
    const { runsMax, overlap } = this.#options;
    const waiting = this.#waiting.length;
    if (this.#running === 0) return waiting > 0;
    return this.#running < runsMax && waiting >= overlap.min && waiting <= overlap.max;
  }

  #waitMs(): number {
    return Math.max(this.#waitForSlowMs(), this.#waitForTimeMs());
  }

  #waitForSlowMs(): number {
    const { slowMs } = this.#options;
    return this.#running === 0 || slowMs === 0 ? 0 : this.#startedMs + slowMs - performance.now();
  }

  #waitForTimeMs(): number {
    const { everyMs, enough } = this.#options;
    const pauseMs = typeof everyMs === 'number' ? everyMs : everyMs();
    if (pauseMs === 0) return 0;
    const waiting = this.#waiting.length;
    if (waiting >= enough || (enough < Number.POSITIVE_INFINITY && waiting >= Math.max(...this.#sizes)))
      return 0;
    return this.#startedMs + pauseMs - performance.now();
  }

  #startAll(): void {
    this.#isScheduled = false;
    this.#timer = undefined;
    while (this.#mayStart()) {
      this.#start();
      if (this.#options.slowMs > 0) break;
    }
    if (this.#waiting.length > 0) this.#schedule();
  }

  #start(): void {
    this.#startedMs = performance.now();
    const items = this.#waiting.splice(0, this.#options.itemsMax);
    this.#sizes = [...this.#sizes.slice(1 - LAST_RUNS), items.length];
    this.#running += 1;
    void this.#run(items).finally(() => {
      this.#running -= 1;
      if (this.#waiting.length > 0) this.#schedule();
    });
  }

  /** Never rejects. */
  async #run(items: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#options.run(items.map(({ item }) => item));
      if (results.length !== items.length) throw new Error('a run returned another number of results');
      for (const [index, result] of results.entries()) items[index]?.resolve(result);
    } catch (error) {
      const { isFaultOfItem, isOutage } = this.#options;
      if (items.length > 1 && isFaultOfItem(error)) {
        for (const one of items) void this.#run([one]);
        return;
      }
      const failed = isOutage(error) ? [...items, ...this.#waiting.splice(0)] : items;
      for (const { reject } of failed) reject(error);
    }
  }
}
