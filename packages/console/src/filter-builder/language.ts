/** The attributes of the filter language (docs/filters.md) with their kinds, and the shape of a filter. */

/** A filter in the API's form. While a reader writes, a criterion may be null because its value is still missing. */
export interface FilterJson {
  name: string;
  criteria: readonly unknown[];
  not_filter?: boolean;
}

/** Decides which criteria a filter accepts. */
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

/** The types of custom attributes, with the kind of their criteria. */
const customTypes = {
  string: 'text',
  integer: 'number',
  float: 'number',
  date: 'date',
  boolean: 'boolean',
} as const satisfies Record<string, Kind>;

/** What people call them, by the beginning of their names; events are named likewise. */
export const customLabels: Readonly<Record<string, string>> = {
  'custom.string.': 'custom text',
  'custom.integer.': 'custom whole number',
  'custom.float.': 'custom number',
  'custom.date.': 'custom date',
  'custom.boolean.': 'custom true or false',
  'events.': 'event',
};

type CustomType = keyof typeof customTypes;

export const permissions = ['Enabled', 'Disabled', 'Unknown'] as const;

/** The units of a distance, in metres. */
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

export type Described =
  | { family: 'attribute'; attribute: Attribute; kind: Kind }
  | { family: 'custom'; type: CustomType; attribute: string; kind: Kind }
  | { family: 'event'; event: string; kind: Kind }
  | { family: 'unknown'; kind: undefined };

/** @param name the name of a filter */
export function describe(name: string): Described {
  const attribute = attributes.find((one) => one.name === name);
  if (attribute !== undefined) return { family: 'attribute', attribute, kind: attribute.kind };
  const [, event] = /^events\.(.*)$/s.exec(name) ?? [];
  if (event !== undefined) return { family: 'event', event, kind: 'event' };
  const [, type = '', custom = ''] = /^custom\.([a-z]+)\.(.*)$/s.exec(name) ?? [];
  if (isCustomType(type)) {
    return { family: 'custom', type, attribute: custom, kind: customTypes[type] };
  }
  return { family: 'unknown', kind: undefined };
}

function isCustomType(type: string): type is CustomType {
  return Object.hasOwn(customTypes, type);
}

/** The criteria with which a new filter begins: a sensible value, or none if only the reader knows one. */
export function firstCriteria(kind: Kind | undefined): readonly unknown[] {
  switch (kind) {
    case 'permission':
      return ['Enabled'];
    case 'version':
      return [{ gte: '1.0' }];
    case 'date':
      return [{ gte: 'now-7d' }];
    case 'number':
      return [{ gte: 1 }];
    case 'boolean':
    case 'event':
      return [true];
    case 'text':
    case 'place':
    case undefined:
      return [];
  }
}

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
  const length = numberOf(distance);
  if (center === undefined || length === undefined || typeof unit !== 'string') return undefined;
  return { kind: 'circle', center, distance: length, unit };
}

function pointOf(value: unknown): Point | undefined {
  if (!isObject(value)) return undefined;
  const latitude = numberOf(value['latitude']);
  const longitude = numberOf(value['longitude']);
  return latitude === undefined || longitude === undefined ? undefined : { latitude, longitude };
}

/** A number with more digits than JavaScript holds is kept as raw JSON (`frame/api.ts`). */
function numberOf(value: unknown): number | undefined {
  const text = numberText(value);
  return text === undefined ? undefined : Number(text);
}

/** @returns the digits of a JSON number; undefined for anything else */
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
