/**
 * Parse Server: the class `_Installation`, as the REST API returns it (`{"results": […]}`), or as `mongoexport` writes the
 * collection, one document per line or as an array.
 *
 * Fields: https://docs.parseplatform.org/rest/guide/#push-notifications, and the default columns of `_Installation` in
 * Parse Server (github.com/parse-community/parse-server, src/Controllers/SchemaController.js). The storage form in MongoDB
 * (`_p_user` is `_User$<id>`, dates are `{"$date"}`) is that of src/Adapters/Storage/Mongo/MongoTransform.js and of MongoDB's
 * Extended JSON. An installation is not marked as opted out: Parse has no such field.
 */
import { DateText, draftOf, mapped, setCustom, takerOf } from './draft.ts';
import { type Fields, type Mapping, NO_TOKEN, otherChannel, type Service } from './service.ts';
import { isObject } from './values.ts';

const PAGE_START = /^\{\s*"results"\s*:\s*$/;

/** Fields that Parse and MongoDB keep for themselves; any other remaining field is the app's own. */
const OWN = new Set([
  'objectId',
  'createdAt',
  'updatedAt',
  'ACL',
  'className',
  '__type',
  'installationId',
  'deviceTokenLastModified',
  'pushType',
  'GCMSenderId',
  'appName',
  'appIdentifier',
  'parseVersion',
  'channelUris',
  '_id',
  '_created_at',
  '_updated_at',
  '_acl',
  '_rperm',
  '_wperm',
]);

const USER_PREFIX = '_User$';
const NUMBERS = new Set(['$numberInt', '$numberLong', '$numberDouble', '$numberDecimal']);

const OTHER_CHANNELS: Readonly<Record<string, string>> = {
  web: 'web',
  osx: 'macOS',
  macos: 'macOS',
  tvos: 'tvOS',
  watchos: 'watchOS',
  winrt: 'Windows',
  winphone: 'Windows',
  dotnet: 'Windows',
};

export const parseServer: Service = {
  title: 'Parse Server',
  marks: ['deviceType'],
  format: { pageStart: PAGE_START },
  map: mapInstallation,
};

function mapInstallation(fields: Fields): Mapping {
  const taker = takerOf(fields);
  const type = taker.text('deviceType') ?? '';
  if (type !== 'ios' && type !== 'android')
    return otherChannel(OTHER_CHANNELS[type] ?? 'an unknown deviceType');
  const pushToken = taker.text('deviceToken');
  if (pushToken === undefined) return { leftOut: NO_TOKEN };

  const draft = draftOf(type === 'ios' ? 'iOS' : 'Android', pushToken);
  const user = userIdOf(fields['user']) ?? userIdOf(fields['_p_user']);
  if (user !== undefined) taker.any(userIdOf(fields['user']) === undefined ? '_p_user' : 'user');
  const location = geoPointOf(fields['location']);
  if (location !== undefined) taker.any('location');
  const badge = plain(fields['badge']);
  if (typeof badge === 'number') taker.any('badge');
  Object.assign(draft.attributes, {
    user_id: user,
    app_version: taker.text('appVersion'),
    locale: taker.text('localeIdentifier'),
    time_zone: taker.text('timeZone'),
    badge: typeof badge === 'number' ? badge : undefined,
    location,
  });
  const { channels } = fields;
  if (Array.isArray(channels)) {
    taker.any('channels');
    draft.tags.push(...channels);
  }
  for (const [name, value] of taker.rest()) {
    if (OWN.has(name)) continue;
    setCustom(draft, name, plain(value), name);
    taker.any(name);
  }
  return mapped(draft, taker);
}

/** The id of the user that a pointer names: an object in REST, and text in MongoDB. */
function userIdOf(pointer: unknown): string | undefined {
  if (typeof pointer === 'string' && pointer.startsWith(USER_PREFIX))
    return pointer.slice(USER_PREFIX.length);
  if (!isObject(pointer) || pointer['className'] !== '_User') return undefined;
  const { objectId } = pointer;
  return typeof objectId === 'string' ? objectId : undefined;
}

/** Reads only the form of REST: in MongoDB, a GeoPoint looks like any other list of two numbers. */
function geoPointOf(value: unknown): { latitude: unknown; longitude: unknown } | undefined {
  if (!isObject(value) || value['__type'] !== 'GeoPoint') return undefined;
  const { latitude, longitude } = value;
  return { latitude, longitude };
}

/**
 * Numbers and dates as Parse (`__type`) and MongoDB (`$date`, `$numberInt`) write them; any other value stays as it is.
 */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (!isObject(value)) return value;
  if (value['__type'] === 'Date' && typeof value['iso'] === 'string') return new DateText(value['iso']);
  const [name = '', ...others] = Object.keys(value);
  const inner = others.length === 0 ? value[name] : undefined;
  if (name === '$date') {
    const moment = plain(inner);
    if (typeof moment === 'string') return new DateText(moment);
    return typeof moment === 'number' && Math.abs(moment) <= 8.64e15
      ? new DateText(new Date(moment).toISOString())
      : value;
  }
  if (NUMBERS.has(name) && typeof inner === 'string' && inner !== '') {
    const number = Number(inner);
    if (Number.isFinite(number)) return number;
  }
  return value;
}
