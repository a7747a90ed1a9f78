/**
 * Finds what limits the speed of a notification, as far as the database knows: a code for programs and a sentence for
 * people.
 */
import type { Route } from '../../route.ts';
import { pauseSentence } from '../../delivery/routes/route-store.ts';

export const limitCodes = [
  'scheduled',
  'waiting_for_worker',
  'disk_full',
  'route_paused',
  'gateway_paused',
  'google_quota',
  'retrying',
  'next_wave',
  'gateway_answers',
] as const;

export interface Limit {
  code: (typeof limitCodes)[number];
  sentence: string;
  /** When the limit ends, if that is known. */
  until: Date | null;
}

/** Facts about a notification and its app. */
export interface Circumstances {
  state: string;
  dueAt: Date;
  /** Outcomes per second; null while that is not known. */
  perSecond: number | null;
  /** The first unfinished slices; null if it is sent without slices. */
  slices: SampledSlices | null;
  /** When the next wave is due; null: none waits. */
  nextWaveAt: Date | null;
  pausedRoutes: readonly { route: Route; reason: string }[];
  /** The pace of the app's Firebase project; null if nothing was sent there yet. */
  pace: { allowance: number; refilledAt: Date; pausedUntil: Date | null } | null;
}

/** A sample of unfinished slices, by state. */
export interface SampledSlices {
  /** A worker holds them. */
  leased: number;
  /** Any worker may lease them. */
  due: number;
  /** Routes that any of them waits for. */
  waitsFor: readonly Route[];
  /** When the first slice that is neither leased nor due may be leased. */
  nextAt: Date | null;
}

/** The facts that are the same for all notifications that are watched. */
export interface Surroundings {
  now: Date;
  /** Google's quota for a project. */
  fcmPushesPerMinute: number;
  isDiskFull: boolean;
  /** The gateways for which the app has credentials; undefined if the credentials cannot be read. */
  gateways: readonly ('Apple' | 'Google')[] | undefined;
}

/** A bucket that holds less than this share of a second's pushes counts as empty: pushes leave as fast as it is refilled. */
const EMPTY_SHARE = 0.1;

/** @returns null once the notification has ended */
export function limitOf(of: Circumstances, around: Surroundings): Limit | null {
  const { state, dueAt, perSecond, slices } = of;
  const { now, isDiskFull } = around;
  if (state === 'scheduled') {
    if (dueAt > now) return limit('scheduled', 'It is not due yet.', dueAt);
    return limit(
      'waiting_for_worker',
      'It is due, and no worker has begun it: all are busy, or none is running.',
    );
  }
  if (state !== 'sending') return null;
  if (isDiskFull) {
    return limit(
      'disk_full',
      'The disk of the database is full. Nothing more is sent until there is room again.',
    );
  }
  const paused = pauseOf(of);
  if (paused !== undefined) return paused;
  const quota = quotaOf(of, around);
  if (quota !== undefined) return quota;
  if (slices !== null && slices.leased === 0 && (perSecond ?? 0) === 0) {
    if (slices.due > 0) {
      return limit(
        'waiting_for_worker',
        'No worker is sending it: all are busy with others, or none is running.',
      );
    }
    if (slices.nextAt !== null) {
      const sentence =
        'The devices that are left wait for another try: a gateway did not take their pushes yet.';
      return limit('retrying', sentence, slices.nextAt);
    }
    if (of.nextWaveAt !== null) {
      return limit('next_wave', 'The devices that are left wait for their moment.', of.nextWaveAt);
    }
  }
  return limit('gateway_answers', answersSentence(around.gateways));
}

function pauseOf({ slices, pausedRoutes }: Circumstances): Limit | undefined {
  const waited = pausedRoutes.filter(({ route }) => slices?.waitsFor.includes(route) === true);
  if (waited.length === 0) return undefined;
  const sentences = waited.map(({ route, reason }) => pauseSentence(route, reason));
  const others =
    (slices?.leased ?? 0) > 0 || (slices?.due ?? 0) > 0 ? ' The other devices are sent to meanwhile.' : '';
  return limit('route_paused', `${sentences.join('; ')}.${others}`);
}

function quotaOf({ pace }: Circumstances, { now, fcmPushesPerMinute }: Surroundings): Limit | undefined {
  if (pace === null) return undefined;
  const { allowance, refilledAt, pausedUntil } = pace;
  if (pausedUntil !== null && pausedUntil > now) {
    return limit(
      'gateway_paused',
      'Google asked this Firebase project to send nothing for a while.',
      pausedUntil,
    );
  }
  const perSecond = fcmPushesPerMinute / 60;
  const refilled = (Math.max(0, now.getTime() - refilledAt.getTime()) / 1_000) * perSecond;
  if (allowance + refilled >= perSecond * EMPTY_SHARE) return undefined;
  const quota = `${formatted(perSecond)} pushes per second (${formatted(fcmPushesPerMinute)} per minute)`;
  return limit('google_quota', `Google’s quota: ${quota} for all apps of this Firebase project.`);
}

function answersSentence(gateways: Surroundings['gateways'] = ['Apple', 'Google']): string {
  const [first = 'The gateway', second] = gateways;
  const whose = second === undefined ? `${first}’s answers` : `The answers of ${first} and ${second}`;
  return `${whose} and the speed of this server: no quota and no pause holds it back.`;
}

function limit(code: Limit['code'], sentence: string, until: Date | null = null): Limit {
  return { code, sentence, until };
}

/** `10,000` */
function formatted(number: number): string {
  return Math.round(number).toLocaleString('en-US');
}
