/** The requests of a pool that wait for a free stream, and the callers that wait until the queue is shorter. */

/** From this length on, `whenShort` makes callers wait: more requests than one turn of the event loop answers. */
const LONG = 500;

export interface Waiting {
  /** Milliseconds on the monotonic clock. */
  readonly waitingSince: number;
}

/** A queue in which requests that came back go ahead of new ones. */
export class RequestQueue<Item extends Waiting> {
  readonly #returned = new Fifo<Item>();
  readonly #new = new Fifo<Item>();
  readonly #inOrder = [this.#returned, this.#new] as const;
  #pushed = 0;
  #short: PromiseWithResolvers<void> | undefined;
  /** Callers that wait until `count` requests have left the queue, by ascending count. */
  readonly #sent: { count: number; resolve: () => void }[] = [];

  get size(): number {
    return this.#returned.size + this.#new.size;
  }

  /** Whether a request waits for a stream, or a caller for a shorter queue. */
  get isAwaited(): boolean {
    return this.size > 0 || this.#short !== undefined;
  }

  push(item: Item): void {
    this.#pushed += 1;
    this.#new.push(item);
  }

  /** Puts back an item that was taken before; it goes ahead of new ones. */
  putBack(item: Item): void {
    this.#returned.push(item);
  }

  shift(): Item | undefined {
    return this.#returned.shift() ?? this.#new.shift();
  }

  /** Takes an item that has waited since `moment` or longer. */
  shiftWaitingSince(moment: number): Item | undefined {
    return this.#inOrder.find((fifo) => isSince(fifo.peek(), moment))?.shift();
  }

  /** Takes all items that pass the test, in their order. */
  takeWhere(test: (item: Item) => boolean): Item[] {
    return this.#inOrder.flatMap((fifo) => fifo.takeWhere(test));
  }

  /** Resolves when the queue is short again; undefined while it is short. */
  whenShort(): Promise<void> | undefined {
    if (this.size < LONG) return undefined;
    this.#short ??= Promise.withResolvers();
    return this.#short.promise;
  }

  /** Resolves when all items pushed so far have left the queue once. */
  async whenSent(): Promise<void> {
    const count = this.#pushed;
    if (this.#leftCount >= count) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#sent.push({ count, resolve });
    await promise;
  }

  /** Resolves the promises whose condition holds now; to be called after items were taken. */
  notify(): void {
    while (this.#sent[0] !== undefined && this.#sent[0].count <= this.#leftCount)
      this.#sent.shift()?.resolve();
    if (this.#short === undefined || this.size >= LONG / 2) return;
    this.#short.resolve();
    this.#short = undefined;
  }

  get #leftCount(): number {
    return this.#pushed - this.#new.size;
  }
}

function isSince(item: Waiting | undefined, moment: number): boolean {
  return item !== undefined && item.waitingSince <= moment;
}

/** Uses a head index, because `Array.shift` would move every element. */
class Fifo<Item> {
  #items: (Item | undefined)[] = [];
  #head = 0;

  get size(): number {
    return this.#items.length - this.#head;
  }

  push(item: Item): void {
    this.#items.push(item);
  }

  peek(): Item | undefined {
    return this.#items[this.#head];
  }

  takeWhere(test: (item: Item) => boolean): Item[] {
    const items = this.#items.slice(this.#head).filter((item) => item !== undefined);
    const { taken = [], left = [] } = Object.groupBy(items, (item) => (test(item) ? 'taken' : 'left'));
    this.#items = left;
    this.#head = 0;
    return taken;
  }

  shift(): Item | undefined {
    const item = this.#items[this.#head];
    if (item === undefined) return undefined;
    this.#items[this.#head] = undefined;
    this.#head += 1;
    // Copied only when half of the array is spent, so each element moves about once.
    if (this.#head >= 1024 && this.#head * 2 >= this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }
}
