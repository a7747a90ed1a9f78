/** The names that a filter can have, and the attribute that each name stands for. */
import { nearestOf } from '../api/nearest.ts';
import type { FilterBody } from './filter.ts';

/** A filter's body without its criteria. */
export type Attribute = FilterBody extends infer Body
  ? Body extends FilterBody
    ? Omit<Body, 'criteria'>
    : never
  : never;

const DEVICE_ATTRIBUTES: ReadonlyMap<string, Attribute> = new Map<string, Attribute>([
  ['locale', { kind: 'text', column: 'locale' }],
  ['time_zone', { kind: 'text', column: 'time_zone' }],
  ['os_name', { kind: 'text', column: 'os_name' }],
  ['country', { kind: 'text', column: 'country' }],
  ['marketing_name', { kind: 'text', column: 'marketing_name' }],
  ['user_id', { kind: 'text', column: 'user_id' }],
  ['user_email', { kind: 'text', column: 'user_email' }],
  ['notifications_allowed', { kind: 'text', column: 'notifications_allowed' }],
  ['device_id', { kind: 'device_id' }],
  ['tags', { kind: 'tags' }],
  ['os_version', { kind: 'version', column: 'os_version' }],
  ['app_version', { kind: 'version', column: 'app_version' }],
  ['sdk_version', { kind: 'version', column: 'sdk_version' }],
  ['created_at', { kind: 'date', column: 'created_at' }],
  ['registered_at', { kind: 'date', column: 'registered_at' }],
  ['badge', { kind: 'badge' }],
  ['development', { kind: 'development' }],
  ['location', { kind: 'place', gpsOnly: false }],
  ['sdk_location', { kind: 'place', gpsOnly: true }],
]);

const EVENTS = 'events.';
const CUSTOM = 'custom.';

type CustomAttribute = Extract<Attribute, { attribute: string }>;

const CUSTOM_TYPES = new Map<string, (attribute: string) => CustomAttribute>([
  ['string', (attribute) => ({ kind: 'custom_string', attribute })],
  ['integer', (attribute) => ({ kind: 'custom_number', attribute, type: 'integer' })],
  ['float', (attribute) => ({ kind: 'custom_number', attribute, type: 'float' })],
  ['date', (attribute) => ({ kind: 'custom_date', attribute })],
  ['boolean', (attribute) => ({ kind: 'custom_boolean', attribute })],
]);

/** One form of the names that `findAttribute` knows. */
export interface NameForm {
  /** The form for people: `badge`, `custom.string.<name>`. */
  readonly written: string;
  /** A regular expression for the whole name. */
  readonly pattern: string;
  /** The attribute, or an example of one. */
  readonly attribute: Attribute;
}

const ANY_NAME = '[\\s\\S]+';

export const nameForms: readonly NameForm[] = [
  ...[...DEVICE_ATTRIBUTES].map(([name, attribute]) => ({ written: name, pattern: name, attribute })),
  ...[...CUSTOM_TYPES].map(([type, attributeNamed]) => ({
    written: `${CUSTOM}${type}.<name>`,
    pattern: `custom\\.${type}\\.${ANY_NAME}`,
    attribute: attributeNamed('<name>'),
  })),
  {
    written: `${EVENTS}<name>`,
    pattern: `events\\.${ANY_NAME}`,
    attribute: { kind: 'event', event: '<name>' },
  },
];

/** @returns the attribute; for an unknown name, a reason that completes a sentence about the name */
export function findAttribute(name: string): Attribute | { kind: 'unknown'; reason: string } {
  if (name.startsWith(CUSTOM)) return findCustomAttribute(name.slice(CUSTOM.length));
  if (name.startsWith(EVENTS)) {
    const event = name.slice(EVENTS.length);
    return event === '' ? unknown('must have the form events.<event name>') : { kind: 'event', event };
  }
  return DEVICE_ATTRIBUTES.get(name) ?? unknown(reasonOf(name));
}

function reasonOf(name: string): string {
  const nearest = nearestOf(name, DEVICE_ATTRIBUTES.keys());
  if (nearest !== undefined) return `must be the name of an attribute: did you mean "${nearest}"?`;
  const names = [...DEVICE_ATTRIBUTES.keys()].join(', ');
  return `must be one of ${names}, or custom.<type>.<name>, or events.<name> (events.<source>.<name> if it has a source)`;
}

/** @param rest `<type>.<attribute_name>`; the attribute's name may contain dots */
function findCustomAttribute(rest: string): Attribute | { kind: 'unknown'; reason: string } {
  const dot = rest.indexOf('.');
  const attribute = rest.slice(dot + 1);
  if (dot === -1 || attribute === '') return unknown('must be custom.<type>.<name>');
  const attributeNamed = CUSTOM_TYPES.get(rest.slice(0, dot));
  if (attributeNamed !== undefined) return attributeNamed(attribute);
  return unknown('must be custom.<type>.<name>; the type is string, integer, float, date or boolean');
}

function unknown(reason: string): { kind: 'unknown'; reason: string } {
  return { kind: 'unknown', reason };
}
