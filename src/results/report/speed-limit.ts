/**
 * Finds what limits the speed of a notification, as far as the database knows: a code for programs and a sentence for
 * people.
 */
import { z } from 'zod';
import { timeText } from '../../api/reply.ts';
import { gatewayOf, gatewayTitles, type Route } from '../../route.ts';
import { pauseSentence } from '../../delivery/routes/route-store.ts';
import { holdsPushes, type Trouble, type TroubleCode } from '../../status/trouble.ts';
import type { LiveRow } from './live-store.ts';

const enumeration = new Intl.ListFormat('en-GB');

export const limitCodes = [
  'scheduled',
  'waiting_for_worker',
  'disk_full',
  'database_trouble',
  'route_paused',
  'gateway_trouble',
  'gateway_paused',
  'google_quota',
  'retrying',
  'next_wave',
  'sent_carefully',
  'gateway_answers',
] as const;

export const limitReply = z
  .strictObject({
    code: z.enum(limitCodes),
    sentence: z.string().describe('For people.'),
    until: timeText.nullable().describe('When the limit ends, if that is known.'),
  })
  .meta({ id: 'SpeedLimit' })
  .nullable()
  .describe('What limits the speed; null once it has ended.');

type Limit = NonNullable<z.output<typeof limitReply>>;

/** Facts about a notification and its app. */
export interface Circumstances extends Pick<
  LiveRow,
  'state' | 'due_at' | 'slices' | 'nextWaveAt' | 'pausedRoutes' | 'allowance' | 'refilledAt' | 'pausedUntil'
> {
  /** Outcomes per second; null while that is not known. */
  perSecond: number | null;
}

/** What holds at that moment for the server and the app. */
export interface Surroundings {
  now: Date;
  /** Google's quota for a project. */
  fcmPushesPerMinute: number;
  /** Those of the server and of the app. */
  troubles: readonly Pick<Trouble, 'code' | 'what' | 'effect' | 'route'>[];
  /** The routes for which the app has credentials; undefined if the credentials cannot be read. */
  routes: readonly Route[] | undefined;
}

/** A bucket that holds less than this share of a second's pushes counts as empty: pushes leave as fast as it is refilled. */
const EMPTY_SHARE = 0.1;

/** @returns null once the notification has ended */
export function limitOf(of: Circumstances, around: Surroundings): Limit | null {
  const { state, due_at: dueAt, perSecond, slices } = of;
  const { now } = around;
  const isStill = (perSecond ?? 0) === 0;
  if (state === 'scheduled' && dueAt > now) return limit('scheduled', 'It is not due yet.', dueAt);
  if (state !== 'sending' && state !== 'scheduled') return null;
  const full = troubleOf(around, 'disk_full');
  if (full !== undefined) return limit('disk_full', `${full.what} ${full.effect}`);
  const ofDatabase = around.troubles.find(({ code }) => DATABASE.test(code) && holdsPushes({ code }));
  if (ofDatabase !== undefined) return limit('database_trouble', `${ofDatabase.what} ${ofDatabase.effect}`);
  const noWorker = troubleOf(around, 'no_worker');
  if (noWorker !== undefined && (state === 'scheduled' || isStill))
    return limit('waiting_for_worker', 'No worker is running.');
  if (state === 'scheduled') return limit('waiting_for_worker', 'It is due, and no worker has begun it yet.');
  const paused = pauseOf(of, around);
  if (paused !== undefined) return paused;
  const failing = isStill ? around.troubles.filter(({ code }) => OF_GATEWAYS.has(code)) : [];
  if (failing.length > 0) return limit('gateway_trouble', failing.map(({ what }) => what).join(' '));
  const quota = quotaOf(of, around);
  if (quota !== undefined) return quota;
  if (slices !== null && slices.leased === 0 && isStill) {
    if (slices.due > 0) {
      return limit('waiting_for_worker', 'No worker is sending it: all are busy with others.');
    }
    if (slices.nextAtMs !== null) {
      const sentence =
        'The devices that are left wait for another try: a gateway did not take their pushes yet.';
      return limit('retrying', sentence, new Date(slices.nextAtMs));
    }
    if (of.nextWaveAt !== null) {
      return limit('next_wave', 'The devices that are left wait for their moment.', of.nextWaveAt);
    }
  }
  if (slices !== null && slices.careful > 0 && slices.careful === slices.leased)
    return limit('sent_carefully', CAREFULLY);
  return limit('gateway_answers', answersSentence(of, around));
}

const CAREFULLY =
  'A process died while it sent to the devices that are left. Each push to them is noted, which is slow: one that ends a process again is left out.';

const DATABASE = /^database_/;
const OF_GATEWAYS: ReadonlySet<TroubleCode> = new Set([
  'gateway_silent',
  'gateway_errors',
  'credentials_refused',
  'quota_used_up',
]);

function troubleOf(
  { troubles }: Surroundings,
  wanted: TroubleCode,
): Surroundings['troubles'][number] | undefined {
  return troubles.find(({ code }) => code === wanted);
}

/** While nothing moves, a paused route is the reason, even if no slice says yet that it waits for it. */
function pauseOf(
  { slices, pausedRoutes, perSecond }: Circumstances,
  { routes }: Surroundings,
): Limit | undefined {
  const waited = pausedRoutes.filter(
    ({ route }) => perSecond === 0 || slices?.waitsFor.includes(route) === true,
  );
  if (waited.length === 0) return undefined;
  const sentences = waited.map(({ route, reason }) => `${pauseSentence(route, reason)}.`);
  const isAll = routes?.every((route) => pausedRoutes.some((paused) => paused.route === route)) === true;
  const goOn = !isAll && ((slices?.leased ?? 0) > 0 || (slices?.due ?? 0) > 0);
  if (goOn) sentences.push('The other devices are sent to meanwhile.');
  return limit('route_paused', sentences.join(' '));
}

function quotaOf(
  { allowance, refilledAt, pausedUntil }: Circumstances,
  { now, fcmPushesPerMinute }: Surroundings,
): Limit | undefined {
  if (allowance === null || refilledAt === null) return undefined;
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

/** Nothing is said to be fine that is not. */
function answersSentence({ pausedRoutes }: Circumstances, { routes, troubles }: Surroundings): string {
  const asked: readonly Route[] = routes ?? ['apns_production', 'fcm'];
  const names = new Set(asked.map((route) => gatewayTitles[gatewayOf(route)]));
  const [first = 'The gateway'] = names;
  const whose = names.size > 1 ? `The answers of ${enumeration.format(names)}` : `${first}’s answers`;
  const also = [
    ...pausedRoutes.map(({ route, reason }) => `${pauseSentence(route, reason)}.`),
    ...troubles.filter(({ code }) => OF_GATEWAYS.has(code)).map(({ what }) => what),
  ];
  const limits = `${whose} and the speed of this server`;
  return also.length > 0 ? `${limits}. ${also.join(' ')}` : `${limits}: no quota and no pause holds it back.`;
}

function limit(code: Limit['code'], sentence: string, until: Date | null = null): Limit {
  return { code, sentence, until: until?.toISOString() ?? null };
}

/** `10,000` */
function formatted(number: number): string {
  return Math.round(number).toLocaleString('en-US');
}
