/** What a device may expect of a notification that has no outcome for it yet, or ended without one. */
import type { Kysely } from 'kysely';
import { filtersOfAudience } from '../../audiences/audience-store.ts';
import type { Database } from '../../db/tables.ts';
import { expectedMoment, isHeld, quietHoursOf } from '../../delivery/waves/quiet-hours-of-push.ts';
import { waveOfDevice } from '../../delivery/waves/wave-of-device.ts';
import type { DeviceRow } from '../../devices/store.ts';
import { isTokenRegistered } from '../../devices/tokens/named-tokens.ts';
import { namedTokenOf } from '../../notifications/apns/named-token.ts';
import type { NotificationContent } from '../../notifications/message.ts';
import type { Moment } from '../../notifications/moment/moment.ts';
import { matchesEach } from '../../targeting/matching-devices.ts';
import { findDelivery } from './device-outcome-store.ts';
import { type DeviceState, hoursInWords } from './push-reply.ts';
import type { FoundNotification } from './pushes-store.ts';

export interface ParsedNotification {
  found: FoundNotification;
  content: NotificationContent;
  moment: Moment | null;
}

/** @returns those whose filters select the device now; relative dates are evaluated at the start of each */
export async function addressedTo(
  db: Kysely<Database>,
  { app_id: appId, id: deviceId }: DeviceRow,
  notifications: readonly FoundNotification[],
  now: Date,
): Promise<ReadonlySet<FoundNotification>> {
  const audiences = notifications.map(({ filters, startedAt }) => ({
    filters: filtersOfAudience(filters),
    now: startedAt ?? now,
  }));
  const matches = await matchesEach(db, { appId, deviceId, audiences });
  return new Set(notifications.filter((_, index) => matches[index] === true));
}

/**
 * @param notification without an outcome of the device, whose filters select it
 * @returns undefined if it is not for the device: it was registered later, or its slice has ended without it
 */
export async function openPush(
  db: Kysely<Database>,
  { found, content, moment }: ParsedNotification,
  device: DeviceRow,
  now: Date,
): Promise<DeviceState | undefined> {
  const { app_id: appId, id: deviceId } = device;
  const named = namedTokenOf(content);
  if (named !== undefined && !(await isTokenRegistered(db, { appId, deviceId }, named))) return undefined;
  if (found.state === 'scheduled') return scheduled(db, { found, content, moment }, device);
  const { newestDevice } = found;
  if (device.created_at > (newestDevice ?? found.endedAt ?? now)) return undefined;
  const key = { appId, notificationId: found.id, deviceId, now };
  const delivery = await findDelivery(db, key);
  if (delivery === undefined || (delivery.sliceState === 'done' && !delivery.failedWhole)) return undefined;
  switch (found.state) {
    case 'canceled':
      return without('canceled', found, 'It was canceled before the push to this device left.');
    case 'failed':
      if (!delivery.failedWhole) return undefined;
      return without('failed', found, 'The notification failed, and nothing was sent to this device.');
    case 'sending':
      return waiting(db, { found, content, moment }, device, now);
    case 'sent':
    case 'validated':
      return undefined;
  }
}

async function scheduled(
  db: Kysely<Database>,
  { found, content, moment }: ParsedNotification,
  device: DeviceRow,
): Promise<DeviceState> {
  const applied = quietHoursOf(device.quiet_hours, moment, content);
  const expected = await expectedMoment(db, applied, waitingOf(found, moment, device));
  const notYet = 'It has not been sent yet: it is due at this moment';
  if (expected === undefined)
    return planned(found.dueAt, `${notYet}, and its rules will leave the device out.`);
  const { at, isHeld: willBeHeld } = expected;
  if (!willBeHeld || applied === undefined) return planned(at, `${notYet}.`);
  return planned(at, `${notYet}, when ${hoursInWords(applied)} end.`);
}

async function waiting(
  db: Kysely<Database>,
  { found, content, moment }: ParsedNotification,
  device: DeviceRow,
  now: Date,
): Promise<DeviceState> {
  const inWave = await waveOfDevice(db, { appId: device.app_id, notificationId: found.id }, device.id);
  if (inWave === undefined || inWave.dueAt <= now) {
    const explanation =
      found.reason === null
        ? 'It is being sent, and this device has no outcome yet.'
        : 'It is being sent; the push to this device waits for the reason given.';
    return { state: 'waiting', at: null, reason: found.reason, explanation, variant: null };
  }
  const { wave, dueAt } = inWave;
  const applied = quietHoursOf(device.quiet_hours, moment, content);
  if (applied !== undefined && (await isHeld(db, wave, waitingOf(found, moment, device)))) {
    const explanation = `It is held because of ${hoursInWords(applied)}, and is sent when they end.`;
    return { ...planned(dueAt, explanation), state: 'held' };
  }
  const own = 'It is sent to each device at a moment of its own, which has not come yet for this one.';
  return planned(dueAt, own);
}

function waitingOf({ createdAt, dueAt }: FoundNotification, moment: Moment | null, device: DeviceRow) {
  return { moment, createdAt, dueAt, timeZone: device.time_zone };
}

function planned(at: Date, explanation: string): DeviceState {
  return { state: 'planned', at: at.toISOString(), reason: null, explanation, variant: null };
}

function without(
  state: 'canceled' | 'failed',
  { endedAt, reason }: FoundNotification,
  explanation: string,
): DeviceState {
  return { state, at: endedAt?.toISOString() ?? null, reason, explanation, variant: null };
}
