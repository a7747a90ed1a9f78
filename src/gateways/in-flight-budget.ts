/**
 * The outcomes that a thread knows and has not handed to the database. A crash repeats them like the
 * requests in flight; so they count among these, and while there are many, fewer requests leave.
 */
export class UnrecordedOutcomes {
  #count = 0;
  readonly #listeners = new Set<() => void>();

  get count(): number {
    return this.#count;
  }

  add(count: number): void {
    this.#count += count;
  }

  /** For those that the database has been handed, or that nobody will store. */
  remove(count: number): void {
    if (count === 0) return;
    this.#count -= count;
    for (const listener of this.#listeners) listener();
  }

  /** @returns what ends it */
  onRemoved(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
