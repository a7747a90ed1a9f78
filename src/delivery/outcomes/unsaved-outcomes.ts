/**
 * Counts the outcomes of a thread that have not been handed to the database. A crash would repeat their pushes as it
 * repeats the requests in flight, so the gateways count them against the same limit (`Reserved` in `http2-client`).
 */
export class UnsavedOutcomes {
  #count = 0;
  readonly #listeners = new Set<() => void>();

  get count(): number {
    return this.#count;
  }

  add(count: number): void {
    this.#count += count;
  }

  /** For outcomes that have been handed to the database, or that will never be. */
  remove(count: number): void {
    if (count === 0) return;
    this.#count -= count;
    for (const listener of this.#listeners) listener();
  }

  /** @returns a function that removes the listener */
  onRemoved(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
