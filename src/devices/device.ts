/** A device as the API returns it. */
import type { Selectable } from 'kysely';
import { z } from 'zod';
import type { DeviceEventsTable, DevicesTable } from '../db/tables.ts';
import { shownLocale } from '../locale/stored-locale.ts';
import { encryptionKeyFrom, encryptionKeyReply } from '../encryption-key.ts';
import { weekday } from '../apps/quiet-hours-of-app.ts';
import { count, idText, timeText } from '../api/reply.ts';
import { platforms, pushTokenTypes } from '../route.ts';

const place = z.strictObject({ latitude: z.number(), longitude: z.number() }).meta({ id: 'StoredPlace' });

export type Place = z.output<typeof place>;

const eventTallies = z.record(
  z.string(),
  z
    .strictObject({ count, first_happened_at: timeText, last_happened_at: timeText })
    .meta({ id: 'EventTally' }),
);

/** Keyed by `<source>.<name>`, or `<name>` for events of the SDK. */
export type EventTallies = z.output<typeof eventTallies>;

/**
 * As stored. Integers that a double cannot hold are raw JSON (see `json/lossless.ts`), so the type allows any value.
 */
const custom: z.ZodType = z.record(
  z.string(),
  z
    .strictObject({
      type: z.enum(['string', 'integer', 'float', 'date', 'boolean']),
      value: z.unknown().describe('One value of that type, or a list of them.'),
    })
    .meta({ id: 'StoredAttribute' }),
);

const shownText = z.string().nullable();

const deviceQuietHoursReply = z
  .strictObject({
    from: z.string(),
    to: z.string(),
    days: z.array(weekday).describe('The days on which they begin; every day if left out.').optional(),
  })
  .meta({ id: 'StoredQuietHours' });

/** Null stands for an attribute that the app has not set. */
export const deviceReply = z
  .strictObject({
    id: idText,
    platform: z.enum(platforms),
    push_token: shownText.describe('Null if the device has no token, or a gateway reported it dead.'),
    push_token_type: z
      .enum(pushTokenTypes)
      .describe(
        '`fid`: a Firebase installation id, which FCM accepts instead of a token. `subscription`: the endpoint of a subscription of Web Push.',
      ),
    locale: shownText.describe('A language and a country, or a language alone.'),
    script: shownText.describe(
      'The script of `locale`, which decides which translation fits; null if it is the usual script.',
    ),
    time_zone: shownText,
    quiet_hours: deviceQuietHoursReply
      .nullable()
      .describe(
        'Hours of the device’s clock in which nothing is sent to it. Null: the quiet hours of the app apply.',
      ),
    created_at: timeText.describe('When it was first registered.'),
    registered_at: timeText.describe(
      'When it was last updated or registered. A registration that changes nothing updates it once per day.',
    ),
    badge: z.int().nullable(),
    os_name: shownText,
    os_version: shownText,
    app_version: shownText,
    sdk_version: shownText,
    country: shownText,
    marketing_name: shownText.describe('The marketing name of the model.'),
    user_id: shownText,
    user_email: shownText,
    encryption_key: encryptionKeyReply
      .nullable()
      .describe('The public key for texts that only the device reads; null: it has registered none.'),
    development: z.boolean().describe('Whether pushes go through Apple’s sandbox gateway.'),
    notifications_allowed: z.enum(['Enabled', 'Disabled', 'Unknown']),
    tags: z.array(z.string()),
    location: place
      .nullable()
      .describe('The location that the back end set, or the location of the IP address.'),
    sdk_location: place.nullable().describe('The location from GPS.'),
    custom,
    events: eventTallies.describe('The keys are the names that filters use: `<source>.<name>`, or `<name>`.'),
  })
  .meta({ id: 'Device' });

export type Device = z.output<typeof deviceReply>;

export function deviceFrom(
  row: Selectable<DevicesTable>,
  events: readonly Selectable<DeviceEventsTable>[],
): Device {
  return {
    id: row.id,
    platform: row.platform,
    push_token: row.push_token,
    push_token_type: row.push_token_type,
    ...shownLocale(row.locale),
    time_zone: row.time_zone,
    quiet_hours: row.quiet_hours,
    created_at: row.created_at.toISOString(),
    registered_at: row.registered_at.toISOString(),
    badge: row.kept_badge ?? row.badge,
    os_name: row.os_name,
    os_version: row.os_version,
    app_version: row.app_version,
    sdk_version: row.sdk_version,
    country: row.country,
    marketing_name: row.marketing_name,
    user_id: row.user_id,
    user_email: row.user_email,
    encryption_key: row.encryption_key === null ? null : encryptionKeyFrom(row.encryption_key),
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
