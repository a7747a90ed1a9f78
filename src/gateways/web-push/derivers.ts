/**
 * Threads that derive the keying material of browsers, while the thread that owns them sends: a bulk notification to browsers that
 * it does not know yet then uses the other cores (docs/decisions/0054). They see no message and send nothing: if one ends, its
 * owner derives what it owed, and no push is lost or repeated.
 */
import { Worker } from 'node:worker_threads';
import { MATERIAL_BYTES } from './keying-material.ts';

/** To the thread. */
export interface Ask {
  /** Set in the first message, and after each change of it. */
  privateKey: Uint8Array | undefined;
  /** `<p256dh>.<auth>` of each browser. */
  keys: string[];
}

/** Its answer, in the order of the questions. */
export interface Derived {
  /** 32 bytes a browser. */
  materials: Uint8Array;
  /** Places of those whose public key is not on the curve. */
  failed: number[];
}

/** Undefined: the caller derives it itself, and learns what is wrong with the keys. */
type Settle = (material: Uint8Array | undefined) => void;

export interface Derivers {
  /** @returns undefined if all threads have enough to do, or have ended: then the caller derives it itself */
  derive(privateKey: Uint8Array, keys: string): Promise<Uint8Array | undefined> | undefined;
  close(): Promise<void>;
}

/** What a message may hold: some 2 ms of work. */
const KEYS_PER_MESSAGE = 16;
/** Its owner is busy for some 20 ms before it hears an answer, and sends as much. */
const OWED_MAX = 8 * KEYS_PER_MESSAGE;
/** It holds nothing for longer than a message. */
const YOUNG_GENERATION_MB_MAX = 8;

/** @param count the threads, which start with the first browser */
export function openDerivers(count: number): Derivers {
  const derivers: Deriver[] = [];
  return {
    derive(privateKey, keys) {
      while (derivers.length < count) derivers.push(new Deriver());
      let least: Deriver | undefined;
      for (const deriver of derivers) if (deriver.owed < (least?.owed ?? OWED_MAX)) least = deriver;
      return least?.derive(privateKey, keys);
    },
    async close() {
      await Promise.all(derivers.map(async (deriver) => deriver.close()));
    },
  };
}

class Deriver {
  readonly #thread = new Worker(new URL('./derive-thread.ts', import.meta.url), {
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB_MAX },
    name: 'derive',
  });
  /** Messages without an answer; the oldest first. */
  readonly #asked: Settle[][] = [];
  #keys: string[] = [];
  #settles: Settle[] = [];
  #privateKey: Uint8Array | undefined;
  #owed = 0;
  #hasEnded = false;

  constructor() {
    this.#thread.unref();
    this.#thread.on('message', (derived: Derived) => this.#onDerived(derived));
    this.#thread.on('error', () => this.#onEnd());
    this.#thread.on('exit', () => this.#onEnd());
  }

  /** The browsers that it has not answered for. */
  get owed(): number {
    return this.#hasEnded ? Infinity : this.#owed;
  }

  async derive(privateKey: Uint8Array, keys: string): Promise<Uint8Array | undefined> {
    if (privateKey !== this.#privateKey) {
      this.#ask();
      this.#privateKey = privateKey;
      this.#thread.postMessage({ privateKey, keys: [] } satisfies Ask);
      this.#asked.push([]);
    }
    this.#owed += 1;
    return new Promise((settle) => {
      this.#keys.push(keys);
      this.#settles.push(settle);
      if (this.#keys.length === 1) setImmediate(() => this.#ask());
      if (this.#keys.length === KEYS_PER_MESSAGE) this.#ask();
    });
  }

  async close(): Promise<void> {
    await this.#thread.terminate();
  }

  #ask(): void {
    if (this.#keys.length === 0 || this.#hasEnded) return;
    this.#thread.postMessage({ privateKey: undefined, keys: this.#keys } satisfies Ask);
    this.#asked.push(this.#settles);
    this.#keys = [];
    this.#settles = [];
  }

  #onDerived({ materials, failed }: Derived): void {
    const settles = this.#asked.shift() ?? [];
    this.#owed -= settles.length;
    for (const [index, settle] of settles.entries()) {
      const start = index * MATERIAL_BYTES;
      settle(failed.includes(index) ? undefined : materials.subarray(start, start + MATERIAL_BYTES));
    }
  }

  #onEnd(): void {
    this.#hasEnded = true;
    for (const settle of [...this.#asked.flat(), ...this.#settles]) settle(undefined);
    this.#asked.length = 0;
    this.#settles = [];
  }
}
