/**
 * Plans a due notification: counts its audience once, decides whether it may be sent, and cuts it into slices of the
 * device id space. One transaction locks the notification's row, so if two workers, or a worker and a cancel, try at
 * the same time, only one succeeds. A worker that finds the row locked skips it.
 */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { listCredentialVersions } from '../../apps/credentials/store.ts';
import { capOfGroup, readFrequencyCaps } from '../../apps/frequency-caps.ts';
import { filtersOfAudience } from '../../audiences/audience-store.ts';
import { countDevicesWithToken } from '../../targeting/devices-with-token.ts';
import { countAllDevices } from '../../targeting/count-devices.ts';
import { someReachedThrough } from '../../targeting/reached-through.ts';
import type { Filter } from '../../filters/filter.ts';
import { namedTokenOf } from '../../notifications/apns/named-token.ts';
import { momentSchema } from '../../notifications/moment/moment.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../db/tables.ts';
import { stringifyJson } from '../../json/lossless.ts';
import { bulkShare } from '../../scheduling/event-loop-share.ts';
import type { GatewayName } from '../../route.ts';
import {
  type NotificationContent,
  parseContent,
  type SendingRules,
  sendingRulesFrom,
  timeToLiveOf,
} from '../../notifications/message.ts';
import { type Origin, originColumns, originOf } from '../../notifications/origin.ts';
import { mustKeepFilters, targetFilters } from '../../notifications/target-filters.ts';
import type { Observe } from '../../observe.ts';
import { noTracer, type Tracer } from '../../tracing/span.ts';
import { wakeOlderUpdates } from '../activities/wake-older.ts';
import { countCapped } from '../caps/count-capped.ts';
import { isDue } from './due.ts';
import { cutIdSpace, SLICE_DEVICES } from './id-ranges.ts';
import { insertSlices, type NotificationKey } from '../slice-store.ts';
import { tracePlan } from '../trace.ts';
import { forgetTroubles } from '../troubles/trouble-store.ts';
import { planOwnHours, planWaves } from '../waves/plan-waves.ts';
import type { CutWave } from '../waves/wave.ts';
import { insertWaves, startWave } from '../waves/wave-store.ts';

export interface Plan {
  lane: 'direct' | 'bulk';
  /** How many of them may be delivered now. */
  slices: number;
}

/**
 * Many may be planned at once; parsing a body of a megabyte takes 50 ms, so each long body is parsed in a turn of its
 * own.
 */
const LONG_CHARACTERS = 32_768;

/** A notification for more devices is sent in the bulk lane. A person may be waiting for a notification to so few devices. */
export const DIRECT_DEVICES_MAX = 100;

/**
 * @returns the plan; undefined if the notification is not due, is no longer scheduled, is locked by another worker, or
 *   was ended by planning (dry run, empty audience, too many devices, no credentials)
 */
export async function planNotification(
  context: { db: Kysely<Database>; clock: Clock; observe: Observe; tracer?: Tracer },
  key: NotificationKey,
): Promise<Plan | undefined> {
  const { db, observe, tracer = noTracer } = context;
  const { notificationId } = key;
  const now = context.clock();
  const decided = await db.transaction().execute(async (transaction) => {
    const found = await decide(transaction, key, now);
    if (found !== undefined) await forgetTroubles(transaction, key);
    return found;
  });
  if (decided === undefined) return undefined;
  const { origin, updates, ...decision } = decided;
  if (updates !== undefined) await wakeOlderUpdates(db, { appId: key.appId, ...updates }, now);
  const { requestId } = origin;
  tracePlan(tracer, { ...key, origin }, decision, now);
  if (decision.kind === 'ended') {
    const { state, reason } = decision;
    observe({ kind: 'notification_ended', notificationId, requestId, state, reason });
    return undefined;
  }
  const { lane, slices, devices } = decision;
  observe({ kind: 'notification_planned', notificationId, requestId, devices, slices, lane });
  return { lane, slices };
}

