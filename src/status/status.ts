/**
 * Watches the server, and keeps the list of its troubles in memory: it is served even while the database stands still. One
 * statement and one command to the queue are in flight at most, so nothing queues up.
 */
import { statfs } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import { DatabaseError } from 'pg';
import { ApiError } from '../api/errors.ts';
import type { Clock } from '../clock.ts';
import { conditionOf, databaseError } from '../db/database-error.ts';
import type { Database } from '../db/tables.ts';
import type { DatabaseTrouble } from '../db/watch-database.ts';
import { surelyAheadMs } from '../gateways/clock-ahead.ts';
import type { DatabaseCondition, Observation, Observe } from '../observe.ts';
import type { Queue } from '../queue/queue.ts';
import { SearchStart } from '../scheduling/search-start.ts';
import { withinTime } from '../scheduling/time-limit.ts';
import { DEAD_AFTER_MS, readFacts, type StoredFacts } from './facts-store.ts';
import type { Found } from './in-words.ts';
import { type Findings, listTroubles, workerGoneMs } from './list.ts';
import { findMissingCredentials } from './missing-credentials.ts';
import { openNotes } from './notes.ts';
import type { LeftTrouble } from './pulse.ts';
import type { Trouble } from './trouble.ts';

export type Status = ReturnType<typeof openStatus>;

export interface StatusOptions {
  /** A connection that no other work uses, with short time limits. Undefined: the database has not been opened yet. */
  db: () => Kysely<Database> | undefined;
  queue: Pick<Queue, 'ping'>;
  clock: Clock;
  /** Undefined: nothing watches the errors of the process. */
  watch?: { readonly trouble: DatabaseTrouble | undefined } | undefined;
  observe: Observe;
  /** The directory of the embedded database; undefined: it is elsewhere. */
  dataDir?: string | undefined;
  /** How long the database and the queue may take to answer. */
  timeoutMs?: number;
}

/** The database refuses our statement, and takes others. */
const ANSWERS: ReadonlySet<DatabaseCondition> = new Set([
  'permission_denied',
  'wrong_schema',
  'no_free_connection',
]);

const LOOK_EVERY_MS = 1_000;
const TIMEOUT_MS = 2_000;
const RETRY_AFTER_SECONDS = 5;
const MISSING_EVERY_MS = 60_000;
/** Postgres writes its log in files of 16 MB. */
const ROOM_BYTES_MIN = 50e6;
/** Leases and due times depend on the clocks of the workers, which must differ by much less than a lease. */
export const CLOCK_APART_MS = 2_000;

interface Question {
  askedMs: number;
  ended: Promise<void>;
}

