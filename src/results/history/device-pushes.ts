/** The pushes of a device: planned, held and past, whether they were addressed to it, to its user, or to many. */
import type { Kysely } from 'kysely';
import { z } from 'zod';
import { cursorOf, pageCursor, type Position } from '../../api/page-cursor.ts';
import type { Database } from '../../db/tables.ts';
import { findOutcome } from '../../delivery/outcomes/packed.ts';
import { assertDeviceId, noSuchDevice } from '../../devices/device-errors.ts';
import { type DeviceRow, readDeviceRows } from '../../devices/store.ts';
import { parseContent } from '../../notifications/message.ts';
import { momentSchema } from '../../notifications/moment/moment.ts';
import { deviceRecipient, emailRecipient, TO_MANY, userRecipient } from '../../notifications/recipients.ts';
import { addressedTo, openPush, type ParsedNotification } from './open-push.ts';
import { type DeviceState, devicePush, pushesMeta, stateOf, textsOf } from './push-reply.ts';
import {
  findNotifications,
  type FoundNotification,
  readForDevice,
  readMissingBefore,
  readOpens,
} from './pushes-store.ts';

export const PUSHES_PER_PAGE = 20;
/** Most pages are found among the first. */
const FIRST_SEARCHED = 50;
const SEARCHED_AT_ONCE = 500;
/** A call reads so many notifications at most: only those to many devices that did not get them are that many. */
const SEARCHED_MAX = 5_000;

export const pushesQuery = z.object({ cursor: pageCursor });

export const devicePushesReply = z
  .strictObject({ pushes: z.array(devicePush), meta: pushesMeta })
  .meta({ id: 'DevicePushes' });

export type DevicePushes = z.output<typeof devicePushesReply>;

interface Found {
  notification: ParsedNotification;
  state: DeviceState;
}

/** @throws {ApiError} `not_found`, also for an erased device */
export async function readDevicePushes(
  db: Kysely<Database>,
  appId: string,
  id: string,
  { after, now }: { after: Position | undefined; now: Date },
): Promise<DevicePushes> {
  assertDeviceId(id);
  const [[device], missingBefore] = await Promise.all([
    readDeviceRows(db, appId, [id.toLowerCase()]),
    readMissingBefore(db, appId),
  ]);
  if (device === undefined) throw noSuchDevice();
  const recipients = [TO_MANY, ...recipientsOfDevice(device)];
  const found: Found[] = [];
  let position = after;
  let isAll = false;
  for (let searched = 0; found.length < PUSHES_PER_PAGE && searched < SEARCHED_MAX && !isAll;) {
    const limit = searched === 0 ? FIRST_SEARCHED : SEARCHED_AT_ONCE;
    const search = { appId, recipients, alsoEarlierOf: device.id, after: position, limit };
    const candidates = await findNotifications(db, search);
    searched += candidates.length;
    isAll = candidates.length < limit;
    position = candidates.at(-1) ?? position;
    found.push(...(await statesOf(db, device, candidates, now)));
  }
  const page = found.slice(0, PUSHES_PER_PAGE);
  const last = found.length > page.length ? page.at(-1)?.notification.found : undefined;
  const next =
    last === undefined ? (isAll ? undefined : position) : { createdAt: last.createdAt, id: last.id };
  return {
    pushes: await repliesOf(db, device, page),
    meta: {
      cursor: next === undefined ? null : cursorOf(next),
      missing_before: missingBefore?.toISOString() ?? null,
    },
  };
}

/** What a notification may name to reach the device. */
function recipientsOfDevice({ id, user_id: userId, user_email: email }: DeviceRow): string[] {
  return [
    deviceRecipient(id),
    ...(userId === null ? [] : [userRecipient(userId)]),
    ...(email === null ? [] : [emailRecipient(email)]),
  ];
}

export function parsed(found: FoundNotification): ParsedNotification {
  const { body, moment } = found;
  return { found, content: parseContent(body), moment: moment === null ? null : momentSchema.parse(moment) };
}

/** The pushes among the candidates that went to the device, or will, in order. */
async function statesOf(
  db: Kysely<Database>,
  device: DeviceRow,
  candidates: readonly Position[],
  now: Date,
): Promise<Found[]> {
  if (candidates.length === 0) return [];
  const read = await readForDevice(db, { appId: device.app_id, deviceId: device.id }, candidates);
  const open = read.filter(({ outcomes }) => outcomes.length === 0);
  const addressed = await addressedTo(db, device, open, now);
  const states: Found[] = [];
  for (const found of read) {
    const isOpen = found.outcomes.length === 0;
    if (isOpen && !addressed.has(found)) continue;
    const notification = parsed(found);
    const state = isOpen ? await openPush(db, notification, device, now) : recorded(notification, device);
    if (state !== undefined) states.push({ notification, state });
  }
  return states;
}

function recorded(
  notification: ParsedNotification,
  { id, quiet_hours: ownHours }: DeviceRow,
): DeviceState | undefined {
  const [outcome] = notification.found.outcomes.flatMap((packed) => findOutcome(packed, id) ?? []);
  return outcome && stateOf(outcome, notification, ownHours);
}

async function repliesOf(
  db: Kysely<Database>,
  { app_id: appId, id: deviceId }: DeviceRow,
  page: readonly Found[],
) {
  const pairs = page.map(({ notification }) => ({ notificationId: notification.found.id, deviceId }));
  const opens = await readOpens(db, appId, pairs);
  return page.map(({ notification: { found, content }, state }) => ({
    ...textsOf({ ...found, content }, state.variant),
    ...state,
    opened_at: opens.get(`${found.id} ${deviceId}`)?.toISOString() ?? null,
  }));
}