type Decision =
  | { kind: 'ended'; state: 'validated' | 'sent' | 'failed'; reason: string | null; devices: number }
  | ({ kind: 'planned'; devices: number } & Plan);

interface Found {
  origin: Origin;
  /** The Live Activity whose older updates it replaces. */
  updates: { activityId: string; createdAt: Date } | undefined;
}

/** The devices of the audience, and if they are due at different moments, their waves. */
interface Counted {
  devices: number;
  waves: readonly CutWave[];
  /** The snapshot of the count; null without waves. */
  snapshot: string | null;
}

const hasOwnHours = sql<boolean>`(select a.devices_have_quiet_hours from apps as a where a.id = n.app_id)`;

/** All devices are due at the same moment. */
const unmoved = { waves: [], snapshot: null };

async function decide(
  db: Kysely<Database>,
  key: NotificationKey,
  now: Date,
): Promise<(Decision & Found) | undefined> {
  const notification = await db
    .selectFrom('notifications as n')
    .select(['n.body', 'n.moment', 'n.created_at', 'n.due_at', ...originColumns])
    .select([targetFilters.as('filters'), mustKeepFilters.as('must_keep_filters')])
    .select(hasOwnHours.as('has_own_hours'))
    .where('app_id', '=', key.appId)
    .where('id', '=', key.notificationId)
    .where('state', '=', 'scheduled')
    .where(isDue(now))
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();
  if (notification === undefined) return undefined;

  if (notification.body.length > LONG_CHARACTERS) await bulkShare.whenFree();
  const content = parseContent(notification.body);
  const rules = sendingRulesFrom(content);
  const filters = filtersOfAudience(notification.filters);
  const toCount = { ...notification, filters, timeToLiveSeconds: timeToLiveOf(content), rules };
  const token = namedTokenOf(content);
  const counted =
    token === undefined
      ? await count(db, key.appId, toCount, now)
      : // Only iOS devices have such tokens, and their moments do not matter.
        { ...unmoved, devices: await countDevicesWithToken(db, { appId: key.appId, filters, now, token }) };
  const isReachable = async (gateways: ReadonlySet<GatewayName>): Promise<boolean> =>
    token === undefined
      ? someReachedThrough(db, { appId: key.appId, filters, now }, gateways)
      : gateways.has('apns');
  const decision = await weigh(db, key.appId, rules, counted.devices, isReachable);
  const isDryRun = decision.kind === 'ended' && decision.state === 'validated';
  const capped = isDryRun ? await countCappedOf(db, { appId: key.appId, filters }, rules, now) : 0;
  if (decision.kind === 'planned' && counted.snapshot === null) {
    await insertSlices(db, key, cutIdSpace(decision.slices), now);
  }
  await db
    .updateTable('notifications')
    .set({
      devices: decision.devices,
      started_at: now,
      ...(decision.kind === 'planned'
        ? {
            state: 'sending',
            lane: decision.lane,
            // A wave counts as one slice until it starts.
            slices_left: counted.snapshot === null ? decision.slices : counted.waves.length,
            newest_device: newestDevice(key.appId),
          }
        : {
            state: decision.state,
            reason: decision.reason,
            ended_at: now,
            encrypted_body: null,
            // Nothing will be sent to any of them (see `device-outcome.ts`).
            ...(decision.state === 'failed' && { rejected: decision.devices }),
            ...(capped > 0 && { capped }),
          }),
      ...(counted.snapshot !== null && { planned_in: counted.snapshot }),
      ...(notification.must_keep_filters && { planned_filters: stringifyJson(notification.filters) }),
    })
    .where('app_id', '=', key.appId)
    .where('id', '=', key.notificationId)
    .execute();
  const found = { origin: originOf(notification), updates: updatesOf(content, notification.created_at) };
  if (counted.snapshot === null) return { ...decision, ...found };
  await insertWaves(db, key, counted.waves, decision.kind === 'planned' ? 'waiting' : 'over');
  if (decision.kind === 'ended') return { ...decision, ...found };
  let slices = 0;
  for (const { wave, dueAt } of counted.waves) {
    if (dueAt <= now) slices += (await startWave(db, { ...key, wave }))?.slices ?? 0;
  }
  return { ...decision, slices, ...found };
}

