export interface Waiter {
  /** Milliseconds on the monotonic clock. */
  readonly waitingSince: number;
}

/** Those who wait for a free stream: who was refused before who is new. */
export class WaitingLine<Item extends Waiter> {
  readonly #returned = new Fifo<Item>();
  readonly #new = new Fifo<Item>();
  readonly #inTurn = [this.#returned, this.#new] as const;
  #come = 0;

  get size(): number {
    return this.#returned.size + this.#new.size;
  }

  /** How many have come. */
  get come(): number {
    return this.#come;
  }

  /** How many of these have left, whatever became of them since. */
  get gone(): number {
    return this.#come - this.#new.size;
  }

  push(item: Item): void {
    this.#come += 1;
    this.#new.push(item);
  }

  /** For one that has been at the front before: it comes before the new ones. */
  putBack(item: Item): void {
    this.#returned.push(item);
  }

  shift(): Item | undefined {
    return this.#returned.shift() ?? this.#new.shift();
  }

  /** Takes out one that has waited since `moment` or longer. */
  shiftWaitingSince(moment: number): Item | undefined {
    return this.#inTurn.find((fifo) => isSince(fifo.peek(), moment))?.shift();
  }

  /** Takes out all that the test names, in the order of their turns. */
  takeWhere(test: (item: Item) => boolean): Item[] {
    return this.#inTurn.flatMap((fifo) => fifo.takeWhere(test));
  }
}

function isSince(item: Waiter | undefined, moment: number): boolean {
  return item !== undefined && item.waitingSince <= moment;
}

/** `Array.shift` moves every element; a head index moves none. */
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
    // Half of it spent: give the room back, at a cost of one move an element.
    if (this.#head >= 1024 && this.#head * 2 >= this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }
}
