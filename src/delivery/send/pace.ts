/**
 * How fast a gateway's project may be sent to. Google grants a project so many pushes a minute, whoever sends
 * them, and asks the whole project to slow down; so the allowance is one row of the database, from which every
 * worker draws enough for many pushes at once. Apple documents no such limit: there a pause is all there is.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../db/tables.ts';

export interface Pace {
  /**
   * Asks for pushes that go together.
   * @param pushes how many
   * @returns the moment (Unix ms) before which they may not be sent; in the past where they may go now
   */
  take(pushes: number): Promise<number>;
  /**
   * For pushes that were granted their place before.
   * @returns the end (Unix ms) of a pause that was ordered since, as it was known a second ago or later
   */
  pausedUntil(): Promise<number>;
  /** The gateway asked the project to slow down: nothing before this moment (Unix ms), on any worker. */
  pauseUntil(untilMs: number): void;
}

/** For a gateway without a quota: pauses only, and only here. */
export function openPauses(clock: Clock): Pace {
  let pausedUntilMs = 0;
  let orderedAtMs = 0;
  const pausedUntil = async (): Promise<number> => {
    // Ordered by a clock that has been put back since: nobody knows how long the pause was meant to be.
    if (clock().getTime() < orderedAtMs) pausedUntilMs = 0;
    return pausedUntilMs;
  };
  return {
    take: pausedUntil,
    pausedUntil,
    pauseUntil: (untilMs) => {
      pausedUntilMs = Math.max(pausedUntilMs, untilMs);
      orderedAtMs = clock().getTime();
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

/** A draw's part of what is granted in a second: 40 small statements a second in all, 250 pushes each at Google's 10,000. */
const DRAWS_PER_SECOND = 40;
const DRAW_PUSHES_MIN = 250;
/** What was drawn or read is good for so long; then somebody looks whether the project has been paused meanwhile. */
const KNOWN_FOR_MS = 1_000;
/** An allowance that was refilled later than this after now was refilled by a clock that has been put back since. */
const CLOCK_SKEW_SECONDS_MAX = 10;
/** For how long a draw waits for a database that is away: a second less than a lease holds, so that it is still ours. */
const DRAW_TRIES_MAX = 36;
const DRAW_RETRY_MS = 250;

/**
 * A share of the project's allowance, a token bucket that holds one second's worth. It may go into debt: a
 * draw always succeeds, and says when its pushes may go.
 */
export function openSharedPace(options: SharedPaceOptions): Pace {
  const { db, project, pushesPerMinute, clock } = options;
  const drawPushes = Math.max(Math.ceil(pushesPerMinute / 60 / DRAWS_PER_SECOND), DRAW_PUSHES_MIN);
  let left = 0;
  let goAtMs = 0;
  let drawnAtMs = 0;
  let drawing: Promise<void> | undefined;
  let pausedUntilMs = 0;
  let lookedAtMs = 0;
  let looking: Promise<number> | undefined;

  // Also what was learnt at a moment that is yet to come: the clock has been put back since.
  const isOld = (atMs: number): boolean => Math.abs(clock().getTime() - atMs) > KNOWN_FOR_MS;
  const isPutBack = (): boolean => clock().getTime() < Math.max(drawnAtMs, lookedAtMs) - KNOWN_FOR_MS;
  const has = (pushes: number): boolean => left >= pushes && !isOld(drawnAtMs);
  const learn = (untilMs: number, nowMs: number): void => {
    pausedUntilMs = Math.max(pausedUntilMs, untilMs);
    lookedAtMs = nowMs;
  };
  const draw = async (wanted: number): Promise<void> => {
    const pushes = Math.max(drawPushes, wanted);
    const unused = left; // too old by now, or too few
    left = 0;
    if (isPutBack()) pausedUntilMs = 0;
    try {
      const drawn = await drawPatiently(options, { pushes, unused });
      drawnAtMs = clock().getTime();
      learn(drawn.pausedUntilMs, drawnAtMs);
      goAtMs = drawn.goAtMs;
      left = pushes;
    } finally {
      drawing = undefined;
    }
  };
  const look = async (): Promise<number> => {
    try {
      const nowMs = clock().getTime();
      learn(await readPause(db, project), nowMs);
    } catch {
      // The database is away: the push has its place, and of a pause nobody can have told us.
    } finally {
      looking = undefined;
    }
    return pausedUntilMs;
  };

  return {
    async take(pushes) {
      while (!has(pushes)) await (drawing ??= draw(pushes));
      left -= pushes;
      return Math.max(goAtMs, pausedUntilMs);
    },
    async pausedUntil() {
      return isOld(lookedAtMs) ? (looking ??= look()) : pausedUntilMs;
    },
    pauseUntil(untilMs) {
      if (untilMs <= pausedUntilMs) return; // the first of many equal answers has said it
      pausedUntilMs = untilMs;
      // Not awaited: whoever pushes is held back already; other workers learn of it within a second.
      void sharePause(db, project, new Date(untilMs)).catch(() => undefined);
    },
  };
}

interface Draw {
  pushes: number;
  /** Of the draw before, given back: who sends a push now and then takes no more than that. */
  unused: number;
}

/**
 * As `drawFrom`, but waits for a database that is away for some seconds: a slice that fails here has pushes in
 * hand that are not on record, and they would be pushed again.
 */
async function drawPatiently(options: SharedPaceOptions, draw: Draw): ReturnType<typeof drawFrom> {
  for (let tries = 1; ; tries++) {
    try {
      return await drawFrom(options, draw, options.clock().getTime());
    } catch (error) {
      if (tries === DRAW_TRIES_MAX) throw error;
      await wait(DRAW_RETRY_MS);
    }
  }
}

/** Nothing is granted during a pause: what is drawn then is paced from its end on. */
async function drawFrom(
  options: SharedPaceOptions,
  { pushes, unused }: Draw,
  nowMs: number,
): Promise<{ goAtMs: number; pausedUntilMs: number }> {
  const { db, project, pushesPerMinute } = options;
  const perSecond = pushesPerMinute / 60;
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

async function readPause(db: Kysely<Database>, project: string): Promise<number> {
  const row = await db
    .selectFrom('gateway_paces')
    .select('paused_until')
    .where('project', '=', project)
    .executeTakeFirst();
  return row?.paused_until?.getTime() ?? 0;
}

async function sharePause(db: Kysely<Database>, project: string, until: Date): Promise<void> {
  await db
    .updateTable('gateway_paces')
    .set({ paused_until: sql`greatest(paused_until, ${until})` })
    .where('project', '=', project)
    .execute();
}

/**
 * For the moment when the clock was put back: ends the pauses that are under way, since nobody knows which of them were
 * ordered by the clock that was ahead. A gateway that still means it says so again.
 */
export async function endPauses(db: Kysely<Database>, now: Date): Promise<void> {
  await db.updateTable('gateway_paces').set({ paused_until: null }).where('paused_until', '>', now).execute();
}
