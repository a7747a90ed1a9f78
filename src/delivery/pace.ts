/**
 * How fast a gateway's project may be sent to. Google grants a project so many pushes a minute, whoever sends
 * them, and asks the whole project to slow down; so the allowance is one row of the database, from which every
 * worker draws enough for many pushes at once. Apple documents no such limit: there a pause is all there is.
 */
import { type Kysely, sql } from 'kysely';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/tables.ts';

export interface Pace {
  /**
   * Asks for one push.
   * @returns the moment (Unix ms) before which it may not be sent; in the past where it may go now
   */
  take(): number | Promise<number>;
  /** The same moment as far as it is known here, for a push that was granted its place before. */
  readonly notBeforeMs: number;
  /** The gateway asked the project to slow down: nothing before this moment (Unix ms), on any worker. */
  pauseUntil(untilMs: number): void;
}

/** For a gateway without a quota: pauses only, and only here. */
export function openPauses(): Pace {
  let pausedUntilMs = 0;
  return {
    take: () => pausedUntilMs,
    get notBeforeMs() {
      return pausedUntilMs;
    },
    pauseUntil: (untilMs) => {
      pausedUntilMs = Math.max(pausedUntilMs, untilMs);
    },
  };
}

export interface SharedPaceOptions {
  db: Kysely<Database>;
  /** Whose allowance it is, e.g. `fcm:<project id>`: apps of one project share it. */
  project: string;
  pushesPerMinute: number;
  clock: Clock;
}

/** Pushes drawn with one statement: at Google's 10,000 a second, 40 small statements a second in all. */
const DRAW_PUSHES = 250;
/** What was drawn is good for so long; then another draw looks whether the project has been paused meanwhile. */
const DRAW_KEEPS_MS = 1_000;

/**
 * A share of the project's allowance, a token bucket that holds one second's worth. It may go into debt: a
 * draw always succeeds, and says when its pushes may go.
 */
export function openSharedPace(options: SharedPaceOptions): Pace {
  const { db, project, clock } = options;
  let left = 0;
  let goAtMs = 0;
  let drawnAtMs = 0;
  let drawing: Promise<void> | undefined;

  const isSpent = (): boolean => left === 0 || clock().getTime() - drawnAtMs > DRAW_KEEPS_MS;
  const draw = async (): Promise<void> => {
    try {
      const nowMs = clock().getTime();
      goAtMs = Math.max(goAtMs, await drawFrom(options, nowMs));
      left = DRAW_PUSHES;
      drawnAtMs = nowMs;
    } finally {
      drawing = undefined;
    }
  };
  const takeDrawn = async (): Promise<number> => {
    while (isSpent()) await (drawing ??= draw());
    left -= 1;
    return goAtMs;
  };

  return {
    take() {
      if (isSpent()) return takeDrawn();
      left -= 1;
      return goAtMs;
    },
    get notBeforeMs() {
      return goAtMs;
    },
    pauseUntil(untilMs) {
      if (untilMs <= goAtMs) return; // the first of many equal answers has said it
      goAtMs = untilMs;
      // Not awaited: whoever pushes is held back already; other workers learn of it with their next draw.
      void sharePause(db, project, new Date(untilMs)).catch(() => undefined);
    },
  };
}

async function drawFrom(options: SharedPaceOptions, nowMs: number): Promise<number> {
  const { db, project, pushesPerMinute } = options;
  const perSecond = pushesPerMinute / 60;
  const now = new Date(nowMs);
  const { rows } = await sql<{ allowance: number; paused_until: Date | null }>`
    insert into gateway_paces as pace (project, allowance, refilled_at)
    values (${project}, ${perSecond - DRAW_PUSHES}, ${now})
    on conflict (project) do update set
      allowance = least(${perSecond}::float8, pace.allowance
        + ${perSecond} * greatest(extract(epoch from ${now}::timestamptz - pace.refilled_at), 0)) - ${DRAW_PUSHES},
      refilled_at = greatest(pace.refilled_at, ${now})
    returning allowance, paused_until`.execute(db);
  const { allowance = 0, paused_until: pausedUntil = null } = rows[0] ?? {};
  const debtMs = Math.max(-allowance / perSecond, 0) * 1_000;
  return Math.max(nowMs + debtMs, pausedUntil?.getTime() ?? 0);
}

async function sharePause(db: Kysely<Database>, project: string, until: Date): Promise<void> {
  await db
    .updateTable('gateway_paces')
    .set({ paused_until: sql`greatest(paused_until, ${until})` })
    .where('project', '=', project)
    .execute();
}
