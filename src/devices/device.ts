/** The device as the API shows it. */
import type { Selectable } from 'kysely';
import type { DeviceEventsTable, DevicesTable } from '../db/tables.ts';

export interface Place {
  latitude: number;
  longitude: number;
}

/** Keyed by `<source>.<name>`, or `<name>` for events of the SDK; times in ISO 8601. */
export type EventTallies = Record<
  string,
  { count: number; first_happened_at: string; last_happened_at: string }
>;

/** Null is what the app has not told. `custom` holds integers beyond doubles as raw JSON (see `json.ts`). */
export interface Device {
  id: string;
  platform: 'iOS' | 'Android';
  push_token: string | null;
  locale: string | null;
  time_zone: string | null;
  created_at: string;
  registered_at: string;
  badge: number | null;
  os_name: string | null;
  os_version: string | null;
  app_version: string | null;
  sdk_version: string | null;
  country: string | null;
  marketing_name: string | null;
  user_id: string | null;
  user_email: string | null;
  development: boolean;
  notifications_allowed: 'Enabled' | 'Disabled' | 'Unknown';
  tags: readonly string[];
  location: Place | null;
  sdk_location: Place | null;
  custom: unknown;
  events: EventTallies;
}

export function deviceFrom(
  row: Selectable<DevicesTable>,
  events: readonly Selectable<DeviceEventsTable>[],
): Device {
  return {
    id: row.id,
    platform: row.platform,
    push_token: row.push_token,
    locale: row.locale,
    time_zone: row.time_zone,
    created_at: row.created_at.toISOString(),
    registered_at: row.registered_at.toISOString(),
    badge: row.badge,
    os_name: row.os_name,
    os_version: row.os_version,
    app_version: row.app_version,
    sdk_version: row.sdk_version,
    country: row.country,
    marketing_name: row.marketing_name,
    user_id: row.user_id,
    user_email: row.user_email,
    development: row.development,
    notifications_allowed: row.notifications_allowed,
    tags: row.tags,
    location: placeFrom(row.latitude, row.longitude),
    sdk_location: placeFrom(row.sdk_latitude, row.sdk_longitude),
    custom: row.custom,
    events: Object.fromEntries(events.map((event) => [event.name, tallyFrom(event)])),
  };
}

function placeFrom(latitude: number | null, longitude: number | null): Place | null {
  return latitude === null || longitude === null ? null : { latitude, longitude };
}

function tallyFrom(event: Selectable<DeviceEventsTable>): EventTallies[string] {
  return {
    count: event.count,
    first_happened_at: event.first_happened_at.toISOString(),
    last_happened_at: event.last_happened_at.toISOString(),
  };
}
