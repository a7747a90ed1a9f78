/** Keys that calls have taken, and who waits for each. */
type Taken = Map<string, (() => void)[]>;

/**
 * Lets calls that write the same thing run one after another, in the order in which they asked. A key names what is
 * written, such as a push token or the id of a device. A turn is for one call, which must end it.
 */
export class Turn {
  readonly #taken: Taken;
  #own: readonly string[] = [];

  /** @param taken shared by all turns */
  constructor(taken: Taken) {
    this.#taken = taken;
  }

  /** Whether no other call has taken one of the keys. */
  isFree(keys: readonly string[]): boolean {
    return this.#taken.size === 0 || keys.every((key) => !this.#taken.has(key) || this.#own.includes(key));
  }

  /** Takes more keys, which must be free. */
  take(keys: readonly string[]): void {
    const added = keys.filter((key) => !this.#own.includes(key));
    for (const key of added) this.#taken.set(key, []);
    this.#own = [...this.#own, ...added];
  }

  /**
   * Gives back its keys, then takes these one by one and waits for each. Two calls never wait for each other, because
   * each takes its keys in sorted order.
   */
  async waitFor(keys: readonly string[]): Promise<void> {
    this.end();
    for (const key of keys.toSorted()) {
      const waiting = this.#taken.get(key);
      if (waiting === undefined) this.#taken.set(key, []);
      else await new Promise<void>((resolve) => waiting.push(resolve));
    }
    this.#own = keys;
  }

  /** Gives back its keys, each to the call that has waited longest for it. */
  end(): void {
    for (const key of this.#own) {
      const next = this.#taken.get(key)?.shift();
      if (next === undefined) this.#taken.delete(key);
      else next();
    }
    this.#own = [];
  }
}
