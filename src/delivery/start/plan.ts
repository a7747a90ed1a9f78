/**
 * Plans a due notification: counts its audience once, decides whether it may be sent, and cuts it into slices of the
 * device id space. One transaction locks the notification's row, so if two workers, or a worker and a cancel, try at
 * the same time, only one succeeds. A worker that finds the row locked skips it.
 */
import type { Kysely } from 'kysely';
import { listCredentialVersions } from '../../apps/credentials.ts';
import { filtersOfAudience } from '../../audiences/audience-store.ts';
import { countDevicesByPlatform } from '../../targeting/count-devices.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../db/tables.ts';
import { platformOf } from '../../gateways/gateway.ts';
import { parseContent, sendingRulesFrom } from '../../notifications/message.ts';
import { type Origin, originColumns, originOf } from '../../notifications/origin.ts';
import { targetFilters } from '../../notifications/target-filters.ts';
import type { Observe } from '../../observe.ts';
import { noTracer, type Tracer } from '../../tracing/span.ts';
import { isDue } from './due.ts';
import { cutIdSpace } from './id-ranges.ts';
import { insertSlices, type NotificationKey } from '../slice-store.ts';
import { tracePlan } from '../trace.ts';

export interface Plan {
  lane: 'direct' | 'bulk';
  slices: number;
}

/** Devices per slice. Measured: from 1,000 on, the queries of a slice cost less than a tenth of its pushes. */
const SLICE_DEVICES = 1_000;
/** A notification for more devices is a broadcast. For up to this many, a person may be waiting for it. */
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
  const decided = await db.transaction().execute(async (transaction) => decide(transaction, key, now));
  if (decided === undefined) return undefined;
  const { origin, ...decision } = decided;
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

async function decide(
  db: Kysely<Database>,
  key: NotificationKey,
  now: Date,
): Promise<(Decision & { origin: Origin }) | undefined> {
  const notification = await db
    .selectFrom('notifications as n')
    .select(['n.body', ...originColumns, targetFilters.as('filters')])
    .where('app_id', '=', key.appId)
    .where('id', '=', key.notificationId)
    .where('state', '=', 'scheduled')
    .where(isDue(now))
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();
  if (notification === undefined) return undefined;

  const decision = await weigh(db, key.appId, notification, now);
  if (decision.kind === 'planned') await insertSlices(db, key, cutIdSpace(decision.slices), now);
  await db
    .updateTable('notifications')
    .set({
      devices: decision.devices,
      started_at: now,
      ...(decision.kind === 'planned'
        ? { state: 'sending', lane: decision.lane, slices_left: decision.slices }
        : {
            state: decision.state,
            reason: decision.reason,
            ended_at: now,
            // Nothing will be sent to any of them (see `device-outcome.ts`).
            ...(decision.state === 'failed' && { rejected: decision.devices }),
          }),
    })
    .where('app_id', '=', key.appId)
    .where('id', '=', key.notificationId)
    .execute();
  return { ...decision, origin: originOf(notification) };
}

async function weigh(
  db: Kysely<Database>,
  appId: string,
  notification: { body: string; filters: unknown },
  now: Date,
): Promise<Decision> {
  const filters = filtersOfAudience(notification.filters);
  const byPlatform = await countDevicesByPlatform(db, { appId, filters, now });
  const devices = byPlatform.iOS + byPlatform.Android;
  const { dryRun, maxRecipients } = sendingRulesFrom(parseContent(notification.body));

  if (maxRecipients !== null && devices > maxRecipients) {
    const reason = `max_recipients exceeded: the audience has ${devices} devices, at most ${maxRecipients} were allowed`;
    return { kind: 'ended', state: 'failed', reason, devices };
  }
  if (dryRun) return { kind: 'ended', state: 'validated', reason: null, devices };
  if (devices === 0) return { kind: 'ended', state: 'sent', reason: null, devices };

  const gateways = new Set((await listCredentialVersions(db, appId)).map(({ gateway }) => gateway));
  const reachable = [...gateways].reduce((sum, gateway) => sum + byPlatform[platformOf(gateway)], 0);
  if (reachable === 0) {
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
