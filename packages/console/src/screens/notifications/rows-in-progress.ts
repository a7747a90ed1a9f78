/** Keeps the numbers of a list up to date without moving its rows, and counts what is newer. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { call } from '../../frame/api.ts';
import { addressOf, type Query } from '../../frame/router.ts';
import { useWhileVisible } from '../../kit/states.tsx';
import type { NewerNotifications } from '../../replies.ts';
import { isOver, type Notification, notificationPath } from './notification.tsx';

const EVERY_MS = 4_000;
/** At most this many rows in progress are read each time, the newest first. */
const ROWS_MAX = 5;

interface Updates {
  newer: NewerNotifications;
  /** The current state of rows, by id. */
  present: ReadonlyMap<string, Notification>;
}

const NOTHING: Updates = { newer: { count: 0, more: false }, present: new Map() };

/** Asks every few seconds while the page is visible, for news only if there is a `newest`: the position of the first row. */
export function useUpdates(
  rows: readonly Notification[] | undefined,
  newest: string | null | undefined,
  filters: Query,
): Updates {
  const [updates, setUpdates] = useState<Updates>(NOTHING);
  const controller = useRef(new AbortController());
  useEffect(() => {
    setUpdates(NOTHING);
    controller.current = new AbortController();
    return () => controller.current.abort();
  }, [rows]);
  const ask = async (): Promise<void> => {
    const { signal } = controller.current;
    const open = (rows ?? []).map((row) => updates.present.get(row.id) ?? row).filter((row) => !isOver(row));
    const path = addressOf('/v6/notifications/newer', { than: newest ?? undefined, ...filters });
    const [newer, ...read] = await Promise.all([
      newest === undefined ? NOTHING.newer : call<NewerNotifications>({ method: 'GET', path }, signal),
      ...open
        .slice(0, ROWS_MAX)
        .map(async ({ id }) => call<Notification>({ method: 'GET', path: notificationPath(id) }, signal)),
    ]);
    const present = new Map([...updates.present, ...read.map((row) => [row.id, row] as const)]);
    if (!signal.aborted) setUpdates({ newer, present });
  };
  useWhileVisible(rows === undefined ? undefined : EVERY_MS, async () =>
    ask().catch(() => {
      // The numbers stay as they are; the status bar says that the server cannot be reached.
    }),
  );
  return updates;
}
