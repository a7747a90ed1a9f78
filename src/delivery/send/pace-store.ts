/** The rows of `gateway_paces`: how much of its quota each Firebase project has left, and until when it is paused. */
import { type Kysely, sql } from 'kysely';
import type { Database } from '../../db/tables.ts';

export interface Draw {
  project: string;
  /** The project's quota. */
  perSecond: number;
  pushes: number;
  /** Unused pushes of the previous draw. They are given back, so that a single push does not cost a whole draw. */
  unused: number;
}

/** Both in Unix ms. */
export interface Drawn {
  goAtMs: number;
  pausedUntilMs: number;
}

/** A row whose refill is further in the future than this was written by a clock that has been set back since. */
const CLOCK_SKEW_SECONDS_MAX = 10;

/** Takes pushes from the allowance. Pushes that are drawn during a pause may be sent only after its end. */
export async function drawFrom(
  db: Kysely<Database>,
  { project, perSecond, pushes, unused }: Draw,
  nowMs: number,
): Promise<Drawn> {
  const now = new Date(nowMs);
  const from = sql`greatest(${now}::timestamptz, pace.paused_until)`;
  const isAhead = sql`pace.refilled_at > ${from} + make_interval(secs => ${CLOCK_SKEW_SECONDS_MAX})`;
  const { rows } = await sql<{ allowance: number; paused_until: Date | null }>`
    insert into gateway_paces as pace (project, allowance, refilled_at)
    values (${project}, ${perSecond - pushes}, ${now})
    on conflict (project) do update set
      allowance = least(${perSecond}::float8, pace.allowance + ${unused}
        + ${perSecond} * greatest(extract(epoch from ${from} - pace.refilled_at), 0)) - ${pushes},
      refilled_at = case when ${isAhead} then ${from} else greatest(pace.refilled_at, ${from}) end
    returning allowance, paused_until`.execute(db);
  const { allowance = 0, paused_until: pausedUntil = null } = rows[0] ?? {};
  const pausedUntilMs = pausedUntil?.getTime() ?? 0;
  const debtMs = Math.max(-allowance / perSecond, 0) * 1_000;
  return { goAtMs: Math.max(nowMs, pausedUntilMs) + debtMs, pausedUntilMs };
}

/** @returns the end of the project's pause (Unix ms), which may be in the past; 0 if it was never paused */
export async function readPause(db: Kysely<Database>, project: string): Promise<number> {
  const row = await db
    .selectFrom('gateway_paces')
    .select('paused_until')
    .where('project', '=', project)
    .executeTakeFirst();
  return row?.paused_until?.getTime() ?? 0;
}

/** Pauses the project for all workers, unless it is paused for longer already. */
export async function storePause(db: Kysely<Database>, project: string, until: Date): Promise<void> {
  await db
    .updateTable('gateway_paces')
    .set({ paused_until: sql`greatest(paused_until, ${until})` })
    .where('project', '=', project)
    .execute();
}

/**
 * Ends all pauses after the clock was set back, because their ends may come from the clock that was ahead. A gateway
 * that still wants a pause asks for it again.
 */
export async function endPauses(db: Kysely<Database>, now: Date): Promise<void> {
  await db.updateTable('gateway_paces').set({ paused_until: null }).where('paused_until', '>', now).execute();
}
