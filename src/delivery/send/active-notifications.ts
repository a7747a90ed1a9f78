/** The notifications that a process is sending: each is read once, and kept while its slices follow one another. */
import type { Kysely } from 'kysely';
import type { Database } from '../../db/tables.ts';
import type { NotificationKey } from '../slice-store.ts';
import { type FixedNotification, readActiveNotification } from './active-notification-store.ts';

/** A body may have a megabyte, and few broadcasts are sent at once. */
const KEPT_MAX = 32;

export class ActiveNotifications {
  /** Least recently used first. */
  readonly #kept = new Map<string, FixedNotification>();

  /** @throws where the row is gone, which a leased slice rules out */
  async read(db: Kysely<Database>, key: NotificationKey): Promise<FixedNotification> {
    const { notificationId } = key;
    const notification = this.#kept.get(notificationId) ?? (await readActiveNotification(db, key));
    this.#kept.delete(notificationId);
    this.#kept.set(notificationId, notification);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= KEPT_MAX) break;
      this.#kept.delete(oldest);
    }
    return notification;
  }
}
