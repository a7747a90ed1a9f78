/**
 * A slice whose worker has died is sent carefully: what is about to be done is noted in its row, and the note is erased when that
 * is over. If the process dies again, the note says what killed it, and the next process leaves that out.
 *
 * Only the moment counts in which a push is compiled and handed to its gateway, and only one such moment at a time in a process.
 * So a process that is killed for another reason leaves hardly ever a note, and never more than one
 * (docs/decisions/0038).
 */
import type { Kysely } from 'kysely';
import type { Database } from '../../db/tables.ts';
import { held, type LeasedSlice } from '../slice-store.ts';
import type { OneAtATime } from './one-at-a-time.ts';

export interface CarefulOptions {
  db: Kysely<Database>;
  /** Of the process. */
  turns: OneAtATime;
}

export class CarefulSlice {
  readonly #options: CarefulOptions;
  readonly #slice: LeasedSlice;

  constructor(options: CarefulOptions, slice: LeasedSlice) {
    this.#options = options;
    this.#slice = slice;
  }

  /**
   * Does what may kill the process.
   * @param what the id of the device to push to, or `WHOLE_SLICE`
   * @returns undefined if this worker has lost the slice; then nothing was done
   * @throws what the action throws, or the database's error
   */
  async attempt<T>(what: string, action: () => Promise<T>): Promise<T | undefined> {
    return this.#options.turns.run(async () => {
      if (!(await this.#note(what))) return undefined;
      const result = await action();
      await this.#note(null);
      return result;
    });
  }

  /** @returns false if this worker has lost the slice */
  async #note(trying: string | null): Promise<boolean> {
    const { numUpdatedRows } = await this.#options.db
      .updateTable('delivery_slices')
      .set({ trying })
      .where(held(this.#slice))
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }
}
