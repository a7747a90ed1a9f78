/** How many pushes are under way, for the one who waits until they are few. */
export class UnderWay {
  #count = 0;
  #landing: { count: number; resolve: () => void } | undefined;

  begun(): void {
    this.#count += 1;
  }

  ended(): void {
    this.#count -= 1;
    if (this.#landing !== undefined && this.#count <= this.#landing.count) this.#landing.resolve();
  }

  /** Resolves when so many are under way, or less. One waits at a time. */
  async landed(count: number): Promise<void> {
    if (this.#count <= count) return;
    await new Promise<void>((resolve) => {
      this.#landing = { count, resolve };
    });
  }
}
