/**
 * The direct path of single pushes: due notifications to few devices or users are claimed by one statement, together with their
 * devices, and each is then sent as a whole (`claims/claim-delivery.ts`). All other notifications are planned (`plan.ts`).
 */
import type { TokenKeys } from '../../apps/token-keys.ts';
import { readSendingApps, type SendingApp } from '../../apps/sending-app.ts';
import { filtersOfAudience } from '../../audiences/audience-store.ts';
import { namedTokenOf } from '../../notifications/apns/named-token.ts';
import { perDeviceOf } from '../../notifications/content/per-device.ts';
import { messageFrom, type NotificationContent, sendingRulesFrom } from '../../notifications/message.ts';
import type { StoredClaim } from '../../notifications/intake/intake.ts';
import { originOf } from '../../notifications/origin.ts';
import { contentToSend } from '../../notifications/sensitive/stored-body.ts';
import type { ClaimedNotification } from '../claims/claim-delivery.ts';
import type { DeliveryContext } from '../send/deliver.ts';
import { deviceKeyOf } from '../../targeting/devices-by-key.ts';
import type { MatchingDevice } from '../../targeting/matching-devices.ts';
import { ofNotification } from '../slice-store.ts';
import { tracePlan } from '../trace.ts';
import { claimByKey, type ClaimRequest, type DueNotification } from './direct-store.ts';
import { DIRECT_DEVICES_MAX } from './plan.ts';

/** What became of due notifications. */
export interface ClaimResults {
  claimed: ClaimedNotification[];
  /**
   * Must be planned: a dry run, a notification with a frequency cap or for other push tokens, too many devices, no
   * credentials, or filters other than a few ids. Some may be locked by another worker or no longer be scheduled, which
   * planning finds out. For one that cannot be read, planning will fail as well, and ends it after some attempts.
   */
  toPlan: DueNotification[];
}

/** A due notification that may be claimed. */
interface Candidate extends ClaimRequest {
  due: DueNotification;
  content: NotificationContent;
}

type ClaimContext = Pick<DeliveryContext, 'db' | 'clock' | 'observe' | 'tracer'>;
type DueContext = ClaimContext & Pick<DeliveryContext, 'tokenKeys'>;

/** Claims what can be claimed. @throws the database's error */
export async function claimDue(
  context: DueContext,
  notifications: readonly DueNotification[],
): Promise<ClaimResults> {
  const results: ClaimResults = { claimed: [], toPlan: [] };
  const candidates: Candidate[] = [];
  for (const due of notifications) {
    const candidate = await candidateOf(due, context.tokenKeys).catch(() => undefined);
    if (candidate === undefined) results.toPlan.push(due);
    else candidates.push(candidate);
  }
  if (candidates.length === 0) return results;

  const { db } = context;
  const startedAt = context.clock();
  const [claims, apps] = await Promise.all([
    claimByKey(db, candidates, startedAt),
    readSendingApps(db, [...new Set(candidates.map(({ appId }) => appId))]),
  ]);
  for (const { due, content } of candidates) {
    const devices = claims.get(due.notificationId);
    const app = apps.get(due.appId);
    if (devices === undefined || app === undefined) {
      results.toPlan.push(due);
      continue;
    }
    const claimed = claimedNotification(context, { due, content, devices, startedAt, app });
    if (claimed !== undefined) results.claimed.push(claimed);
  }
  return results;
}

/** Reports a claim that was made by the statement that stored the notification. @returns what is needed to send it */
export function claimedWhenStored(
  context: ClaimContext,
  { row, content, devices, app }: StoredClaim,
  startedAt: Date,
): ClaimedNotification | undefined {
  const due = { appId: row.app_id, notificationId: row.id, due_at: row.due_at, origin: originOf(row) };
  return claimedNotification(context, { due, content, devices, startedAt, app });
}

interface Claim {
  due: Pick<DueNotification, 'appId' | 'notificationId' | 'due_at' | 'origin'>;
  content: NotificationContent;
  devices: readonly MatchingDevice[];
  startedAt: Date;
  app: SendingApp;
}

/** Reports a claim. @returns undefined if it has no devices, and so has ended */
function claimedNotification(
  { observe, tracer }: ClaimContext,
  { due, content, devices, startedAt, app }: Claim,
): ClaimedNotification | undefined {
  const { appId, notificationId, origin } = due;
  const of = ofNotification(due);
  if (devices.length === 0) {
    observe({ kind: 'notification_ended', ...of, state: 'sent', reason: null });
    tracePlan(tracer, due, { devices: 0, state: 'sent' }, startedAt);
    return undefined;
  }
  const message = messageFrom({ id: notificationId, due_at: due.due_at }, content, app.android);
  const plan = { devices: devices.length, slices: 1, lane: 'direct' };
  observe({ kind: 'notification_planned', ...of, ...plan });
  tracePlan(tracer, due, plan, startedAt);
  const perDevice = perDeviceOf(content, notificationId);
  return { appId, notificationId, origin, startedAt, message, perDevice, devices, app };
}

/** @returns undefined if it must be planned. @throws if its stored body or filters do not parse */
async function candidateOf(due: DueNotification, tokenKeys: TokenKeys): Promise<Candidate | undefined> {
  const { appId, notificationId, body, encryptedBody } = due;
  if (body === null) return undefined;
  const content = await contentToSend({ appId, id: notificationId, body, encryptedBody }, tokenKeys);
  const { dryRun, maxRecipients, group } = sendingRulesFrom(content);
  const key = deviceKeyOf(filtersOfAudience(due.filters));
  if (key === undefined || dryRun || due.hasMoment || group !== null) return undefined;
  if (namedTokenOf(content) !== undefined) return undefined;
  const devicesMax = Math.min(maxRecipients ?? DIRECT_DEVICES_MAX, DIRECT_DEVICES_MAX);
  const keptFilters = due.mustKeepFilters ? due.filters : undefined;
  return { appId, notificationId, key, devicesMax, keptFilters, due, content };
}
