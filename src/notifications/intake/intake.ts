/**
 * Stores notifications in groups (docs/decisions/0022). A call that arrives alone is stored at once. Calls that arrive while
 * a statement is running are collected, and the next statement stores all of them: one round trip and one flush of the
 * disk for the group. Nothing waits for a timer.
 *
 * If the statement of a group fails because of one of its lines, each line is stored by a statement of its own, so that no
 * line suffers from its neighbours.
 */
import type { Kysely } from 'kysely';
import { DatabaseError } from 'pg';
import { conditionOf } from '../../db/database-error.ts';
import type { Database } from '../../db/tables.ts';
import type { Observe } from '../../observe.ts';
import { drainJob } from '../../queue/job.ts';
import type { Queue } from '../../queue/queue.ts';
import { RedisAway } from '../../queue/redis-errors.ts';
import { type Line, storeLines } from './store.ts';

export interface Intake {
  /**
   * Stores the notification with its audience, and then wakes a worker if it is due.
   * @returns undefined if nothing was stored: its idempotency key is used, the app does not have the stored audience, or
   *   another call is making the same audience. The next try sees what the other call has stored
   * @throws the database's error. Then nothing was stored, unless the connection was lost
   */
  store(line: Line): Promise<Stored | undefined>;
}

export interface Stored {
  /** Null if the notification has filters of its own. */
  audienceId: string | null;
  /** Whether a worker was woken; undefined if it is not due yet. Never rejects. */
  wakeUp: Promise<WakeUp> | undefined;
}

type WakeUp = { error?: unknown };

/** One at a time: with two, each would store half as many, and a statement costs as much as storing several lines. */
const STATEMENTS_MAX = 1;
const LINES_MAX = 200;

interface Waiting {
  line: Line;
  resolve: (stored: Stored | undefined) => void;
  reject: (error: unknown) => void;
}

/** The number of waiting lines is bounded by the number of open requests. Nothing is left open when all have their result. */
export function openIntake({
  db,
  queue,
  observe,
}: {
  db: Kysely<Database>;
  queue: Pick<Queue, 'add'>;
  observe: Observe;
}): Intake {
  const waiting: Waiting[] = [];
  let statements = 0;
  /** The results of lines with an idempotency key that are waiting or being stored. */
  const keys = new Map<string, Promise<unknown>>();

  function startStatements(): void {
    while (statements < STATEMENTS_MAX && waiting.length > 0) {
      statements++;
      void storeGroup(waiting.splice(0, LINES_MAX)).finally(() => {
        statements--;
        startStatements();
      });
    }
  }

  async function storeGroup(group: readonly Waiting[]): Promise<void> {
    try {
      await storeTogether(group);
    } catch (error) {
      if (isFaultOfLine(error) && group.length > 1) {
        for (const one of group) void storeGroup([one]);
        return;
      }
      // Waiting lines would wait as long again for a database that does not answer.
      const failed = isSilence(error) ? [...group, ...waiting.splice(0)] : group;
      for (const { resolve, reject } of failed) {
        if (isRace(error)) resolve(undefined);
        else reject(error);
      }
    }
  }

  /** @throws the error of the statement */
  async function storeTogether(group: readonly Waiting[]): Promise<void> {
    const stored = await storeLines(
      db,
      group.map(({ line }) => line),
    );
    const isDue = group.some(({ line: { row } }) => stored.has(row.id) && row.due_at <= row.created_at);
    const wakeUp = isDue ? wake() : undefined;
    for (const { line, resolve } of group) {
      const audienceId = stored.get(line.row.id);
      const { due_at: dueAt, created_at: createdAt } = line.row;
      resolve(
        audienceId === undefined
          ? undefined
          : { audienceId, wakeUp: dueAt <= createdAt ? wakeUp : undefined },
      );
    }
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

  async function enqueue(line: Line): Promise<Stored | undefined> {
    return new Promise((resolve, reject) => {
      waiting.push({ line, resolve, reject });
      startStatements();
    });
  }

  return {
    store: async (line) => {
      if (line.idempotency === undefined) return enqueue(line);
      const key = `${line.row.app_id} ${line.idempotency.key}`;
      const first = keys.get(key);
      if (first !== undefined) {
        await first.catch(() => undefined); // its caller gets the error
        return undefined;
      }
      const result = enqueue(line).finally(() => keys.delete(key));
      keys.set(key, result);
      return result;
    },
  };
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
