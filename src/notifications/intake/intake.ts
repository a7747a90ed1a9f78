/**
 * Stores notifications many at a time (docs/decisions/0022). A call that arrives alone is stored at once. Calls that arrive while
 * a statement is running are collected, and the next statement stores all of them, when that one has ended or as soon as
 * enough calls wait: one round trip and one flush of the disk for all of them. Only during a bulk send do calls wait for a timer.
 *
 * If a shared statement fails because of one of its lines, each line is stored by a statement of its own, so that no
 * line suffers from its neighbours.
 */
import type { Kysely } from 'kysely';
import { DatabaseError } from 'pg';
import type { SendingApp } from '../../apps/sending-app.ts';
import type { Clock } from '../../clock.ts';
import { conditionOf } from '../../db/database-error.ts';
import type { Database } from '../../db/tables.ts';
import { SharedRuns } from '../../scheduling/shared-runs.ts';
import type { Observe } from '../../observe.ts';
import { drainJob } from '../../queue/job.ts';
import type { Queue } from '../../queue/queue.ts';
import { RedisAway } from '../../queue/redis-errors.ts';
import type { MatchingDevice } from '../../targeting/matching-devices.ts';
import type { NotificationContent } from '../message.ts';
import { BatchLimit } from './batch-limit.ts';
import type { Line, NewNotification } from './line.ts';
import { storeLines, type StoredLines } from './store.ts';

export interface Intake {
  /**
   * Stores the notification with its audience, and then wakes a worker if it is due.
   * @returns undefined if nothing was stored: its idempotency key is used, the app does not have the stored audience, or
   *   another call is making the same audience. The next try sees what the other call has stored
   * @throws the database's error. Then nothing was stored, unless the connection was lost
   */
  store(line: Line): Promise<Stored | undefined>;
  /** Says when the notifications of batches may be stored. */
  batchLimit: BatchLimit;
}

export interface Stored {
  /** Null if the notification has filters of its own. */
  audienceId: string | null;
  /** Whether a worker was woken; undefined if it is not due yet, or this process has claimed it. Never rejects. */
  wakeUp: Promise<WakeUp> | undefined;
}

type WakeUp = { error?: unknown };

/** A notification that was claimed in the statement that stored it. */
export interface StoredClaim {
  row: NewNotification;
  content: NotificationContent;
  /** Sorted by id; at least one. */
  devices: readonly MatchingDevice[];
  app: SendingApp;
}

/** Sends notifications that are claimed here, in a process that is a worker too. */
export interface DirectStart {
  /** How many may be claimed now. */
  readonly free: number;
  /** @returns what ends the listening. `listener` is called whenever more may be claimed */
  onFree(listener: () => void): () => void;
  /** The most devices of one claim. */
  readonly devicesMax: number;
  /** Whether this process is sending a bulk notification. */
  readonly isSendingBulk: boolean;
  /** Sends them; does not throw. */
  start(claims: readonly StoredClaim[], claimedAt: Date): void;
}

/** Postgres works on one statement while the calls of the other are answered and the next calls arrive. */
const STATEMENTS_MAX = 2;
/** Milliseconds between statements while this process sends a bulk notification, which every statement slows down. */
const BULK_PAUSE_MS = 20;
/**
 * Lines for which a statement waits neither for the end of another nor during a bulk send. Twice as many would take Postgres a
 * fifth less each, half as many a third more, because a statement costs as much as storing several lines.
 */
const ENOUGH_LINES = 16;
/** With more lines than this, two statements at once take processor time from sending: more is accepted, less delivered. */
const OVERLAP_LINES_MAX = 100;
const LINES_MAX = 200;
/**
 * The notifications of all batches in this process that may be in progress: as many as one statement stores, and as many that wait.
 * More would only make single calls, which share the statements, wait longer.
 */
const BATCH_LINES_MAX = 2 * LINES_MAX;

/**
 * The number of waiting lines is bounded by the number of open requests. When all lines have their result, nothing is
 * left open.
 */
