/** Runs actions one after another, in the order in which they were asked for. */
export class OneAtATime {
  #last: Promise<unknown> = Promise.resolve();

  /** @throws what the action throws; the next action still runs */
  async run<T>(action: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(action);
    this.#last = turn.catch(() => undefined);
    return turn;
  }
}
