/** The frequency cap of one attempt at a slice. */
import type { Kysely } from 'kysely';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../db/tables.ts';
import type { OutcomeKind } from '../outcomes/packed.ts';
import type { SliceOutcomes } from '../outcomes/slice-outcomes.ts';
import { type CappedSlice, giveBackUses, reserveUses } from './cap-store.ts';

export class SliceCaps {
  readonly #db: Kysely<Database>;
  readonly #clock: Clock;
  readonly #capped: CappedSlice;
  /** Devices for which this attempt has reserved a use. */
  readonly #reserved = new Set<string>();

  constructor({ db, clock }: { db: Kysely<Database>; clock: Clock }, capped: CappedSlice) {
    this.#db = db;
    this.#clock = clock;
    this.#capped = capped;
  }

  /** Reserves a use for each device. @returns the ids of those that may be sent to */
  async reserve(deviceIds: readonly string[]): Promise<ReadonlySet<string>> {
    if (deviceIds.length === 0) return new Set();
    const free = await reserveUses(this.#db, this.#capped, deviceIds, this.#clock());
    for (const id of free) this.#reserved.add(id);
    return free;
  }

  /**
   * Gives back the uses of pushes that have not left, which the next attempt reserves again. Call it before the end of the
   * attempt is saved, as long as the slice is held.
   */
  async giveBack(outcomes: SliceOutcomes): Promise<void> {
    if (this.#reserved.size === 0) return;
    const kinds = outcomes.kinds();
    const spent = [...kinds].filter(([, kind]) => isSpent(kind)).map(([id]) => id);
    const unused = [...this.#reserved].filter((id) => !isSpent(kinds.get(id)));
    if (unused.length > 0) await giveBackUses(this.#db, this.#capped, { unused, spent });
  }
}

/** Whether the push has left, or may have. */
function isSpent(kind: OutcomeKind | undefined): boolean {
  return kind === 'accepted' || kind === 'ambiguous';
}
