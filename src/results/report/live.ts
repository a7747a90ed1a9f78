/**
 * Live views of notifications. All views of a process share one statement per second, whatever is being watched and by how many
 * (`live-store.ts`), and the viewers of a notification share its reply. Nothing is read while nobody watches.
 */
import type { Kysely } from 'kysely';
import { readCredentials } from '../../apps/credentials/store.ts';
import type { SecretKey } from '../../apps/seal.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../db/tables.ts';
import { ApiError } from '../../api/errors.ts';
import { noSuchNotification } from '../../notifications/look-up/read.ts';
import { type Route, routes as everyRoute } from '../../route.ts';
import type { Status } from '../../status/status.ts';
import { isUuid } from '../../uuid.ts';
import { paceKeyOf } from '../../delivery/send/pace.ts';
import type { NotificationKey } from '../../delivery/slice-store.ts';
import { type LiveRow, readLiveRows } from './live-store.ts';
import { OutcomeRate } from './outcome-rate.ts';
import { type Progress, progressFrom } from './progress-reply.ts';

/** Each view holds a connection open. */
const VIEWERS_MAX = 200;
const VIEWERS_OF_APP_MAX = 100;
const READ_EVERY_MS = 1_000;

export interface Viewer {
  /** @param data JSON, a `Progress` */
  progress(data: string): void;
  /** Nothing more comes: the notification has ended. @param data JSON of its last `Progress` */
  end(data: string): void;
  /** Nothing more comes: the process stops. */
  stop(): void;
}

export type LiveViews = ReturnType<typeof openLiveViews>;
export type LiveView = Awaited<ReturnType<LiveViews['open']>>;

interface LiveOptions {
  db: Kysely<Database>;
  /** Decrypts the credentials, which name the app's Firebase project. */
  secret: SecretKey;
  clock: Clock;
  fcmPushesPerMinute: number;
  status: Pick<Status, 'fresh' | 'ofApp' | 'reading'>;
  everyMs?: number;
}

interface Subject {
  key: NotificationKey;
  viewers: Set<Viewer>;
  rate: OutcomeRate;
  /** As it was last read. */
  row: LiveRow;
  routes: readonly Route[] | undefined;
  project: string | null;
  /** The last progress, in two forms: without its time, to see whether it has changed, and as it was sent. */
  last: { facts: string; data: string; isOver: boolean };
}

