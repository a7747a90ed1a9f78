/**
 * A slice whose worker has died is sent carefully: each step is noted in its row before it begins, and the note is
 * erased when the step is over. If the process dies again, the note says which step killed it, and the next process
 * skips that step. Other slices of the notification note the steps that concern all devices, for one of them may come first.
 *
 * A push is noted while it is compiled and handed to its gateway, and only one at a time in a process. So a process
 * that is killed for another reason never leaves more than one note, and none outside of these moments. Many pushes are in progress
 * until they are answered: a death makes them suspects, each of which is then sent alone and noted until it is
 * answered (docs/decisions/0038).
 */
import { setTimeout as wait } from 'node:timers/promises';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Database } from '../../db/tables.ts';
import { jittered } from '../../scheduling/jitter.ts';
import type { ActiveNotifications } from '../send/active-notifications.ts';
import { held, type LeasedSlice, type NextSlice, WHOLE_SLICE } from '../slice-store.ts';
import type { OneAtATime } from './one-at-a-time.ts';

/** A process holds a note for all devices for milliseconds, unless it dies. */
const ASKED_MAX = 10;
const ASK_AGAIN_MS = 100;

export interface CarefulOptions {
  db: Kysely<Database>;
  /** The same for all threads of the process. */
  turns: OneAtATime;
  /** Those of the thread. */
  notifications: ActiveNotifications;
}

export class CarefulSlice {
  readonly #options: CarefulOptions;
  readonly #slice: LeasedSlice;
  /** Whether pushes are noted as well, and not only what concerns all devices. */
  readonly notesPushes: boolean;

  constructor(options: CarefulOptions, slice: NextSlice) {
    this.#options = options;
    this.notesPushes = slice.deaths > 0;
    this.#slice = slice;
  }

  /**
   * Runs a step that concerns all devices: reading the notification, or compiling its message. A step that this process
   * has survived is not noted again.
   * @param step its name
   * @returns undefined if this worker has lost the slice, or if another process with the same note has died or is still
   *   trying
   */
  async attemptForAll<T>(step: string, action: () => Promise<T>): Promise<T | undefined> {
    const { notifications } = this.#options;
    if (notifications.hasSurvived(this.#slice, step)) return action();
    const result = await this.attempt(WHOLE_SLICE, action);
    if (result !== undefined) notifications.survived(this.#slice, step);
    return result;
  }

  /**
   * Runs an action that may kill the process.
   * @param what the id of the device to push to
   * @returns undefined if this worker has lost the slice; then nothing was done
   * @throws what the action throws, or the database's error
   */
  async attempt<T>(what: string, action: () => Promise<T>): Promise<T | undefined> {
    return this.inTurn(async (note) => ((await note(what)) ? action() : undefined));
  }

  /**
   * Runs steps that may kill the process, one after another. Each calls `note` with the id of its device before it begins: that
   * replaces the note of the step before in one statement, and the last note is erased at the end.
   * @param steps must end soon, for others wait; ends when `note` returns false, because this worker has lost the slice
   * @throws what the steps throw, or the database's error
   */
  async inTurn<T>(steps: (note: (what: string) => Promise<boolean>) => Promise<T>): Promise<T> {
    return this.#options.turns.run(async () => {
      const result = await steps(async (what) => this.#noteInTurn(what));
      await this.#note(null);
      return result;
    });
  }

  /**
   * Notes which pushes are in progress now; this replaces the previous note.
   * @param deviceIds ids of their devices
   * @returns false if this worker has lost the slice
   */
  async inFlight(deviceIds: readonly string[]): Promise<boolean> {
    return this.#set({ in_flight: [...deviceIds] });
  }

  /** SQL condition: no process has this note on another slice, alive or dead, and this slice was not given up for it meanwhile. */
  #isFirstToTry(): RawBuilder<boolean> {
    const { appId, notificationId, number } = this.#slice;
    return sql<boolean>`${WHOLE_SLICE} <> all (poison) and not exists (
      select from delivery_slices as o
      where o.app_id = ${appId} and o.notification_id = ${notificationId} and o.number <> ${number}
        and o.state <> 'done' and (o.trying = ${WHOLE_SLICE} or ${WHOLE_SLICE} = any (o.poison))
    )`;
  }

  /** @returns false if this worker has lost the slice, or if another process with the same note has died or goes on trying */
  async #noteInTurn(what: string): Promise<boolean> {
    for (let asked = 1; !(await this.#note(what)); asked++) {
      if (what !== WHOLE_SLICE || asked === ASKED_MAX) return false;
      await wait(jittered(ASK_AGAIN_MS, Math.random));
    }
    return true;
  }

  /** @returns false if this worker has lost the slice */
  async #note(trying: string | null): Promise<boolean> {
    return this.#set({ trying }, trying === WHOLE_SLICE ? this.#isFirstToTry() : undefined);
  }

  /** @returns false if this worker has lost the slice, or the condition is not met */
  async #set(
    values: { trying: string | null } | { in_flight: string[] },
    condition: RawBuilder<boolean> = sql<boolean>`true`,
  ): Promise<boolean> {
    const { numUpdatedRows } = await this.#options.db
      .updateTable('delivery_slices')
      .set(values)
      .where(held(this.#slice))
      .where(condition)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }
}
