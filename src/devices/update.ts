/** Updates a device by its id: given attributes are set, null clears an attribute, and the others stay. */
import type { Kysely } from 'kysely';
import type { TokenKeys } from '../apps/token-keys.ts';
import type { Author } from '../audit/author.ts';
import { type Change, recordChange } from '../audit/record.ts';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/tables.ts';
import { type FaultDetail, invalidRequest } from '../api/errors.ts';
import { toColumns } from './to-columns.ts';
import { type Device, deviceFrom } from './device.ts';
import { type DeviceUpdate, localeRule } from './device-schema.ts';
import { readEventRows } from './events/record-events.ts';
import { assertDeviceId, missingDevice, platformCannotChange, tooManyAttributes } from './device-errors.ts';
import { type DeviceRow, selectDevice, updateDeviceRow } from './store.ts';
import { takePushToken, restoreSetAsideToken } from './tokens/token-store.ts';
import { retryOnConflict } from './retry-on-conflict.ts';
import { storedLocale } from '../locale/stored-locale.ts';
import { FID_RULE, isNoInstallationId, tokenRule, tokenTypes } from './push-token.ts';
import { timeZoneNamed, timeZoneRule } from '../time/time-zones.ts';

/**
 * Updates the device and returns it. A push token belongs to one device at a time: the device that presents it gets it,
 * and any other device loses it. If the device's token was set aside because Apple did not know it, the device gets it
 * back when `development` changes: the token may belong to the other environment.
 * @throws {ApiError} `not_found`, `device_erased`, or `invalid_request` if the token does not have the platform's form,
 *   the platform differs, or there would be too many custom attributes
 * @param author for the audit log; undefined: no entry
 */
export async function updateDevice(
  db: Kysely<Database>,
  tokenKeys: TokenKeys,
  appId: string,
  id: string,
  { isUserVerified, ...sent }: DeviceUpdate & { isUserVerified?: boolean },
  clock: Clock,
  author?: Author,
): Promise<Device> {
  assertDeviceId(id);
  const before = await selectDevice(db, appId, id).select(CHECKED).executeTakeFirst();
  if (before === undefined) throw await missingDevice(db, appId, id);
  const update = withKnownType(before, sent);
  const pushToken = checkAgainst(before, update);
  const tokenKey = await tokenKeys.of(appId);
  return retryOnConflict(db, async (trx) => {
    const now = clock();
    if (typeof pushToken === 'string') {
      await takePushToken(trx, { appId, deviceId: id, pushToken, tokenKey, now });
    }
    const taken =
      pushToken === undefined && before.push_token === null && update.development !== undefined
        ? await restoreSetAsideToken(trx, { appId, deviceId: id, tokenKey }, update.development ?? false)
        : undefined;
    const { columns, custom } = toColumns(update, pushToken, now, isUserVerified);
    const row = await updateDeviceRow(trx, appId, id, { columns: { ...columns, ...taken }, custom });
    if (row !== undefined) {
      for (const recorded of changesOf(before, update)) {
        await recordChange(trx, author, { appId, objectId: row.id, ...recorded }, clock);
      }
      return deviceFrom(row, await readEventRows(trx, appId, [row.id]));
    }
    const stillThere = await selectDevice(trx, appId, id).select('id').executeTakeFirst();
    if (stillThere === undefined) throw await missingDevice(trx, appId, id);
    throw invalidRequest([tooManyAttributes('device.custom')]);
  });
}

/** The columns that an update is checked against, without locking the device. */
const CHECKED = ['platform', 'push_token', 'push_token_type', 'development', 'locale', 'time_zone'] as const;

/** The changes as the audit log stores them. Attributes are named without their values, because many are personal. */
function changesOf(
  { development }: Pick<DeviceRow, 'development'>,
  { development: sent, ...others }: DeviceUpdate,
): Pick<Change, 'action' | 'before' | 'after'>[] {
  const attributes = Object.keys(others);
  const after = { development: sent === undefined ? development : (sent ?? false) };
  const action = after.development ? 'device.flagged_development' : 'device.unflagged_development';
  return [
    ...(after.development === development ? [] : [{ action, before: { development }, after } as const]),
    ...(attributes.length === 0 ? [] : [{ action: 'device.updated', after: { attributes } } as const]),
  ];
}

/** A token of Firebase that an iPhone has keeps its type if it is sent back without it. */
function withKnownType(
  { push_token, push_token_type }: Pick<DeviceRow, 'push_token' | 'push_token_type'>,
  sent: DeviceUpdate,
): DeviceUpdate {
  const isKnown =
    push_token_type === 'fcm' && typeof push_token === 'string' && sent.push_token === push_token;
  return isKnown ? { ...sent, push_token_type: sent.push_token_type ?? push_token_type } : sent;
}

/**
 * Checks the parts of an update that depend on the device.
 * @returns the push token in its stored form
 * @throws {ApiError} with all faults at once
 */
function checkAgainst(
  before: Pick<DeviceRow, 'platform' | 'push_token' | 'locale' | 'time_zone'>,
  update: DeviceUpdate,
): string | null | undefined {
  const { platform, locale, time_zone: timeZone } = before;
  const faults: FaultDetail[] = [];
  if (update.platform !== undefined && update.platform !== platform) {
    faults.push(platformCannotChange('device.platform', platform));
  }
  const token = tokenAgainst(before, update);
  faults.push(...token.faults);
  const type = tokenTypes[platform].nullish().safeParse(update.push_token_type);
  for (const issue of type.error?.issues ?? []) {
    faults.push({ path: 'device.push_token_type', message: issue.message });
  }
  if (isNoInstallationId(update.push_token, update.push_token_type)) {
    faults.push({ path: 'device.push_token', message: FID_RULE });
  }
  // A device that was read can be sent back, even if its locale is older than the rule.
  const { locale: sentLocale } = update;
  if (typeof sentLocale === 'string' && storedLocale(sentLocale) === undefined && sentLocale !== locale) {
    faults.push({ path: 'device.locale', message: localeRule });
  }
  const { time_zone: sentZone } = update;
  if (typeof sentZone === 'string' && timeZoneNamed(sentZone) === undefined && sentZone !== timeZone) {
    faults.push({ path: 'device.time_zone', message: timeZoneRule(sentZone) });
  }
  if (faults.length > 0) throw invalidRequest(faults);
  return token.stored;
}

/** @returns the push token in its stored form, unless it has faults */
function tokenAgainst(
  { platform, push_token: current }: Pick<DeviceRow, 'platform' | 'push_token'>,
  { push_token: sent, push_token_type: type, subscription_keys: keys }: DeviceUpdate,
): { stored?: string | null | undefined; faults: FaultDetail[] } {
  if (platform === 'Web') {
    // A device that was read can be sent back.
    const isKnown = keys !== undefined || sent === undefined || sent === null || sent === current;
    if (isKnown) return { stored: sent, faults: [] };
    return {
      faults: [
        { path: 'device.push_token', message: 'of a browser comes with its keys: send `subscription`' },
      ],
    };
  }
  if (keys !== undefined) {
    return {
      faults: [
        { path: 'device.subscription', message: `is only for browsers, and this device is ${platform}` },
      ],
    };
  }
  const token = tokenRule(platform, type).nullish().safeParse(sent);
  const faults = (token.error?.issues ?? []).map(({ message }) => ({ path: 'device.push_token', message }));
  return { stored: token.data, faults };
}
