/** Counts the pushes in progress, and lets one caller wait until only a few are left. */
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

  /** Resolves when at most `count` are in progress. Only one caller may wait at a time. */
  async atMost(count: number): Promise<void> {
    if (this.#count <= count) return;
    await new Promise<void>((resolve) => {
      this.#waiting = { count, resolve };
    });
  }
}
