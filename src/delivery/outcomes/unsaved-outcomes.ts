/**
 * Counts a thread's outcomes that have not been handed to the database yet. A crash would repeat their pushes, like the
 * requests in flight, so the gateways count both against the same limit (`Reserved` in `http2-client`).
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

  /** Call it for outcomes that have been handed to the database, or never will be. */
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
