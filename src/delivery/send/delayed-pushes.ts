/** Pushes that are delayed by the pace of a gateway or until a retry, each until its own due time. */
export class DelayedPushes<Push extends { dueMs: number }> {
  #pushes: Push[] = [];

  get size(): number {
    return this.#pushes.length;
  }

  /** When the first of them is due (Unix ms); `Infinity` if there is none. */
  get soonestMs(): number {
    return this.#pushes.reduce((soonest, { dueMs }) => Math.min(soonest, dueMs), Infinity);
  }

  add(push: Push): void {
    this.#pushes.push(push);
  }

  /** Removes and returns the pushes that are due at `nowMs` (Unix ms). */
  takeDue(nowMs: number): Push[] {
    const due = this.#pushes.filter(({ dueMs }) => dueMs <= nowMs);
    this.#pushes = this.#pushes.filter(({ dueMs }) => dueMs > nowMs);
    return due;
  }
}
