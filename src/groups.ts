/**
 * Runs an action on groups of items, so that its fixed cost is paid once per group. Items that are added while enough runs
 * are in progress wait, and the next run takes all of them: the busier, the larger the groups.
 */
export interface GroupsOptions<Item, Result> {
  /** @returns a result for each item, in order; if it rejects, all items of the group get its error */
  run: (items: readonly Item[]) => Promise<readonly Result[]>;
  /** Items per run. */
  itemsMax: number;
  /** Runs in progress at once. */
  runsMax: number;
  /** Milliseconds from the start of a run to that of the next, if items come one after another. The first starts at once. */
  everyMs?: number;
  /** Calls the task soon; by default at the end of this turn of the event loop, so that items of one turn are a group. */
  soon?: (task: () => void) => void;
}

interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

export class Groups<Item, Result> {
  readonly #options: Required<GroupsOptions<Item, Result>>;
  #running = 0;
  #waiting: Waiting<Item, Result>[] = [];
  #isScheduled = false;
  #startedMs = Number.NEGATIVE_INFINITY;

  constructor(options: GroupsOptions<Item, Result>) {
    this.#options = { soon: setImmediate, everyMs: 0, ...options };
  }

  /** @returns the result of the item; rejects with the error of its run */
  async add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      this.#schedule();
    });
  }

  #schedule(): void {
    const { runsMax, everyMs, soon } = this.#options;
    if (this.#isScheduled || this.#running >= runsMax) return;
    this.#isScheduled = true;
    const start = (): void => {
      this.#isScheduled = false;
      while (this.#waiting.length > 0 && this.#running < runsMax) this.#start();
    };
    const waitMs = everyMs === 0 ? 0 : this.#startedMs + everyMs - performance.now();
    if (waitMs > 0) setTimeout(start, waitMs);
    else soon(start);
  }

  #start(): void {
    this.#startedMs = performance.now();
    const group = this.#waiting.splice(0, this.#options.itemsMax);
    this.#running += 1;
    void this.#run(group).finally(() => {
      this.#running -= 1;
      if (this.#waiting.length > 0) this.#schedule();
    });
  }

  /** Never rejects. */
  async #run(group: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#options.run(group.map(({ item }) => item));
      if (results.length !== group.length) throw new Error('a group got another number of results');
      for (const [index, result] of results.entries()) group[index]?.resolve(result);
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  }
}
