/** The pushes that name a user or an e-mail address, also if there is no device, and what became of each. */
import type { Kysely } from 'kysely';
import { z } from 'zod';
import { ApiError } from '../../api/errors.ts';
import { cursorOf, type Position } from '../../api/page-cursor.ts';
import { filtersOfAudience } from '../../audiences/audience-store.ts';
import type { Database } from '../../db/tables.ts';
import { unpackOutcomes } from '../../delivery/outcomes/packed.ts';
import { type DeviceRow, readDeviceRows } from '../../devices/store.ts';
import { unstorableText } from '../../json/lossless.ts';
import { emailRecipient, recipientsOfFilters, userRecipient } from '../../notifications/recipients.ts';
import { parsed, PUSHES_PER_PAGE } from './device-pushes.ts';
import { addressedTo, openPush, type ParsedNotification } from './open-push.ts';
import { type DeviceState, pushesMeta, stateOf, textsOf, userPush } from './push-reply.ts';
import {
  findDeviceIds,
  findNotifications,
  type FoundNotification,
  readForUser,
  readMissingBefore,
  readOpens,
} from './pushes-store.ts';

const DEVICES_MAX = 20;

export const userPushesReply = z
  .strictObject({ pushes: z.array(userPush), meta: pushesMeta })
  .meta({ id: 'UserPushes' });

export type UserPushes = z.output<typeof userPushesReply>;

export interface UserKey {
  by: 'user_id' | 'user_email';
  value: string;
}

/**
 * @throws {ApiError} `not_found` for a user id that no device has and that no notification names: nothing else is known of users
 */
export async function readUserPushes(
  db: Kysely<Database>,
  appId: string,
  user: UserKey,
  { after, now }: { after: Position | undefined; now: Date },
): Promise<UserPushes> {
  if (unstorableText(user.value) !== undefined) throw noSuchUser();
  const ids = await findDeviceIds(db, { appId, ...user, limit: DEVICES_MAX });
  const [devices, missingBefore] = await Promise.all([
    readDeviceRows(db, appId, ids),
    readMissingBefore(db, appId),
  ]);
  const of = { appId, user, recipients: recipientsOfUser(user, devices), devices, now };
  const found: Found[] = [];
  let position = after;
  for (let isAll = false; found.length < PUSHES_PER_PAGE && !isAll;) {
    const limit = PUSHES_PER_PAGE - found.length;
    const candidates = await findNotifications(db, { ...of, after: position, limit });
    isAll = candidates.length < limit;
    position = isAll ? undefined : candidates.at(-1);
    for (const one of await readForUser(db, appId, candidates)) {
      // Two recipients hardly ever have the same number.
      if (!namesOf(one).some((name) => of.recipients.includes(name))) continue;
      const notification = parsed(one);
      found.push({ notification, states: await statesOf(db, notification, of) });
    }
  }
  if (
    found.length === 0 &&
    user.by === 'user_id' &&
    missingBefore === undefined &&
    !(await isKnown(db, of))
  ) {
    throw noSuchUser();
  }
  return {
    pushes: await repliesOf(db, found, of),
    meta: {
      cursor: position === undefined ? null : cursorOf(position),
      missing_before: missingBefore?.toISOString() ?? null,
    },
  };
}

/** Also on the page after the last one. */
async function isKnown(db: Kysely<Database>, of: OfUser): Promise<boolean> {
  return (
    of.devices.length > 0 || (await findNotifications(db, { ...of, after: undefined, limit: 1 })).length > 0
  );
}

function noSuchUser(): ApiError {
  return new ApiError('not_found', {
    message:
      'No device of the app has that user_id, and no notification names it. Upper and lower case matter.',
  });
}

/** The user as named, and the other name that the devices of the user have. */
function recipientsOfUser({ by, value }: UserKey, devices: readonly DeviceRow[]): string[] {
  const [named, others] =
    by === 'user_id'
      ? [userRecipient(value), devices.flatMap(({ user_email: email }) => email ?? []).map(emailRecipient)]
      : [emailRecipient(value), devices.flatMap(({ user_id: id }) => id ?? []).map(userRecipient)];
  return [...new Set([named, ...others])];
}

