/**
 * Checks the body of a create request, `{notification: {to, payload, …}}`. The result is a typed request, or one
 * error that names every fault.
 */
import { z } from 'zod';
import type { QuietHours } from '../apps/quiet-hours-of-app.ts';
import { type FaultDetail, invalidRequest } from '../api/errors.ts';
import type { Payload } from '../gateways/payload.ts';
import { faultsOf, isJsonObject, jsonObject, judge, type Parsed } from '../api/parse.ts';
import { apnsFaults, mayOmitPayload, usesNamedTokens } from './apns/apns-options.ts';
import { liveActivityFaults } from './apns/live-activity.ts';
import { contentFaults, versionsOf } from './content/payload-versions.ts';
import { isPlain, type NotificationContent, sendingFields } from './message.ts';
import type { Moment } from './moment/moment.ts';
import { parseMoment } from './moment/parse-moment.ts';
import { parsePayload } from './payload.ts';
import { receiptKeyFaults } from './receipt-sample.ts';
import { sensitiveFaults } from './sensitive/sensitive.ts';
import { parseTarget, type Target } from './target.ts';

export interface NotificationRequest {
  target: Target;
  /** Null or a time in the past means now. Always null for a dry run, which sends nothing. */
  deliverAt: Date | null;
  /** Set if its devices are due at different moments, which are planned at `deliverAt`. */
  moment: Moment | null;
  /** As submitted; it is stored and returned unchanged, but for its sensitive texts. */
  notification: Record<string, unknown>;
  /** The checked content, equal to the one that `parseContent` reads from the stored text. */
  content: NotificationContent;
}

/** The keys of `notification`. Keys of type `unknown` are checked by their own functions. */
export const notificationKeys = z.strictObject({
  to: z.unknown().optional(),
  payload: z.unknown().optional(),
  deliver_at: z.unknown().optional(),
  deliver_at_local: z.unknown().optional(),
  spread_over: z.unknown().optional(),
  quiet_hours: z.unknown().optional(),
  ...sendingFields,
});

const bodySchema = jsonObject.pipe(z.strictObject({ notification: jsonObject.pipe(notificationKeys) }));

/**
 * @param quietHours of the app
 * @throws {ApiError} `invalid_request` with the path of each fault, e.g. `notification.payload.badge`
 */
export function parseRequest(
  body: unknown,
  now: Date,
  quietHours: QuietHours | null = null,
): NotificationRequest {
  const isPlainBody = hasOnlyPlainKeys(body);
  const wrappers = isPlainBody ? NOTHING_ELSE : judge(bodySchema, body);
  const wrapperFaults = wrappers.success ? [] : faultsOf(wrappers.error, '');
  const notification = isJsonObject(body) ? body['notification'] : undefined;
  if (!isJsonObject(notification)) throw invalidRequest(wrapperFaults);
  wrapperFaults.push(...receiptKeyFaults(notification, 'notification'));

  const target = parseTarget(notification['to'], 'notification.to');
  const payload = parsePayloadOf(notification);
  const time = parseMoment(
    notification,
    'notification',
    now,
    // Quiet hours do not apply to Live Activities and widgets, which users have asked for.
    usesNamedTokens(notification) ? null : quietHours,
  );
  if (!wrappers.success || wrapperFaults.length > 0 || target.faults || payload.faults || time.faults) {
    const faults = [wrapperFaults, target.faults ?? [], payload.faults ?? [], time.faults ?? []].flat();
    throw invalidRequest(faults);
  }
  const content = { ...wrappers.data.notification, payload: payload.value };
  const others = [
    ...contentFaults(content),
    ...appleFaults(content, notification),
    ...sensitiveFaults(content.sensitive, notification),
  ];
  if (others.length > 0) throw invalidRequest(others);
  const { deliverAt, moment } = time.value;
  const deliverAtOrNow = content.dry_run === true ? null : deliverAt;
  return { target: target.value, deliverAt: deliverAtOrNow, moment, notification, content };
}

/** The payload of Live Activities and of some push types may be left out. */
function parsePayloadOf(notification: Record<string, unknown>): Parsed<Payload> {
  const { payload } = notification;
  if (payload === undefined && mayOmitPayload(notification)) return { value: {} };
  return parsePayload(payload, 'notification.payload');
}

/** The faults of the fields for Apple alone. @param notification as submitted */
function appleFaults(content: NotificationContent, notification: Record<string, unknown>): FaultDetail[] {
  const { apns, live_activity: activity, payload } = content;
  return [
    ...(activity === undefined ? [] : liveActivityFaults(activity, notification, payload)),
    ...(apns === undefined || activity !== undefined
      ? []
      : apnsFaults(
          apns,
          notification,
          versionsOf(content).map((version) => version.payload),
        )),
  ];
}

/** The schema's result for a request without any of the keys that it checks itself. */
const NOTHING_ELSE = judge(bodySchema, { notification: {} });

function hasOnlyPlainKeys(body: unknown): boolean {
  if (!isJsonObject(body) || Object.keys(body).length !== 1) return false;
  const notification = body['notification'];
  return isJsonObject(notification) && isPlain(notification);
}
