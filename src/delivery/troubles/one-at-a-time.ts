const FREE = 0;
const TAKEN = 1;

/** Runs actions one after another: those of a thread in the order in which they were asked for. */
export class OneAtATime {
  readonly #turn: Int32Array;
  #last: Promise<unknown> = Promise.resolve();

  /** @param turn one number in memory that threads share, if their actions exclude each other */
  constructor(turn: Int32Array = new Int32Array(1)) {
    this.#turn = turn;
  }

  /** @throws what the action throws; the next action still runs */
  async run<T>(action: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(async () => this.#inTurn(action));
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  async #inTurn<T>(action: () => Promise<T>): Promise<T> {
    while (Atomics.compareExchange(this.#turn, 0, FREE, TAKEN) !== FREE) {
      await Atomics.waitAsync(this.#turn, 0, TAKEN).value;
    }
    try {
      return await action();
    } finally {
      Atomics.store(this.#turn, 0, FREE);
      Atomics.notify(this.#turn, 0, 1);
    }
  }
}
