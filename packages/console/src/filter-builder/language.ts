/** The attributes of the filter language (docs/filters.md) with their kinds, and the shape of a filter. */

/** A filter in the API's form. While a reader writes, a criterion may be null because its value is still missing. */
export interface FilterJson {
  name: string;
  criteria: readonly unknown[];
  not_filter?: boolean;
}

export type Kind = 'text' | 'permission' | 'version' | 'date' | 'number' | 'boolean' | 'place' | 'event';

export interface Attribute {
  name: string;
  /** Its name in a sentence: "the locale". */
  label: string;
  kind: Kind;
  /** The heading above it in a list; those of a section follow each other. */
  section: string;
}

export const attributes: readonly Attribute[] = [
  { name: 'tags', label: 'tags', kind: 'text', section: 'Device' },
  { name: 'locale', label: 'locale', kind: 'text', section: 'Device' },
  { name: 'time_zone', label: 'time zone', kind: 'text', section: 'Device' },
  { name: 'country', label: 'country', kind: 'text', section: 'Device' },
  { name: 'marketing_name', label: 'model', kind: 'text', section: 'Device' },
  { name: 'notifications_allowed', label: 'notifications', kind: 'permission', section: 'Device' },
  { name: 'badge', label: 'badge', kind: 'number', section: 'Device' },
  { name: 'development', label: 'development device', kind: 'boolean', section: 'Device' },
  { name: 'device_id', label: 'device id', kind: 'text', section: 'Device' },
  { name: 'app_version', label: 'app version', kind: 'version', section: 'App and system' },
  { name: 'os_name', label: 'operating system', kind: 'text', section: 'App and system' },
  { name: 'os_version', label: 'system version', kind: 'version', section: 'App and system' },
  { name: 'sdk_version', label: 'SDK version', kind: 'version', section: 'App and system' },
  { name: 'user_id', label: 'user id', kind: 'text', section: 'User' },
  { name: 'user_email', label: 'user e-mail', kind: 'text', section: 'User' },
  { name: 'created_at', label: 'first registration', kind: 'date', section: 'Time' },
  { name: 'registered_at', label: 'last registration', kind: 'date', section: 'Time' },
  { name: 'location', label: 'location', kind: 'place', section: 'Place' },
  { name: 'sdk_location', label: 'GPS location', kind: 'place', section: 'Place' },
];

/** The types of custom attributes, in words, and how their filters are written. */
const types: Readonly<Record<string, { words: string; kind: Kind }>> = {
  string: { words: 'text', kind: 'text' },
  integer: { words: 'whole number', kind: 'number' },
  float: { words: 'number', kind: 'number' },
  date: { words: 'date', kind: 'date' },
  boolean: { words: 'true or false', kind: 'boolean' },
};

/** 'integer' → 'whole number' */
export function typeWords(type: string): string {
  return types[type]?.words ?? type;
}

/** What an app calls its own, by the beginning of its names. */
export const families: readonly { prefix: string; label: string; kind: Kind }[] = [
  ...Object.entries(types).map(([type, { words, kind }]) => ({
    prefix: `custom.${type}.`,
    label: `custom ${words}`,
    kind,
  })),
  { prefix: 'events.', label: 'event', kind: 'event' },
];

/** The permissions, as words after "notifications are". */
export const permissions = [
  { value: 'Enabled', label: 'allowed' },
  { value: 'Disabled', label: 'switched off' },
  { value: 'Unknown', label: 'not known' },
];

export const metresPerUnit: Readonly<Record<string, number>> = {
  m: 1,
  km: 1_000,
  mi: 1_609.344,
  nauticalmiles: 1_852,
  yd: 0.9144,
  ft: 0.3048,
  in: 0.0254,
  meters: 1,
  kilometers: 1_000,
  miles: 1_609.344,
  yards: 0.9144,
  feet: 0.3048,
  inch: 0.0254,
};

/**
 * @param name the name of a filter
 * @returns its kind, undefined if there is no such attribute, and its subject in words: 'locale', 'plan (text)', 'the event purchase'
 */
export function describe(name: string): { kind: Kind | undefined; subject: string } {
  const attribute = attributes.find((one) => one.name === name);
  if (attribute !== undefined) return { kind: attribute.kind, subject: attribute.label };
  const family = families.find(({ prefix }) => name.startsWith(prefix));
  if (family === undefined) return { kind: undefined, subject: name };
  const { prefix, kind } = family;
  const own = name.slice(prefix.length);
  const type = prefix.split('.')[1] ?? '';
  return { kind, subject: kind === 'event' ? `the event ${own}` : `${own} (${typeWords(type)})` };
}

/** The criteria with which a new filter begins: a sensible value, or none if only the reader knows one. */
export const firstCriteria: Readonly<Record<Kind, readonly unknown[]>> = {
  permission: ['Enabled'],
  version: [{ gte: '1.0' }],
  date: [{ gte: 'now-7d' }],
  number: [{ gte: 1 }],
  boolean: [true],
  event: [true],
  text: [],
  place: [],
};

export interface Point {
  latitude: number;
  longitude: number;
}

export type Shape =
  | { kind: 'circle'; center: Point; distance: number; unit: string }
  | { kind: 'polygon'; points: readonly Point[] };

/** @returns undefined if the JSON is neither a circle nor a polygon with numbers */
export function shapeOf(criterion: unknown): Shape | undefined {
  if (!isObject(criterion)) return undefined;
  const { point, distance, unit, polygon } = criterion;
  if (Array.isArray(polygon)) {
    const points = polygon.map(pointOf).filter((one) => one !== undefined);
    return points.length === polygon.length ? { kind: 'polygon', points } : undefined;
  }
  const center = pointOf(point);
  const length = numberText(distance);
  if (center === undefined || length === undefined || typeof unit !== 'string') return undefined;
  return { kind: 'circle', center, distance: Number(length), unit };
}

function pointOf(value: unknown): Point | undefined {
  if (!isObject(value)) return undefined;
  const [latitude, longitude] = [numberText(value['latitude']), numberText(value['longitude'])];
  if (latitude === undefined || longitude === undefined) return undefined;
  return { latitude: Number(latitude), longitude: Number(longitude) };
}

/**
 * @returns the digits of a JSON number, which is kept as raw JSON if it has more of them than JavaScript holds; undefined for
 *   anything else
 */
export function numberText(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'object' || value === null || !('rawJSON' in value)) return undefined;
  return typeof value.rawJSON === 'string' ? value.rawJSON : undefined;
}

/** A JSON object, not a list and not a number with many digits. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && numberText(value) === undefined
  );
}
