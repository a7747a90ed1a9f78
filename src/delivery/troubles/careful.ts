/**
 * A slice whose worker has died is sent carefully: each step is noted in its row before it begins, and the note is
 * erased when the step is over. If the process dies again, the note says which step killed it, and the next process
 * skips that step. Steps that concern all devices are noted from the first attempt on if the notification has several slices.
 *
 * A push is noted while it is compiled and handed to its gateway, and again while a refusal of it is read,
 * and only one at a time in a process. So a process that is killed for another reason never leaves more than
 * one note, and none while it only waits (docs/decisions/0038).
 */
import { setTimeout as wait } from 'node:timers/promises';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Database } from '../../db/tables.ts';
import { jittered } from '../../scheduling/jitter.ts';
import type { ActiveNotifications } from '../send/active-notifications.ts';
import { held, type LeasedSlice, type NextSlice, WHOLE_SLICE } from '../slice-store.ts';
import type { OneAtATime } from './one-at-a-time.ts';

/** A process holds a note for all devices for milliseconds, unless it dies: another asks again after 20 ms, 40 ms and so on, for a second. */
const ASKED_MAX = 7;
const ASK_AGAIN_MS = 10;

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
  /** Refusals that have arrived and are not read yet. */
  readonly #refusals: { deviceId: string; begin: () => void; read: Promise<void> }[] = [];
  /** What is noted for certain: null as well while a note is being replaced. */
  #noted: string | null = null;
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
   *   trying; then nothing was done
   * @throws what the action throws, or the database's error
   */
  async attemptForAll<T>(step: string, action: () => Promise<T>): Promise<T | undefined> {
    const { notifications } = this.#options;
    const hasSurvived = (): boolean => notifications.hasSurvived(this.#slice, step);
    if (hasSurvived()) return action();
    return this.inTurn(async (note) => {
      if (hasSurvived()) return action();
      if (!(await note(WHOLE_SLICE))) return undefined;
      const result = await action();
      notifications.survived(this.#slice, step);
      return result;
    });
  }

  /**
   * Runs steps that may kill the process, one after another. Each calls `note` with the id of its device before it begins: that
   * replaces the note of the step before in one statement, and the last note is erased at the end.
   * @param steps must end soon, for others wait; ends when `note` returns false, because this worker has lost the slice
   * @throws what the steps throw, or the database's error
   */
  async inTurn<T>(steps: (note: (what: string) => Promise<boolean>) => Promise<T>): Promise<T> {
    return this.#options.turns.run(async () => {
      let isNoted = false;
      const result = await steps(async (what) => {
        isNoted = true;
        return this.#noteInTurn(what);
      });
      if (isNoted) await this.#note(null);
      return result;
    });
  }

  /**
   * Has a push noted while a refusal of it is read.
   * @returns `begin` resolves when it may be read, and may be called again; `end` is to be called when it has been read
   */
  reading(deviceId: string): { begin: () => Promise<void>; end: () => void } {
    const read = Promise.withResolvers<void>();
    let begun: Promise<void> | undefined;
    return {
      begin: async () => (begun ??= this.#waitToRead(deviceId, read.promise)),
      end: () => read.resolve(),
    };
  }

  async #waitToRead(deviceId: string, read: Promise<void>): Promise<void> {
    // The probe of a paused route is answered while it is still noted.
    if (this.#noted === deviceId) return;
    const { promise, resolve: begin } = Promise.withResolvers<void>();
    this.#refusals.push({ deviceId, begin, read });
    if (this.#refusals.length === 1) void this.#readRefusals();
    await promise;
  }

  /**
   * Lets all refusals that have arrived be read, one after another. Where one cannot be noted, it is read all
   * the same: it has become known, and the push would be sent again.
   */
  async #readRefusals(): Promise<void> {
    await this.#options.turns.run(async () => {
      for (let refusal = this.#refusals[0]; refusal !== undefined; refusal = this.#refusals[0]) {
        await this.#note(refusal.deviceId).catch(() => undefined);
        refusal.begin();
        await refusal.read;
        if (this.#refusals.length === 1) await this.#note(null).catch(() => undefined);
        this.#refusals.shift();
      }
    });
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
      await wait(jittered(ASK_AGAIN_MS * 2 ** asked, Math.random));
    }
    return true;
  }

  /** @returns false if this worker has lost the slice, or if another process has the same note for all devices */
  async #note(trying: string | null): Promise<boolean> {
    this.#noted = null;
    const { numUpdatedRows } = await this.#options.db
      .updateTable('delivery_slices')
      .set({ trying })
      .where(held(this.#slice))
      .where(trying === WHOLE_SLICE ? this.#isFirstToTry() : sql<boolean>`true`)
      .executeTakeFirst();
    this.#noted = trying;
    return numUpdatedRows > 0n;
  }
}
