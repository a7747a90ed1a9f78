/**
 * The sign of life of a thread that sends pushes, and what it alone knows: a row that it writes every second, and that
 * every process reads (`facts-store.ts`).
 */
import { randomUUID } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { preparedAs } from '../db/prepared.ts';
import type { Database } from '../db/tables.ts';
import type { Route } from '../route.ts';
import type { TroubleCode } from './trouble.ts';

/** A trouble as a worker leaves it. Contains no values of the data. */
export interface LeftTrouble {
  code: TroubleCode;
  /** Unix ms, by the clock of the worker. */
  sinceMs: number;
  /** A gateway's word, or a sentence. */
  reason: string | null;
  appId?: string;
  /** The bundle id of the app. */
  app?: string;
  route?: Route;
}

/** Rows of threads that were killed; one that is kept says since when there has been no worker. */
const KEEP_HOURS = 24;

export function openPulse(db: Kysely<Database>, troubles: () => readonly LeftTrouble[]) {
  const id = randomUUID();
  let isFirst = true;
  let isStopped = false;
  return {
    /** Writes the row. @throws the database's error */
    async beat(): Promise<void> {
      if (isStopped) return;
      if (isFirst) {
        await sql`delete from worker_pulses
          where seen_at < clock_timestamp() - ${KEEP_HOURS} * interval '1 hour'`.execute(db);
      }
      isFirst = false;
      await sql`${preparedAs('beat_pulse')}
        insert into worker_pulses as p (id, seen_at, troubles)
        values (${id}, clock_timestamp(), ${JSON.stringify(troubles())}::jsonb)
        on conflict (id) do update set seen_at = excluded.seen_at, troubles = excluded.troubles`.execute(db);
    },
    /** Removes the row, so that nobody waits for this thread. Never rejects. */
    async stop(): Promise<void> {
      isStopped = true;
      await sql`delete from worker_pulses where id = ${id}`.execute(db).catch(() => undefined);
    },
  };
}
