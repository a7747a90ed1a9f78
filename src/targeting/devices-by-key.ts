/**
 * Audiences that an index leads to: few devices by their ids, or the devices of few users. The SQL reads their devices in one
 * row, so that a statement can look at many such audiences at once (docs/decisions/0022).
 */
import { z } from 'zod';
import type { Filter } from '../filters/filter.ts';
import { isUuid } from '../uuid.ts';
import { gatewaySql, platforms, pushTokenTypes } from '../route.ts';
import type { MatchingDevice } from './matching-devices.ts';

/** One of the two is null. */
export interface DeviceKey {
  deviceIds: readonly string[] | null;
  userIds: readonly string[] | null;
}

/** Each takes a look at an index in a statement that others share. */
const IDS_MAX = 100;

/** @returns the key that selects the same devices as the filters; undefined if there is no such key */
export function deviceKeyOf([filter, ...others]: readonly Filter[]): DeviceKey | undefined {
  if (filter === undefined || filter.not || others.length > 0) return undefined;
  if (filter.kind === 'device_id')
    return filter.criteria.length > IDS_MAX ? undefined : keyOfDevices(filter.criteria);
  if (filter.kind !== 'text' || filter.column !== 'user_id') return undefined;
  return filter.criteria.length > IDS_MAX ? undefined : keyOfUsers(filter.criteria);
}

/** @param ids texts that cannot be the id of a device are left out */
export function keyOfDevices(ids: readonly string[]): DeviceKey {
  return { deviceIds: once(ids.filter(isUuid).map((id) => id.toLowerCase())), userIds: null };
}

export function keyOfUsers(ids: readonly string[]): DeviceKey {
  return { deviceIds: null, userIds: once(ids) };
}

function once(ids: readonly string[]): readonly string[] {
  return ids.length > 1 ? [...new Set(ids)] : ids;
}

/** The columns of the device `d` that a push needs, and whether it has quiet hours of its own. */
const DEVICE_COLUMNS =
  'd.id, d.platform, d.push_token, d.push_token_type, d.subscription_keys, d.development, d.quiet_hours is not null as has_hours';

/**
 * SQL query: the devices of the row `wanted` (app_id, device_ids, user_ids, devices_max), one more than `devices_max` at most. Each
 * id is looked up by itself (`offset 0`): for a whole list, Postgres reads all devices of the app while it has no statistics.
 */
export const DEVICES_BY_KEY = `
  select d.* from unnest(wanted.device_ids) as wanted_id cross join lateral (
    select ${DEVICE_COLUMNS} from devices as d where d.app_id = wanted.app_id and d.id = wanted_id offset 0
  ) as d
  union all
  select d.* from unnest(wanted.user_ids) as wanted_id cross join lateral (
    select ${DEVICE_COLUMNS} from devices as d where d.app_id = wanted.app_id and d.user_id = wanted_id offset 0
  ) as d
  order by id
  limit wanted.devices_max + 1`;

/**
 * SQL select list over a query `device`: the number of devices, their gateways, and the devices as JSON for `devicesOf`. They are
 * aggregated per row of `wanted`, because a join of two common table expressions compares every row with every other.
 */
export const DEVICES_AS_JSON = `count(*) as count, array_agg(distinct ${gatewaySql('device')}) as gateways, bool_or(has_hours) as has_hours,
  json_agg(json_build_array(id, platform, push_token, push_token_type, development, subscription_keys) order by id)::text as devices`;

/**
 * SQL condition on the rows `wanted` and `found` (of `DEVICES_AS_JSON`): there are not too many devices, none has quiet hours of
 * its own (only planning looks at those), and the app has credentials for one of their gateways, if there are any.
 */
export const CAN_BE_SENT = `found.count <= wanted.devices_max and found.has_hours is not true and (found.count = 0 or exists (
  select from gateway_credentials as c
  where c.app_id = wanted.app_id and c.gateway = any (found.gateways)
))`;

const deviceRows = z.array(
  z.tuple([
    z.string(),
    z.enum(platforms),
    z.string().nullable(),
    z.enum(pushTokenTypes),
    z.boolean(),
    z.string().nullable(),
  ]),
);

/** @param json from `DEVICES_AS_JSON`; null if there are none */
export function devicesOf(json: string | null): MatchingDevice[] {
  if (json === null) return [];
  return deviceRows
    .parse(JSON.parse(json))
    .map(([id, platform, push_token, push_token_type, development, subscription_keys]) => ({
      id,
      platform,
      push_token,
      push_token_type,
      development,
      subscription_keys,
    }));
}