export function openIntake({
  db,
  queue,
  clock,
  observe,
  direct,
}: {
  db: Kysely<Database>;
  queue: Pick<Queue, 'add'>;
  clock: Clock;
  observe: Observe;
  /** Undefined: workers claim everything. */
  direct?: DirectStart | undefined;
}): Intake {
  const shared = new SharedRuns<Line, Stored | undefined>({
    run: storeLinesTogether,
    itemsMax: LINES_MAX,
    runsMax: STATEMENTS_MAX,
    overlap: { min: ENOUGH_LINES, max: OVERLAP_LINES_MAX },
    everyMs: () => (direct?.isSendingBulk === true ? BULK_PAUSE_MS : 0),
    enough: ENOUGH_LINES,
    soon: (task) => task(), // a call that arrives alone waits for nothing
    isFaultOfItem: isFaultOfLine,
    // Waiting lines would wait as long again for a database that does not answer.
    isOutage: isSilence,
  });
  /** The results of lines with an idempotency key that are waiting or being stored. */
  const keys = new Map<string, Promise<unknown>>();

  async function storeLinesTogether(lines: readonly Line[]): Promise<(Stored | undefined)[]> {
    const claimedAt = clock();
    const claimable = mayClaim(lines);
    let stored: StoredLines;
    try {
      stored = await storeLines(db, claimable, claimedAt);
    } catch (error) {
      if (lines.length === 1 && isRace(error)) return [undefined];
      throw error;
    }
    const claims: StoredClaim[] = [];
    let isAnyDue = false;
    for (const line of lines) {
      const row = stored.rows.get(line.row.id);
      const app = stored.apps.get(line.row.app_id);
      if (row?.devices !== undefined && line.claim !== undefined && app !== undefined) {
        claims.push({ row: line.row, content: line.claim.content, devices: row.devices, app });
      } else if (row !== undefined && isDue(line)) isAnyDue = true;
    }
    if (claims.length > 0) direct?.start(claims, claimedAt);
    const wakeUp = isAnyDue ? wake() : undefined;
    return lines.map((line) => {
      const row = stored.rows.get(line.row.id);
      if (row === undefined) return undefined;
      const { audienceId, devices } = row;
      return { audienceId, wakeUp: devices === undefined && isDue(line) ? wakeUp : undefined };
    });
  }

  /** @returns the lines; only as many as this process can send now may be claimed */
  function mayClaim(lines: readonly Line[]): readonly Line[] {
    let free = direct?.free ?? 0;
    const devicesMax = direct?.devicesMax ?? 0;
    return lines.map((line) => {
      const { claim, ...rest } = line;
      if (claim === undefined) return line;
      if (free <= 0 || !isDue(line)) return rest;
      free -= 1;
      return { ...rest, claim: { ...claim, devicesMax: Math.min(claim.devicesMax, devicesMax) } };
    });
  }

  /** Not awaited by the reply, as a queue that hangs must not delay it. The sweep starts notifications that are due later. */
  async function wake(): Promise<WakeUp> {
    try {
      await queue.add([drainJob]);
      return {};
    } catch (error) {
      // `RedisAway` is already logged, and the sweep finds the notifications.
      if (!(error instanceof RedisAway)) {
        observe({ kind: 'queue_error', message: error instanceof Error ? error.message : String(error) });
      }
      return { error };
    }
  }

  return {
    batchLimit: new BatchLimit({ max: BATCH_LINES_MAX, slots: direct }),
    store: async (line) => {
      if (line.idempotency === undefined) return shared.add(line);
      const key = `${line.row.app_id} ${line.idempotency.key}`;
      const first = keys.get(key);
      if (first !== undefined) {
        await first.catch(() => undefined); // its caller gets the error
        return undefined;
      }
      const result = shared.add(line).finally(() => keys.delete(key));
      keys.set(key, result);
      return result;
    },
  };
}

function isDue({ row }: Line): boolean {
  return row.due_at <= row.created_at;
}

/** Whether the statement failed because of its lines, and not because of the database or the connection. */
function isFaultOfLine(error: unknown): boolean {
  return error instanceof DatabaseError && conditionOf(error) === undefined;
}

/** Whether another transaction used the same key or made the same audience at the same time. */
function isRace(error: unknown): boolean {
  if (!(error instanceof DatabaseError)) return false;
  const { constraint } = error;
  return constraint === 'notifications_idempotency' || constraint === 'notifications_app_id_audience_id_fkey';
}

/** Whether the database could not be reached, or did not answer in time. */
function isSilence(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return conditionOf(error) === 'unreachable' || ('code' in error && error.code === 'ETIMEDOUT');
}
