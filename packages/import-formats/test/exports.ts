/**
 * Small exports, in the form that each service documents, and what a caller passes in with them. Tokens, ids and addresses are
 * invented.
 */
import type { DeviceRules } from '../src/convert.ts';

/** The rules of a caller that takes any JSON and any device. */
export const noRules: DeviceRules = {
  parse: (text) => {
    try {
      return JSON.parse(text);
    } catch {
      return undefined;
    }
  },
  fit: (device) => ({ device, dropped: [] }),
};

/** Yields the bytes of a file in chunks of that size. */
export async function* chunksOf(
  file: string | Uint8Array,
  chunkBytes = 64 * 1024,
): AsyncGenerator<Uint8Array, void> {
  const bytes = Buffer.from(file);
  for (let from = 0; from < bytes.length; from += chunkBytes) yield bytes.subarray(from, from + chunkBytes);
}

export const IOS_TOKEN = '00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0';
export const ANDROID_TOKEN = 'dQw4w9WgXcQ:APA91bHbYHk7aq-Uam_2pyJ2qbZvqllyyh2wjfPRaw5g';

export const row = {
  id: '0e8a2bf4-c735-4833-a16e-46093157a9d4',
  identifier: IOS_TOKEN,
  session_count: '12',
  language: 'en',
  timezone: '-28800',
  game_version: '2.1',
  device_os: '17.4',
  device_type: '0',
  device_model: 'iPhone15,2',
  ad_id: '',
  tags: '{"plan":"gold","level":"4"}',
  last_active: '1756800000',
  playtime: '',
  amount_spent: '',
  created_at: '1700000000',
  invalid_identifier: 'f',
  badge_count: '',
  external_user_id: 'user-17',
  country: 'us',
  timezone_id: 'America/Los_Angeles',
  notification_types: '',
  lat: '',
  long: '',
};
export type Row = typeof row;

/** An export of OneSignal. */
export function csvOf(...rows: readonly Row[]): string {
  const lines = rows.map((cells) => Object.values(cells).map(quoted).join(','));
  return [Object.keys(row).join(','), ...lines, ''].join('\n');
}

export function ndjson(...values: readonly object[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join('');
}

/** As the REST API returns it. */
export const installation = {
  objectId: 'mrmBZvsErB',
  installationId: '7e57e5b2-6b8f-4ff2-ae1c-1b7d5cf4a4a9',
  deviceType: 'android',
  deviceToken: ANDROID_TOKEN,
  pushType: 'gcm',
  GCMSenderId: '1234567890',
  channels: ['', 'news'],
  timeZone: 'Europe/Berlin',
  localeIdentifier: 'de-DE',
  appVersion: '2.1',
  badge: 3,
  user: { __type: 'Pointer', className: '_User', objectId: 'g7y9tkhB7O' },
  plan: 'gold',
  level: 4,
  trial: false,
  since: { __type: 'Date', iso: '2026-01-02T03:04:05.678Z' },
  topics: ['a', 'b'],
  location: { __type: 'GeoPoint', latitude: 52.5, longitude: 13.4 },
  createdAt: '2022-01-01T12:23:45.678Z',
  updatedAt: '2022-01-01T12:23:45.678Z',
};

/** As `mongoexport` writes it. */
export const mongoInstallation = {
  _id: 'mrmBZvsErB',
  deviceType: 'ios',
  deviceToken: IOS_TOKEN,
  channels: ['news'],
  badge: { $numberInt: '3' },
  _p_user: '_User$g7y9tkhB7O',
  level: { $numberDouble: '4.5' },
  since: { $date: '2026-01-02T03:04:05.678Z' },
  until: { $date: { $numberLong: '1767323045678' } },
  _created_at: { $date: '2022-01-01T12:23:45.678Z' },
  _rperm: ['*'],
};

export const endpoint = {
  Id: 'example-endpoint-1',
  ChannelType: 'APNS_SANDBOX',
  Address: IOS_TOKEN.toUpperCase(),
  EndpointStatus: 'ACTIVE',
  OptOut: 'NONE',
  RequestId: '28c3dd9c-1a2b-4c3d-8e4f-5a6b7c8d9e0f',
  EffectiveDate: '2026-01-02T03:04:05.678Z',
  Demographic: {
    AppVersion: '2.1',
    Locale: 'en_US',
    Make: 'Apple',
    Model: 'iPhone',
    Platform: 'ios',
    PlatformVersion: '17.4',
    Timezone: 'America/Los_Angeles',
  },
  Location: { City: 'Seattle', Country: 'US', Latitude: 47.6, Longitude: -122.3 },
  Attributes: { interests: ['science', 'music'] },
  Metrics: { health: 99.5 },
  User: { UserId: 'user-17', UserAttributes: { plan: ['gold'], interests: ['travel'] } },
};

export const channel = {
  channel_id: '9c36e8c7-5a73-47c0-9716-99fd3d4197d5',
  device_type: 'ios',
  installed: true,
  opt_in: true,
  background: true,
  push_address: 'FE66489F304DC75B8D6E8200DFF8A456E8DAEACEC428B427E9518741C92C6660',
  created: '2020-08-08T20:41:06',
  last_registration: '2020-10-07T21:28:35',
  named_user_id: 'user-17',
  alias: null,
  tags: ['tag1', 'tag2'],
  tag_groups: { loyalty: ['gold'], ua_opt_in: ['true'], ua_ios_app_version: ['2.1'] },
  device_attributes: {
    ua_language: 'en',
    ua_country: 'US',
    ua_local_tz: 'America/Los_Angeles',
    ua_device_os: '17.4',
  },
  attributes: { first_name: 'Ada', score: 12.5, address: { city: 'London' } },
  ios: { badge: 2, quiettime: { start: '22:00', end: '8:00' }, tz: 'America/Los_Angeles' },
};

function quoted(text: string): string {
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
