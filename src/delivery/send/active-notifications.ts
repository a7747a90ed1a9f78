/** Keeps data of the notifications that this thread is sending, so that a slice costs less to lease and to read. */
import type { Kysely } from 'kysely';
import type { TokenKeys } from '../../apps/token-keys.ts';
import type { Database } from '../../db/tables.ts';
import { leaseNextSlice, type NextSlice, type NotificationKey } from '../slice-store.ts';
import { type ActiveNotification, readActiveNotification } from './active-notification-store.ts';

/** Few bulk notifications are sent at once, and the body of each may have a megabyte. */
const KEPT_MAX = 32;

/** A slice that becomes free before the last one leased waits at most this long for its turn. */
const FROM_FIRST_EVERY_MS = 1_000;

/**
 * How many slices after the last one leased are searched: more than other processes are likely to have leased, but few
 * enough to read them all, as Postgres does if its statistics suggest hardly any.
 */
const SEARCHED_MAX = 256;

interface Active {
  /** Undefined until the first slice is read. */
  fixed: ActiveNotification | undefined;
  /** The number of the slice that this process leased last; -1 if none. */
  lastLeased: number;
  /** Steps that this process has survived in this thread (`troubles/careful.ts`). */
  survived: Set<string>;
  /** When the slices were last searched from the first one, in Unix milliseconds; -Infinity if never. */
  fromFirstAt: number;
}

export class ActiveNotifications {
  readonly #tokenKeys: TokenKeys;
  /** Identifies this process to those that take over its slices. */
  readonly holder: string;
  /** Least recently used first. */
  readonly #kept = new Map<string, Active>();

  /** @param tokenKeys open sensitive notifications */
  constructor(tokenKeys: TokenKeys, holder: string) {
    this.#tokenKeys = tokenKeys;
    this.holder = holder;
  }

  /**
   * Leases the first free slice among those after the one that this process leased last, or else the first of all.
   *
   * Reason: while a transaction has an older snapshot (a dump, a replica), the index keeps the entries of done slices,
   * which a search from the first slice reads.
   * @param takesOver whether slices with an expired lease count as free
   * @returns undefined if there is none, or if the notification is not in state `sending`
   */
  async leaseNext(
    db: Kysely<Database>,
    key: NotificationKey,
    now: Date,
    takesOver = true,
  ): Promise<NextSlice | undefined> {
    const active = this.#use(key);
    const { holder } = this;
    const sinceMs = now.getTime() - active.fromFirstAt;
    // A clock that has been set back makes it negative.
    const searchesOn = sinceMs >= 0 && sinceMs < FROM_FIRST_EVERY_MS;
    const next = { first: active.lastLeased + 1, last: active.lastLeased + SEARCHED_MAX };
    let slice = searchesOn
      ? await leaseNextSlice(db, key, now, { holder, numbers: next, takesOver })
      : undefined;
    if (slice === undefined) {
      slice = await leaseNextSlice(db, key, now, { holder, takesOver });
      active.fromFirstAt = now.getTime();
    }
    if (slice !== undefined) active.lastLeased = slice.number;
    return slice;
  }

  /** Whether this process has survived a step of it. */
  hasSurvived({ notificationId }: NotificationKey, step: string): boolean {
    return this.#kept.get(notificationId)?.survived.has(step) === true;
  }

  survived(key: NotificationKey, step: string): void {
    this.#use(key).survived.add(step);
  }

  /** @throws if the notification does not exist, which cannot happen while one of its slices is leased */
  async read(db: Kysely<Database>, key: NotificationKey): Promise<ActiveNotification> {
    const active = this.#use(key);
    active.fixed ??= await readActiveNotification(db, key, this.#tokenKeys);
    return active.fixed;
  }

  #use({ notificationId }: NotificationKey): Active {
    const active = this.#kept.get(notificationId) ?? {
      fixed: undefined,
      survived: new Set<string>(),
      lastLeased: -1,
      fromFirstAt: -Infinity,
    };
    this.#kept.delete(notificationId);
    this.#kept.set(notificationId, active);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= KEPT_MAX) break;
      this.#kept.delete(oldest);
    }
    return active;
  }
}
