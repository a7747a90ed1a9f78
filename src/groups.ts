/**
 * Runs an action on groups of items, so that its fixed cost is paid once per group. Items that are added while enough runs
 * are in progress wait, and the next run takes all of them: the busier, the larger the groups. No item waits for a timer.
 */
export interface GroupsOptions<Item, Result> {
  /** @returns a result for each item, in order; if it rejects, all items of the group get its error */
  run: (items: readonly Item[]) => Promise<readonly Result[]>;
  /** Items per run. */
  itemsMax: number;
  /** Runs in progress at once. */
  runsMax: number;
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
  readonly #running = new Set<Promise<void>>();
  #waiting: Waiting<Item, Result>[] = [];
  #isScheduled = false;

  constructor(options: GroupsOptions<Item, Result>) {
    this.#options = { soon: setImmediate, ...options };
  }

  /** Items that no run has taken yet. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** @returns the result of the item; rejects with the error of its run */
  async add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      this.#schedule();
    });
  }

  /** Resolves when all items that have been added have their results. */
  async idle(): Promise<void> {
    while (this.#waiting.length > 0 || this.#running.size > 0) {
      if (this.#running.size > 0) await Promise.race(this.#running);
      else await new Promise(setImmediate);
    }
  }

  #schedule(): void {
    if (this.#isScheduled || this.#running.size >= this.#options.runsMax) return;
    this.#isScheduled = true;
    this.#options.soon(() => {
      this.#isScheduled = false;
      while (this.#waiting.length > 0 && this.#running.size < this.#options.runsMax) this.#start();
    });
  }

  #start(): void {
    const group = this.#waiting.splice(0, this.#options.itemsMax);
    const running = this.#run(group).finally(() => {
      this.#running.delete(running);
      if (this.#waiting.length > 0) this.#schedule();
    });
    this.#running.add(running);
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
