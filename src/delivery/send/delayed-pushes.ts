/** Pushes that wait, each until its own moment: for their turn in the pace of a gateway, or for a retry. */
export class DelayedPushes<Push extends { dueMs: number }> {
  #pushes: Push[] = [];

  get size(): number {
    return this.#pushes.length;
  }

  /** When the first of them is due (Unix ms); `Infinity` where there is none. */
  get soonestMs(): number {
    return this.#pushes.reduce((soonest, { dueMs }) => Math.min(soonest, dueMs), Infinity);
  }

  add(push: Push): void {
    this.#pushes.push(push);
  }

  /** Takes out those that are due by now (Unix ms). */
  takeDue(nowMs: number): Push[] {
    const due = this.#pushes.filter(({ dueMs }) => dueMs <= nowMs);
    this.#pushes = this.#pushes.filter(({ dueMs }) => dueMs > nowMs);
    return due;
  }
}
