/** Counts what is in progress (pushes, deliveries), and lets one caller wait until only a few are left. */
export class InProgress {
  #count = 0;
  #waiting: { count: number; resolve: () => void } | undefined;

  begin(): void {
    this.#count += 1;
  }

  end(): void {
    this.#count -= 1;
    if (this.#waiting !== undefined && this.#count <= this.#waiting.count) this.#waiting.resolve();
  }

  /**
   * Only one caller may wait at a time.
   * @returns undefined if at most `count` are in progress, otherwise a promise that resolves when that is true
   */
  atMost(count: number): Promise<void> | undefined {
    if (this.#count <= count) return undefined;
    return new Promise<void>((resolve) => {
      this.#waiting = { count, resolve };
    });
  }
}
