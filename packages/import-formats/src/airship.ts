/**
 * Airship: the replies of the channel listing (`GET /api/channels`), pages of up to 1,000 channels, one after the
 * other.
 *
 * The call: https://docs.airship.com/developer/rest-api/ua/operations/channels. Fields: the “channel listing object” of
 * https://docs.airship.com/developer/rest-api/ua/schemas/channels. The names in `device_attributes` and in the tag
 * groups that begin with `ua_` are those in the replies that Airship's own libraries test with
 * (github.com/urbanairship/python-library). The CSV file with push addresses is not documented, so it is not read.
 */
import { draftOf, type Draft, localeOf, mapped, setCustom, type Taker, takerOf } from './draft.ts';
import { type Fields, type Mapping, NO_TOKEN, otherChannel, type Service } from './service.ts';
import { fieldPath } from './values.ts';

/** The text before the list of a page contains no list or object: only `ok` and `next_page`. */
const PAGE_START = /^\{[^[{]*"channels"\s*:\s*$/;

const OTHER_CHANNELS: Readonly<Record<string, string>> = {
  amazon: 'Fire OS',
  web: 'web',
  email: 'e-mail',
  sms: 'SMS',
  open: 'open channel',
};

/** “`ua_` is a reserved prefix for Airship-specific tag groups” (the operations for tags). */
const AIRSHIPS_OWN = /^(?:ua_|timezone$|named_user_id$)/;

export const airship: Service = {
  title: 'Airship',
  marks: ['channel_id', 'device_type'],
  format: { pageStart: PAGE_START },
  map: mapChannel,
};

function mapChannel(fields: Fields): Mapping {
  const taker = takerOf(fields);
  const type = taker.text('device_type') ?? '';
  if (type !== 'ios' && type !== 'android')
    return otherChannel(OTHER_CHANNELS[type] ?? 'an unknown device_type');
  if (taker.any('installed') === false) return { leftOut: 'uninstalled (installed is false)' };
  const pushToken = taker.text('push_address');
  if (pushToken === undefined) return { leftOut: NO_TOKEN };

  const draft = draftOf(type === 'ios' ? 'iOS' : 'Android', pushToken);
  const own = taker.object('device_attributes');
  const groups = taker.object('tag_groups');
  const ios = taker.object('ios');
  const language = own.text('ua_language') ?? onlyTag(groups, 'ua_locale_language');
  const country = own.text('ua_country') ?? onlyTag(groups, 'ua_locale_country');
  const optIn = taker.any('opt_in');
  Object.assign(draft.attributes, {
    notifications_allowed: typeof optIn === 'boolean' ? (optIn ? 'Enabled' : 'Disabled') : undefined,
    // An alias is the former name of users; “if you are using aliases, please upgrade to Named Users”.
    user_id: taker.text('named_user_id') ?? taker.text('alias'),
    app_version: own.text('ua_app_version') ?? onlyTag(groups, `ua_${type}_app_version`),
    os_version: own.text('ua_device_os'),
    marketing_name: own.text('ua_device_model') ?? onlyTag(groups, `ua_${type}_model`),
    locale: localeOf(language, country),
    country,
    time_zone: own.text('ua_local_tz') ?? ios.text('tz') ?? onlyTag(groups, 'timezone'),
    badge: ios.any('badge'),
    quiet_hours: quietHoursIn(ios),
  });
  const tags = taker.any('tags');
  if (Array.isArray(tags)) draft.tags.push(...tags);
  addGroups(draft, groups);
  const attributes = taker.object('attributes');
  for (const [name, value] of attributes.rest()) {
    attributes.any(name);
    setCustom(draft, name, value, fieldPath('attributes', name));
  }
  return mapped(draft, taker);
}

/** A group of Airship's own that holds one property of the device. */
function onlyTag(groups: Taker, name: string): string | undefined {
  const found = groups.rest().find(([group]) => group === name)?.[1];
  if (!Array.isArray(found) || found.length !== 1 || typeof found[0] !== 'string') return undefined;
  groups.any(name);
  return found[0];
}

/** `loyalty: ["gold"]` becomes the tag `loyalty:gold`. */
function addGroups(draft: Draft, groups: Taker): void {
  for (const [group, tags] of groups.rest()) {
    if (!Array.isArray(tags) || AIRSHIPS_OWN.test(group)) continue;
    groups.any(group);
    draft.tags.push(...tags.map((tag) => (typeof tag === 'string' ? `${group}:${tag}` : tag)));
  }
}

/** `{"start": "22:00", "end": "8:00"}`. */
function quietHoursIn(ios: Taker): { from: string; to: string } | undefined {
  const quietTime = ios.object('quiettime');
  const from = quietTime.text('start');
  const to = quietTime.text('end');
  return from === undefined || to === undefined
    ? undefined
    : { from: from.padStart(5, '0'), to: to.padStart(5, '0') };
}