function namesOf({ filters }: FoundNotification): readonly string[] {
  return recipientsOfFilters(filtersOfAudience(filters));
}

interface OfUser {
  appId: string;
  user: UserKey;
  recipients: readonly string[];
  devices: readonly DeviceRow[];
  now: Date;
}

interface Found {
  notification: ParsedNotification;
  /** By the id of the device. */
  states: ReadonlyMap<string, DeviceState>;
}

async function repliesOf(db: Kysely<Database>, found: readonly Found[], of: OfUser) {
  const pairs = found.flatMap(({ notification, states }) =>
    [...states.keys()].map((deviceId) => ({ notificationId: notification.found.id, deviceId })),
  );
  const opens = await readOpens(db, of.appId, pairs);
  return found.map(({ notification, states }) => {
    const { found: row, content } = notification;
    const [onlyVariant = null, ...others] = new Set([...states.values()].map(({ variant }) => variant));
    const devices = [...states].map(([deviceId, state]) => {
      const openedAt = opens.get(`${row.id} ${deviceId}`)?.toISOString() ?? null;
      return Object.assign({ device_id: deviceId, opened_at: openedAt }, state);
    });
    const texts = textsOf({ ...row, content }, others.length === 0 ? onlyVariant : null);
    return { ...texts, ...summaryOf(notification, states, of), devices };
  });
}

/** Outcomes of others that the notification names are left out. */
async function statesOf(
  db: Kysely<Database>,
  notification: ParsedNotification,
  { recipients, devices, now }: OfUser,
): Promise<Map<string, DeviceState>> {
  const { found } = notification;
  const present = new Map(devices.map((device) => [device.id, device]));
  const isAlone = namesOf(found).every((name) => recipients.includes(name));
  const states = new Map<string, DeviceState>();
  for (const packed of found.outcomes) {
    for (const [id, outcome] of unpackOutcomes(packed)) {
      if (!isAlone && !present.has(id)) continue;
      if (states.size < DEVICES_MAX) {
        states.set(id, stateOf(outcome, notification, present.get(id)?.quiet_hours ?? null));
      }
    }
  }
  if (found.state === 'sent' || found.state === 'validated') return states;
  for (const device of devices) {
    if (states.has(device.id) || !(await addressedTo(db, device, [found], now)).has(found)) continue;
    const state = await openPush(db, notification, device, now);
    if (state !== undefined) states.set(device.id, state);
  }
  return states;
}

type Summary = Pick<UserPushes['pushes'][number], 'state' | 'at' | 'reason' | 'explanation'>;

function summaryOf(
  { found }: ParsedNotification,
  states: ReadonlyMap<string, DeviceState>,
  { user, devices }: OfUser,
): Summary {
  const { state, reason, dueAt, endedAt } = found;
  const summary = (said: Summary['state'], explanation: string, at = endedAt): Summary => ({
    state: said,
    at: at?.toISOString() ?? null,
    reason,
    explanation,
  });
  switch (state) {
    case 'scheduled':
      return summary('planned', 'It has not been sent yet: it is due at this moment.', dueAt);
    case 'sending':
      return summary('sending', 'It is being sent.', null);
    case 'canceled':
      return summary('canceled', 'It was canceled.');
    case 'failed':
      return summary('failed', 'The notification failed; the reason says why.');
    case 'validated':
      return summary('dry_run', 'It was a dry run: nothing was sent.');
    case 'sent':
      if (states.size > 0) return summary('sent', 'It was sent; see what became of it on each device.');
      return summary('nobody', nobody(user, devices, endedAt));
  }
}

function nobody({ by }: UserKey, devices: readonly DeviceRow[], endedAt: Date | null): string {
  const who = by === 'user_id' ? 'user id' : 'e-mail address';
  if (devices.length === 0) {
    return `Nothing was sent: no device is registered with this ${who}. Upper and lower case matter.`;
  }
  const isYounger = devices.every((device) => endedAt !== null && device.created_at > endedAt);
  return isYounger
    ? `Nothing was sent: no device was registered with this ${who} at that time. The first one came later.`
    : `Nothing was sent: when it was sent, no device had this ${who}, or other filters of the notification did not select any.`;
}
