/**
 * OneSignal: the CSV file of “Export subscriptions CSV” (`POST /players/csv_export`), compressed with gzip.
 *
 * Columns: https://documentation.onesignal.com/reference/csv-export. Device types that this page lacks, and the meaning
 * of `invalid_identifier` (true: unsubscribed) and `notification_types` (1: subscribed, -2: unsubscribed), are from the
 * model `Player` of OneSignal's own clients (github.com/OneSignal/onesignal-rust-api, docs/Player.md).
 */
import { draftOf, type Draft, localeOf, mapped, setCustom, type Taker, takerOf } from './draft.ts';
import {
  type Fields,
  type Mapping,
  NO_TOKEN,
  otherChannel,
  type ParseJson,
  type Service,
} from './service.ts';
import { fieldPath, isObject, numberText } from './values.ts';

const IOS = '0';
const ANDROID = '1';
const OTHER_CHANNELS: Readonly<Record<string, string>> = {
  '2': 'Fire OS',
  '3': 'Windows',
  '4': 'web',
  '5': 'web',
  '6': 'Windows',
  '7': 'web',
  '8': 'web',
  '9': 'macOS',
  '10': 'Alexa',
  '11': 'e-mail',
  '13': 'Huawei',
  '14': 'SMS',
  '17': 'web',
};

const OPTED_OUT = '-2';
/** Postgres' text of a boolean, and other texts that tools write into a CSV file. */
const TRUE = new Set(['t', 'true', '1']);

export const oneSignal: Service = {
  title: 'OneSignal',
  marks: ['identifier', 'device_type', 'invalid_identifier'],
  format: 'CSV',
  map: mapSubscription,
};

function mapSubscription(fields: Fields, parse: ParseJson): Mapping {
  const taker = takerOf(fields);
  const type = taker.text('device_type') ?? '';
  if (type !== IOS && type !== ANDROID) return otherChannel(OTHER_CHANNELS[type] ?? 'an unknown device_type');
  const pushToken = taker.text('identifier');
  if (pushToken === undefined) return { leftOut: NO_TOKEN };
  const isOptedOut = taker.text('notification_types') === OPTED_OUT;
  const isUnsubscribed = TRUE.has(taker.text('invalid_identifier')?.toLowerCase() ?? '');
  if (isUnsubscribed && !isOptedOut)
    return { leftOut: 'unsubscribed, or its token is dead (invalid_identifier)' };

  const draft = draftOf(type === IOS ? 'iOS' : 'Android', pushToken);
  const country = taker.text('country')?.toUpperCase();
  const locale = localeOf(taker.text('language'), country);
  Object.assign(draft.attributes, {
    notifications_allowed: isOptedOut ? 'Disabled' : 'Enabled',
    user_id: taker.text('external_user_id'),
    app_version: taker.text('game_version'),
    os_version: taker.text('device_os'),
    marketing_name: taker.text('device_model'),
    time_zone: taker.text('timezone_id'),
    badge: numberIn(taker, 'badge_count'),
    country,
    locale,
    sdk_location: placeIn(taker),
  });
  addTags(draft, taker, parse);
  return mapped(draft, taker);
}

/** Tags are an object of texts and numbers, as JSON; “does not support arrays or other nested objects” (`Player`). */
function addTags(draft: Draft, taker: Taker, parse: ParseJson): void {
  const text = taker.text('tags');
  if (text === undefined) return;
  const tags = parse(text);
  if (!isObject(tags)) {
    draft.notMapped.push({ field: 'tags', reason: 'is not a JSON object' });
    return;
  }
  for (const [name, value] of Object.entries(tags)) {
    // A tag is text for OneSignal, even if it looks like a number.
    setCustom(draft, name, numberText(value) ?? value, fieldPath('tags', name));
  }
}

/** The columns of the extra field `location`, with the names in `Player`; the documentation does not name them. */
function placeIn(taker: Taker): { latitude: number; longitude: number } | undefined {
  const latitude = numberIn(taker, 'lat');
  const longitude = numberIn(taker, 'long') ?? numberIn(taker, 'lon');
  return latitude === undefined || longitude === undefined ? undefined : { latitude, longitude };
}

function numberIn(taker: Taker, name: string): number | undefined {
  const text = taker.text(name);
  return text === undefined ? undefined : Number(text);
}