export function openStatus(options: StatusOptions) {
  const { db, queue, clock, watch, observe, timeoutMs = TIMEOUT_MS } = options;
  const notes = openNotes(clock);
  let facts: StoredFacts | undefined;
  let question: Question | undefined;
  /** The database does not answer since then (Unix ms), or answers with this error. */
  let failing: { sinceMs: number; condition: DatabaseCondition; message: string | null } | undefined;
  let failures = 0;
  const start = new SearchStart();
  /** When the database answered again after a break, or the watch began (monotonic). */
  let backMs = Number.NEGATIVE_INFINITY;
  let queueAwaySinceMs: number | undefined;
  let pinging: Promise<void> | undefined;
  let noWorkerSinceMs: number | undefined;
  const missing = new Map<string, Found>();
  let missingAskedMs = Number.NEGATIVE_INFINITY;
  let looking: Promise<unknown> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isStill = false;
  /** What waits for a reading, to be given up when the database stands still. */
  const readers = new Set<(error: Error) => void>();

  function fail(condition: DatabaseCondition, sinceMs: number, message: string | null): void {
    failing = { condition, sinceMs: failing?.sinceMs ?? sinceMs, message };
  }

  function standStill(askedMs: number): void {
    fail('unreachable', askedMs, null);
    isStill = true;
    for (const giveUp of readers) giveUp(databaseAway());
    readers.clear();
  }

  function databaseAway(cause?: unknown): ApiError {
    const since = new Date(failing?.sinceMs ?? clock().getTime()).toISOString();
    return new ApiError('unavailable', {
      message: `The database does not answer, since ${since}; nothing was read; try again shortly.`,
      retryAfterSeconds: RETRY_AFTER_SECONDS,
      cause,
    });
  }

  function succeed(read: StoredFacts): void {
    facts = read;
    if (failing !== undefined) backMs = performance.now();
    failing = undefined;
    isStill = false;
    failures = 0;
    const goneMs = workerGoneMs(read);
    // After a break every worker looks dead: none could write its pulse.
    if (goneMs === undefined) noWorkerSinceMs = undefined;
    else if (performance.now() - backMs >= DEAD_AFTER_MS) {
      const nowMs = clock().getTime();
      noWorkerSinceMs ??= goneMs === Infinity ? nowMs : nowMs - goneMs;
    }
  }

  async function readOnce(database: Kysely<Database>, askedMs: number): Promise<void> {
    try {
      const read = await readFacts(database, { start, now: new Date(askedMs) });
      const aheadMs = surelyAheadMs({ asked: askedMs, answered: clock().getTime() }, read.now.getTime());
      const seconds = Math.round(Math.abs(aheadMs) / 1_000);
      const words = `it is ${seconds} s ${aheadMs > 0 ? 'ahead' : 'behind'}`;
      notes.set('clock_apart', Math.abs(aheadMs) > CLOCK_APART_MS ? words : undefined);
      succeed(read);
    } catch (error) {
      failures += 1;
      const condition = conditionOf(error);
      // One of them may be chance: a statement that took long on a busy machine.
      if (failures > 1) observe(databaseError(error, 'status'));
      const isAnswer =
        error instanceof DatabaseError && condition !== 'terminated' && condition !== 'unreachable';
      if (isAnswer) isStill = false;
      if (!isAnswer) fail('unreachable', askedMs, null);
      else if (condition !== undefined) fail(condition, askedMs, databaseError(error).message);
      else failing = undefined;
    }
  }

  async function readMissing(): Promise<void> {
    const nowMs = performance.now();
    const database = failing === undefined ? db() : undefined;
    if (database === undefined || (timer !== undefined && nowMs - missingAskedMs < MISSING_EVERY_MS)) return;
    missingAskedMs = nowMs;
    const found = await findMissingCredentials(database).catch(() => undefined); // asked again in a minute
    if (found === undefined) return;
    const keys = new Set(found.map(({ appId, route }) => `${appId} ${route}`));
    for (const key of missing.keys()) if (!keys.has(key)) missing.delete(key);
    for (const one of found) {
      const key = `${one.appId} ${one.route}`;
      if (!missing.has(key)) {
        missing.set(key, { code: 'credentials_missing', sinceMs: clock().getTime(), reason: null, ...one });
      }
    }
  }

  async function lookAtDatabase(): Promise<void> {
    const database = db();
    if (database === undefined) return;
    if (question === undefined) {
      const askedMs = clock().getTime();
      const asked: Question = { askedMs, ended: readOnce(database, askedMs) };
      question = asked;
      void asked.ended.then(() => (question = undefined));
    }
    const { askedMs, ended } = question;
    if (!(await settlesWithin(timeoutMs, ended))) standStill(askedMs);
  }

  async function lookAtDisk(): Promise<void> {
    if (options.dataDir === undefined) return;
    const { bavail, bsize } = await statfs(options.dataDir);
    const bytes = bavail * bsize;
    const words = `${Math.round(bytes / 1e6)} MB are left`;
    notes.set('disk_full', bytes < ROOM_BYTES_MIN ? words : undefined);
  }

  async function lookAtQueue(): Promise<void> {
    const askedMs = clock().getTime();
    pinging ??= queue
      .ping(timeoutMs)
      .then(
        () => (queueAwaySinceMs = undefined),
        () => (queueAwaySinceMs ??= askedMs),
      )
      .then(() => (pinging = undefined));
    // A queue that hangs counts as away.
    if (!(await settlesWithin(timeoutMs, pinging))) queueAwaySinceMs ??= askedMs;
  }

  function look(): Promise<unknown> {
    looking ??= Promise.all([
      // That reads devices, and waits while they are locked.
      lookAtDatabase().then(async () => settlesWithin(timeoutMs, readMissing())),
      lookAtQueue(),
      lookAtDisk().catch(() => undefined),
    ]).finally(() => (looking = undefined));
    return looking;
  }

  function databaseTrouble(): Findings['database'] {
    const seen = watch?.trouble;
    if (failing !== undefined && (seen === undefined || failing.message === null)) return failing;
    if (seen !== undefined) return { ...seen, sinceMs: seen.since.getTime() };
    const lock = facts?.lock ?? undefined;
    return (
      lock && { condition: 'locked', sinceMs: lock.sinceMs, message: `the table ${lock.table} is locked` }
    );
  }

  function own(): LeftTrouble[] {
    const isFull = watch?.trouble?.condition === 'disk_full' ? watch.trouble.since.getTime() : undefined;
    return [
      ...notes.list(),
      ...(queueAwaySinceMs === undefined ? [] : [left('queue_away', queueAwaySinceMs)]),
      ...(isFull === undefined ? [] : [left('disk_full', isFull)]),
    ];
  }

  const troubles = (): Trouble[] =>
    listTroubles({
      database: databaseTrouble(),
      own: own(),
      facts,
      noWorkerSinceMs,
      missingCredentials: [...missing.values()],
    });
  return {
    /** Resolves when the list is no older than some seconds: at once, or after a look that takes bounded time. */
    async fresh(): Promise<void> {
      if (timer === undefined) await look();
    },
    /** The list as it is known. */
    troubles,
    /** Those of the server and of the app. */
    ofApp: (appId: string) =>
      troubles().filter((trouble) => trouble.appId === null || trouble.appId === appId),
    /** What this process alone knows, for its pulse. */
    own,
    /** Whether the database takes statements, as far as this process knows. */
    get isDatabaseUp() {
      return failing === undefined || ANSWERS.has(failing.condition);
    },
    get isQueueUp() {
      return queueAwaySinceMs === undefined;
    },
    /**
     * Waits for a reading from the database, and no longer once the database is found to stand still.
     * @throws {ApiError} `unavailable`, which names the database and since when, at once while it stands still; otherwise
     *   the error of `read`
     */
    async reading<T>(read: () => Promise<T>): Promise<T> {
      if (isStill) throw databaseAway();
      const { promise, resolve, reject } = Promise.withResolvers<T>();
      readers.add(reject);
      const rejected = (error: unknown): void => {
        const condition = conditionOf(error);
        const isAway = condition === 'unreachable' || condition === 'terminated';
        reject(isAway ? databaseAway(error) : error);
      };
      void read()
        .then(resolve, rejected)
        .finally(() => readers.delete(reject));
      return promise;
    },
    /** Must be called with every observation of the process. */
    observe(observation: Observation): void {
      notes.observe(observation);
      if (observation.kind === 'queue_away') queueAwaySinceMs ??= clock().getTime();
      if (observation.kind === 'queue_back') queueAwaySinceMs = undefined;
    },
    /** Looks every second from now on. Resolves after the first look at the database, in bounded time. */
    async start(): Promise<void> {
      backMs = performance.now();
      await lookAtDatabase();
      timer = setInterval(() => void look(), LOOK_EVERY_MS);
      timer.unref();
      void look();
    },
    async close(): Promise<void> {
      clearInterval(timer);
      await looking;
    },
  };
}

function left(code: LeftTrouble['code'], sinceMs: number): LeftTrouble {
  return { code, sinceMs, reason: null };
}

/**
 * Whether a promise settles in time. If this process itself stood still meanwhile, an answer that came in that time counts:
 * it is read in the turns of the event loop after the timer.
 */
async function settlesWithin(timeoutMs: number, promise: Promise<unknown>): Promise<boolean> {
  let isSettled = false;
  const settle = (): unknown => (isSettled = true);
  await withinTime(timeoutMs, promise.then(settle, settle)).catch(() => undefined);
  if (!isSettled) await wait(50);
  return isSettled;
}