/**
 * When the newest device of the app was registered. It is read after the count, so no device that was counted is newer.
 * The clock of this process would not do: the process that registered the device may be ahead.
 */
function newestDevice(appId: string): RawBuilder<Date> {
  return sql<Date>`greatest(
    (select max(created_at) from indexed_device_targets where app_id = ${appId}),
    (select max(created_at) from device_targets_unindexed where app_id = ${appId}))`;
}

function updatesOf({ live_activity: activity }: NotificationContent, createdAt: Date): Found['updates'] {
  if (activity === undefined || activity.event === 'start') return undefined;
  return { activityId: activity.activity_id, createdAt };
}

/** How many devices of a dry run a frequency cap would leave out now. */
async function countCappedOf(
  db: Kysely<Database>,
  { appId, filters }: { appId: string; filters: Filter[] },
  { group }: SendingRules,
  now: Date,
): Promise<number> {
  if (group === null) return 0;
  const cap = capOfGroup(await readFrequencyCaps(db, appId), group);
  return cap === undefined ? 0 : countCapped(db, { appId, cap, filters }, now);
}

interface ToCount {
  filters: Filter[];
  timeToLiveSeconds: number;
  rules: SendingRules;
  moment: unknown;
  created_at: Date;
  due_at: Date;
  /** Whether devices of the app may have quiet hours of their own. */
  has_own_hours: boolean;
}

async function count(
  db: Kysely<Database>,
  appId: string,
  { rules, moment, created_at: createdAt, due_at: dueAt, has_own_hours, ...wanted }: ToCount,
  now: Date,
): Promise<Counted> {
  const { ignoresOwnHours } = rules;
  const { filters, timeToLiveSeconds } = wanted;
  const request = { appId, filters, timeToLiveSeconds, now, dueAt };
  if (moment !== null) {
    return planWaves(db, { ...request, moment: momentSchema.parse(moment), createdAt, ignoresOwnHours });
  }
  const devices = await countAllDevices(db, { appId, filters, now });
  const own =
    has_own_hours && !ignoresOwnHours && devices > 0 ? await planOwnHours(db, request, devices) : undefined;
  return { ...unmoved, ...own, devices };
}

async function weigh(
  db: Kysely<Database>,
  appId: string,
  { dryRun, maxRecipients }: SendingRules,
  devices: number,
  /** Whether a device is reached through one of the gateways. */
  isReachable: (gateways: ReadonlySet<GatewayName>) => Promise<boolean>,
): Promise<Decision> {
  if (maxRecipients !== null && devices > maxRecipients) {
    const reason = `max_recipients exceeded: the audience has ${devices} devices, at most ${maxRecipients} were allowed`;
    return { kind: 'ended', state: 'failed', reason, devices };
  }
  if (dryRun) return { kind: 'ended', state: 'validated', reason: null, devices };
  if (devices === 0) return { kind: 'ended', state: 'sent', reason: null, devices };

  const gateways = new Set((await listCredentialVersions(db, appId)).map(({ gateway }) => gateway));
  if (!(await isReachable(gateways))) {
    const reason = 'no credentials: the app has none for the gateways of these devices';
    return { kind: 'ended', state: 'failed', reason, devices };
  }
  return {
    kind: 'planned',
    devices,
    lane: devices <= DIRECT_DEVICES_MAX ? 'direct' : 'bulk',
    slices: Math.ceil(devices / SLICE_DEVICES),
  };
}
