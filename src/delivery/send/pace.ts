/**
 * The rate at which a gateway accepts pushes. Google grants each project a number of pushes per minute over all
 * processes, and may ask the whole project to slow down. So the allowance is one row in the database, and each draw of
 * a worker is for many pushes. Apple documents no such limit: its routes can only be paused.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../db/tables.ts';
import { jittered } from '../../scheduling/jitter.ts';
import { drawFrom, type Drawn, readPause, storePause } from './pace-store.ts';

export interface Pace {
  /**
   * Takes the allowance for a number of pushes that are sent together.
   * @returns the earliest moment at which they may be sent (Unix ms); in the past if they may be sent now
   */
  take(pushes: number): Promise<number> | number;
  /**
   * For pushes whose allowance was taken earlier: reads whether a pause has been ordered since.
   * @returns the end of the last pause (Unix ms), at most a second out of date
   */
  pausedUntil(): Promise<number>;
  /** Pauses sending until this moment (Unix ms), because the gateway asked the project to slow down. */
  pauseUntil(untilMs: number): void;
}

/** The key of a Firebase project in `gateway_paces`. */
export function paceKeyOf(projectId: string): string {
  return `fcm:${projectId}`;
}

/** The pace of a gateway without a quota. It has only pauses, which other processes do not see. */
export function openPauses(clock: Clock): Pace {
  let pausedUntilMs = 0;
  let orderedAtMs = 0;
  const pausedUntil = (): number => {
    // The clock has been set back since the pause was ordered, so its true end is unknown.
    if (pausedUntilMs > 0 && clock().getTime() < orderedAtMs) pausedUntilMs = 0;
    return pausedUntilMs;
  };
  return {
    take: pausedUntil,
    pausedUntil: async () => pausedUntil(),
    pauseUntil: (untilMs) => {
      pausedUntilMs = Math.max(pausedUntilMs, untilMs);
      orderedAtMs = clock().getTime();
    },
  };
}

export interface SharedPaceOptions {
  db: Kysely<Database>;
  /** The key of the allowance (`paceKeyOf`): apps of one project share it. */
  project: string;
  pushesPerMinute: number;
  clock: Clock;
  /** 0 to 1, for the jitter of retries. */
  random?: () => number;
}

/**
 * A draw takes 1/40 of a second's allowance, but at least 250 pushes. At Google's 10,000 pushes per second, that is 40
 * small statements per second over all workers.
 */
const DRAWS_PER_SECOND = 40;
const DRAW_PUSHES_MIN = 250;
/** A draw, or a read of the pause, is valid for this long, because another worker may pause the project. */
const KNOWN_FOR_MS = 1_000;
/** A draw is retried for this long while the database is unavailable: less than a lease, so that the slice is still held. */
const DRAW_PATIENCE_MS = 9_000;
const DRAW_RETRY_MS = 330;

/**
 * Opens the pace of a Firebase project. Its allowance is a token bucket that holds one second's worth. The bucket may
 * go into debt: a draw always succeeds, and returns when its pushes may be sent.
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

  // A moment in the future is old too: the clock has been set back since.
  const isOld = (atMs: number): boolean => Math.abs(clock().getTime() - atMs) > KNOWN_FOR_MS;
  const isSetBack = (): boolean => clock().getTime() < Math.max(drawnAtMs, lookedAtMs) - KNOWN_FOR_MS;
  const has = (pushes: number): boolean => left >= pushes && !isOld(drawnAtMs);
  const learn = (untilMs: number, nowMs: number): void => {
    pausedUntilMs = Math.max(pausedUntilMs, untilMs);
    lookedAtMs = nowMs;
  };
  const draw = async (wanted: number): Promise<void> => {
    const pushes = Math.max(drawPushes, wanted);
    const unused = left; // too old, or too few
    left = 0;
    if (isSetBack()) pausedUntilMs = 0;
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
      // The database is unavailable: the last known pause counts.
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
      if (untilMs <= pausedUntilMs) return; // an earlier answer has already ordered this pause
      pausedUntilMs = untilMs;
      // Not awaited: this worker pauses at once, and the others notice within a second.
      void storePause(db, project, new Date(untilMs)).catch(() => undefined);
    },
  };
}

/** Draws, and retries for some seconds: if the slice failed here, pushes with unsaved outcomes would be sent again. */
async function drawPatiently(
  { db, project, pushesPerMinute, clock, random = Math.random }: SharedPaceOptions,
  draw: { pushes: number; unused: number },
): Promise<Drawn> {
  const endAt = performance.now() + DRAW_PATIENCE_MS;
  for (;;) {
    try {
      return await drawFrom(db, { project, perSecond: pushesPerMinute / 60, ...draw }, clock().getTime());
    } catch (error) {
      if (performance.now() > endAt) throw error;
      await wait(jittered(DRAW_RETRY_MS, random));
    }
  }
}