export function openLiveViews(options: LiveOptions) {
  const { db, clock, fcmPushesPerMinute, status, everyMs = READ_EVERY_MS } = options;
  /** By app and notification; including subjects that are being opened. */
  const subjects = new Map<string, Promise<Subject>>();
  const watched = new Set<Subject>();
  /** The views that are open or being opened. */
  const openViews = new Set<{ appId: string }>();
  let timer: NodeJS.Timeout | undefined;
  let reading: Promise<void> | undefined;
  let isClosed = false;

  async function open(key: NotificationKey): Promise<Subject> {
    const known = await routesOf(options, key.appId);
    const now = clock();
    const [row] = await readLiveRows(db, [{ ...key, project: known.project }], now);
    if (row === undefined) throw noSuchNotification();
    const subject = { key, viewers: new Set<Viewer>(), rate: new OutcomeRate(), row, ...known };
    await status.fresh();
    return { ...subject, last: lastOf(progressOf(row, subject, now)) };
  }

  /** Viewers that come at the same time share the first statement as well. */
  function subjectOf(key: NotificationKey): Promise<Subject> {
    const name = nameOf(key);
    const known = subjects.get(name);
    if (known !== undefined) return known;
    const opening = open(key);
    subjects.set(name, opening);
    opening.catch(() => subjects.delete(name));
    return opening;
  }

  function progressOf(row: LiveRow, subject: Pick<Subject, 'key' | 'rate' | 'routes'>, now: Date): Progress {
    const { key, rate, routes } = subject;
    const troubles = status.ofApp(key.appId);
    return progressFrom(row, rate, { now, fcmPushesPerMinute, troubles, routes });
  }

  function drop(subject: Subject): void {
    subjects.delete(nameOf(subject.key));
    watched.delete(subject);
  }

  function schedule(): void {
    if (isClosed || timer !== undefined || reading !== undefined || watched.size === 0) return;
    timer = setTimeout(() => {
      timer = undefined;
      reading = readAll().finally(() => {
        reading = undefined;
        schedule();
      });
    }, everyMs);
  }

  async function readAll(): Promise<void> {
    const now = clock();
    const present = [...watched];
    try {
      const wanted = present.map(({ key, project }) => ({ ...key, project }));
      await status.fresh();
      const read = await status.reading(async () => readLiveRows(db, wanted, now));
      const rows = new Map(read.map((row) => [row.id, row]));
      for (const subject of present) {
        const row = rows.get(subject.key.notificationId);
        if (row === undefined) continue;
        subject.row = row;
        publish(subject, progressOf(row, subject, now));
      }
    } catch {
      // The database does not answer: the counters stand still, and the limit says why.
      for (const subject of present) publish(subject, progressOf(subject.row, subject, now));
    }
  }

  function publish(subject: Subject, progress: Progress): void {
    const next = lastOf(progress);
    if (next.facts === subject.last.facts) return;
    subject.last = next;
    if (next.isOver) drop(subject);
    for (const viewer of subject.viewers) show(viewer, next);
  }

  function begin(subject: Subject, viewer: Viewer): void {
    subject.viewers.add(viewer);
    if (!subject.last.isOver) watched.add(subject);
    schedule();
    show(viewer, subject.last);
  }

  function leave(subject: Subject, viewer: Viewer | undefined): void {
    if (viewer !== undefined) subject.viewers.delete(viewer);
    if (subject.viewers.size === 0) drop(subject);
  }

  return {
    /** @throws {ApiError} `not_found`; `unavailable` if too many views are open */
    async open({ appId, notificationId }: NotificationKey) {
      if (!isUuid(notificationId)) throw noSuchNotification();
      if (isClosed) throw new ApiError('unavailable');
      const ofApp = [...openViews].filter((view) => view.appId === appId);
      if (openViews.size >= VIEWERS_MAX || ofApp.length >= VIEWERS_OF_APP_MAX) throw tooManyViews();
      const view = { appId };
      openViews.add(view);
      const key = { appId, notificationId: notificationId.toLowerCase() };
      const subject = await subjectOf(key).catch((error: unknown) => {
        openViews.delete(view);
        throw error;
      });
      let present: Viewer | undefined;
      return {
        /** Sends the progress when it has changed, at most once per second. */
        start: (viewer: Viewer): void => {
          present = viewer;
          if (openViews.has(view)) begin(subject, viewer);
        },
        /** Must be called in any case. May be called twice. */
        close: (): void => {
          if (openViews.delete(view)) leave(subject, present);
        },
      };
    },
    /** Stops all views, and resolves when the last statement has ended. */
    async close(): Promise<void> {
      isClosed = true;
      clearTimeout(timer);
      for (const { viewers: present } of watched) for (const viewer of present) viewer.stop();
      await reading;
    },
  };
}

function nameOf({ appId, notificationId }: NotificationKey): string {
  return `${appId} ${notificationId}`;
}

function show(viewer: Viewer, { data, isOver }: Subject['last']): void {
  if (isOver) viewer.end(data);
  else viewer.progress(data);
}

function lastOf({ at, ...facts }: Progress): Subject['last'] {
  return {
    facts: JSON.stringify(facts),
    data: JSON.stringify({ at, ...facts }),
    isOver: facts.ended_at !== null,
  };
}

function tooManyViews(): ApiError {
  return new ApiError('unavailable', {
    message:
      'Too many live views are open in this process; close some, or read the notification every few seconds.',
    retryAfterSeconds: 10,
  });
}

/** The routes for which the app has credentials, and the key of its pace. */
async function routesOf(
  { db, secret }: Pick<LiveOptions, 'db' | 'secret'>,
  appId: string,
): Promise<Pick<Subject, 'routes' | 'project'>> {
  try {
    const credentials = await readCredentials(db, secret, appId);
    const { fcm } = credentials;
    return {
      routes: everyRoute.filter((route) => credentials[route] !== undefined),
      project: fcm === undefined ? null : paceKeyOf(fcm.project_id),
    };
  } catch {
    return { routes: undefined, project: null }; // sealed with another SECRET_KEY; the counters are shown anyway
  }
}
