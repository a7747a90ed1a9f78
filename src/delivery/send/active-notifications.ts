/** Caches the notifications that a process is sending, so that each is read once and not for every slice. */
import type { Kysely } from 'kysely';
import type { Database } from '../../db/tables.ts';
import type { NotificationKey } from '../slice-store.ts';
import { type FixedNotification, readActiveNotification } from './active-notification-store.ts';

/** Few broadcasts are sent at once, and the body of each may have a megabyte. */
const KEPT_MAX = 32;

export class ActiveNotifications {
  /** Least recently used first. */
  readonly #kept = new Map<string, FixedNotification>();

  /** @throws if the notification does not exist, which cannot happen while one of its slices is leased */
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
