/**
 * Checks the body of a create request, `{notification: {to, payload, …}}`. The result is a typed request, or one
 * error that names every fault.
 */
import { z } from 'zod';
import { DAY_MS, parseIsoDate } from '../filters/iso-date.ts';
import { invalidRequest } from '../errors.ts';
import { faultsOf, isJsonObject, jsonObject, judge, type Parsed } from '../parse.ts';
import { type NotificationContent, sendingFields } from './message.ts';
import { parsePayload } from './payload.ts';
import { parseTarget, type Target } from './target.ts';

/** A notification can be scheduled this far ahead. */
const DELIVER_AHEAD_DAYS_MAX = 30;

export interface NotificationRequest {
  target: Target;
  /** Null or a time in the past means now. Always null for a dry run, which sends nothing. */
  deliverAt: Date | null;
  /** As submitted; it is stored and returned unchanged. */
  notification: Record<string, unknown>;
  /** The checked content, equal to the one that `parseContent` reads from the stored text. */
  content: NotificationContent;
}

/** The keys of `notification`. The first three are checked by their own functions. */
export const notificationKeys = z.strictObject({
  to: z.unknown().optional(),
  payload: z.unknown().optional(),
  deliver_at: z.unknown().optional(),
  ...sendingFields,
});

const bodySchema = jsonObject.pipe(z.strictObject({ notification: jsonObject.pipe(notificationKeys) }));

/** @throws {ApiError} `invalid_request` with the path of each fault, e.g. `notification.payload.badge` */
export function parseRequest(body: unknown, now: Date): NotificationRequest {
  const wrappers = hasOnlyOwnKeys(body) ? NOTHING_ELSE : judge(bodySchema, body);
  const wrapperFaults = wrappers.success ? [] : faultsOf(wrappers.error, '');
  const notification = isJsonObject(body) ? body['notification'] : undefined;
  if (!isJsonObject(notification)) throw invalidRequest(wrapperFaults);

  const target = parseTarget(notification['to'], 'notification.to');
  const payload = parsePayload(notification['payload'], 'notification.payload');
  const deliverAt = parseDeliverAt(notification['deliver_at'], 'notification.deliver_at', now);
  if (!wrappers.success || target.faults || payload.faults || deliverAt.faults) {
    const faults = [wrapperFaults, target.faults ?? [], payload.faults ?? [], deliverAt.faults ?? []].flat();
    throw invalidRequest(faults);
  }
  const content = { ...wrappers.data.notification, payload: payload.value };
  const deliverAtOrNow = content.dry_run === true ? null : deliverAt.value;
  return { target: target.value, deliverAt: deliverAtOrNow, notification, content };
}

/** What the schema makes of a request without any of the keys that it checks itself. */
const NOTHING_ELSE = judge(bodySchema, { notification: {} });
const OWN_KEYS: ReadonlySet<string> = new Set(['to', 'payload', 'deliver_at']);

/** Whether it has only keys that are checked by their own functions, like most requests. The schema would take longer. */
function hasOnlyOwnKeys(body: unknown): boolean {
  if (!isJsonObject(body) || Object.keys(body).length !== 1) return false;
  const notification = body['notification'];
  return isJsonObject(notification) && Object.keys(notification).every((key) => OWN_KEYS.has(key));
}

/** Parses it like every date of the API: a date without an offset is UTC. */
function parseDeliverAt(value: unknown, path: string, now: Date): Parsed<Date | null> {
  if (value === undefined) return { value: null };
  const date = typeof value === 'string' ? parseIsoDate(value) : undefined;
  if (date === undefined) {
    const message = 'must be an ISO 8601 date-time, e.g. "2026-12-24T18:00:00Z"';
    return { faults: [{ path, message }] };
  }
  if (date.ms <= now.getTime() + DELIVER_AHEAD_DAYS_MAX * DAY_MS) return { value: new Date(date.ms) };
  return { faults: [{ path, message: `must be at most ${DELIVER_AHEAD_DAYS_MAX} days ahead` }] };
}
