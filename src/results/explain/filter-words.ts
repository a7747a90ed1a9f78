/** Says in words what a filter wants and what the device has. */
import type { FilterExplanation } from '../../targeting/explain-device.ts';
import { isJsonObject } from '../../api/parse.ts';
import { stringifyJson } from '../../json/lossless.ts';

const NAMED_MAX = 3;
const CHARACTERS_MAX = 80;

/** Filters that name people or devices: the name, and what it names. */
const NAMES: ReadonlyMap<string, readonly [one: string, many: string]> = new Map([
  ['user_id', ['user', 'users']],
  ['device_id', ['device', 'devices']],
  ['user_email', ['e-mail address', 'e-mail addresses']],
]);

/**
 * @param explanation of a filter that does not select the device
 * @returns a sentence. It does not name the users or devices that the notification was for
 */
export function mismatch({ filter: { name, criteria, not_filter: not }, value }: FilterExplanation): string {
  const named = not ? undefined : NAMES.get(name);
  if (named !== undefined) {
    const [one, many] = named;
    const whom = criteria.length === 1 ? `another ${one}` : `${criteria.length} other ${many}`;
    const own =
      name === 'device_id' ? '' : `; this device has ${value === null ? `no ${one}` : valueInWords(value)}`;
    return `It was addressed to ${whom} (${name})${own}.`;
  }
  const wanted = criteria.slice(0, NAMED_MAX).map(criterionInWords).join(' or ');
  const more = criteria.length > NAMED_MAX ? ` or one of ${criteria.length - NAMED_MAX} others` : '';
  return `This filter does not select it: ${name}. Wanted is ${not ? 'not ' : ''}${wanted}${more}; the device has ${valueInWords(value)}.`;
}

const BOUNDS = { gt: 'more than', gte: 'at least', lt: 'less than', lte: 'at most' };

function criterionInWords(criterion: unknown): string {
  if (!isJsonObject(criterion)) return criterion === true ? 'yes' : plain(criterion);
  const { point, distance, unit, polygon } = criterion;
  if (isJsonObject(point)) return `within ${plain(distance)} ${plain(unit)} of ${placeInWords(point)}`;
  if (Array.isArray(polygon)) return `inside an area of ${polygon.length} corners`;
  return Object.entries(BOUNDS)
    .flatMap(([key, words]) => (Object.hasOwn(criterion, key) ? `${words} ${plain(criterion[key])}` : []))
    .join(' and ');
}

/** @param value as `explainDevice` returns it */
function valueInWords(value: unknown): string {
  if (value === null) return 'none';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : shortened(value.map(plain).join(', '));
  if (!isJsonObject(value)) return plain(value);
  if (Object.hasOwn(value, 'latitude')) return placeInWords(value);
  if (Object.hasOwn(value, 'count'))
    return `${plain(value['count'])} (the last at ${plain(value['last_happened_at'])})`;
  return valueInWords(value['value'] ?? null);
}

function placeInWords({ latitude, longitude }: Readonly<Record<string, unknown>>): string {
  return `${plain(latitude)}, ${plain(longitude)}`;
}

function plain(value: unknown): string {
  return shortened(typeof value === 'string' ? value : stringifyJson(value));
}

function shortened(text: string): string {
  return text.length > CHARACTERS_MAX ? `${text.slice(0, CHARACTERS_MAX)}…` : text;
}
