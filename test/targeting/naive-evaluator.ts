/**
 * A second implementation of the filter language, for one device in memory: the oracle for the SQL. It shares no code with
 * `src/filters` and `src/targeting` and works on the JSON of a caller. Slow and simple on purpose.
 */
import { numberText } from '../../src/json/lossless.ts';

export interface NaiveDevice {
  id: string;
  /** Attributes that are columns of the same name. Dates are in milliseconds. */
  text: Partial<Record<string, string | null>>;
  dates: Record<'created_at' | 'registered_at', number>;
  badge: number | null;
  development: boolean;
  tags: readonly string[];
  place: Place | null;
  gps: Place | null;
  custom: Readonly<Record<string, { type: string; value: unknown }>>;
  events: Readonly<Record<string, { count: number; lastMs: number }>>;
}

export interface Place {
  latitude: number;
  longitude: number;
}

export interface NaiveFilter {
  name: string;
  criteria: readonly unknown[];
  not_filter?: boolean;
}

/** The meaning of each date text of the test, computed by hand. */
export type DateMeanings = ReadonlyMap<string, number>;

export function naiveMatches(
  device: NaiveDevice,
  filters: readonly NaiveFilter[],
  dates: DateMeanings,
): boolean {
  return filters.every((filter) => {
    const matches = filter.criteria.some((criterion) => meets(device, filter.name, criterion, dates));
    return filter.not_filter === true ? !matches : matches;
  });
}

function meets(device: NaiveDevice, name: string, criterion: unknown, dates: DateMeanings): boolean {
  if (name.startsWith('custom.')) return meetsCustom(device, name, criterion, dates);
  if (name.startsWith('events.')) return meetsEvent(device.events[name.slice(7)], criterion, dates);
  switch (name) {
    case 'device_id':
      return device.id === String(criterion).toLowerCase();
    case 'tags':
      return device.tags.some((tag) => tag === criterion);
    case 'development':
      return device.development === criterion;
    case 'badge':
      return device.badge !== null && meetsNumber(device.badge, criterion);
    case 'created_at':
    case 'registered_at':
      return meetsDate(device.dates[name], criterion, dates);
    case 'location':
      return meetsPlace(device.gps ?? device.place, criterion);
    case 'sdk_location':
      return meetsPlace(device.gps, criterion);
    case 'os_version':
    case 'app_version':
    case 'sdk_version':
      return meetsVersion(device.text[name] ?? null, criterion);
    default:
      return device.text[name] === criterion;
  }
}

function meetsCustom(device: NaiveDevice, name: string, criterion: unknown, dates: DateMeanings): boolean {
  const [, type = '', attribute = ''] = /^custom\.([a-z]+)\.(.*)$/s.exec(name) ?? [];
  const stored = device.custom[attribute];
  if (stored?.type !== type) return false;
  const values: unknown[] = Array.isArray(stored.value) ? stored.value : [stored.value];
  return values.some((value) => {
    if (type === 'string' || type === 'boolean') return value === criterion;
    if (type === 'date') return meetsDate(Date.parse(String(value)), criterion, dates);
    return meetsNumber(value, criterion);
  });
}

function meetsEvent(
  event: { count: number; lastMs: number } | undefined,
  criterion: unknown,
  dates: DateMeanings,
): boolean {
  if (event === undefined) return false;
  if (criterion === true) return true;
  const isAboutTime =
    isRange(criterion) && Object.values(criterion).some((bound) => typeof bound === 'string');
  return isAboutTime ? meetsDate(event.lastMs, criterion, dates) : meetsNumber(event.count, criterion);
}

type Range = Partial<Record<string, unknown>>;

function isRange(criterion: unknown): criterion is Range {
  return typeof criterion === 'object' && criterion !== null && numberText(criterion) === undefined;
}

/** Whether the value satisfies each bound of the range. @param compare compares the value with a bound */
function withinRange(range: Range, compareTo: (bound: unknown) => number): boolean {
  return Object.entries(range).every(([key, bound]) => {
    const order = compareTo(bound);
    if (key === 'gt') return order > 0;
    if (key === 'gte') return order >= 0;
    if (key === 'lt') return order < 0;
    return order <= 0;
  });
}

function meetsNumber(value: unknown, criterion: unknown): boolean {
  const compareTo = (other: unknown): number => sign(scaled(value) - scaled(other));
  return isRange(criterion) ? withinRange(criterion, compareTo) : compareTo(criterion) === 0;
}

/** A decimal as an integer in units of 10^-40. */
function scaled(value: unknown): bigint {
  const text = numberText(value);
  if (text === undefined) throw new Error('not a number');
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  return BigInt(whole + fraction) * 10n ** BigInt(40 + Number(exponent) - fraction.length);
}

function meetsDate(ms: number, criterion: unknown, dates: DateMeanings): boolean {
  const meaning = (text: unknown): number => {
    const found = dates.get(String(text));
    if (found === undefined) throw new Error(`the test does not say what ${String(text)} means`);
    return found;
  };
  if (isRange(criterion)) return withinRange(criterion, (bound) => Math.sign(ms - meaning(bound)));
  const start = meaning(criterion);
  return String(criterion).includes('T') ? ms === start : ms >= start && ms - start < 24 * 60 * 60 * 1000;
}

function meetsVersion(version: string | null, criterion: unknown): boolean {
  if (version === null) return false;
  if (typeof criterion === 'string') return version === criterion;
  if (!/^\d/.test(version)) return false;
  const compareTo = (bound: unknown): number => compareDotted(version, numberText(bound) ?? String(bound));
  return isRange(criterion) ? withinRange(criterion, compareTo) : compareTo(criterion) === 0;
}

/** Compares segment by segment, as if the shorter version ended in zeros. */
function compareDotted(left: string, right: string): number {
  const a = segments(left);
  const b = segments(right);
  for (let index = 0; index < Math.max(a.length, b.length); index++) {
    const order = sign((a[index] ?? 0n) - (b[index] ?? 0n));
    if (order !== 0) return order;
  }
  return 0;
}

function segments(version: string): bigint[] {
  const numbers: bigint[] = [];
  for (const segment of version.split('.')) {
    const digits = /^\d*/.exec(segment)?.[0] ?? '';
    if (digits === '') break;
    numbers.push(BigInt(digits));
    if (digits !== segment) break;
  }
  return numbers;
}

const UNITS_IN_METRES: Record<string, number> = {
  in: 0.0254,
  inch: 0.0254,
  ft: 0.3048,
  feet: 0.3048,
  yd: 0.9144,
  yards: 0.9144,
  m: 1,
  meters: 1,
  km: 1000,
  kilometers: 1000,
  mi: 1609.344,
  miles: 1609.344,
  nauticalmiles: 1852,
};

type PlaceJson = { polygon: Place[] } | { point: Place; distance: number; unit: string };

function isPlaceJson(criterion: unknown): criterion is PlaceJson {
  return (
    typeof criterion === 'object' && criterion !== null && ('polygon' in criterion || 'point' in criterion)
  );
}

function meetsPlace(place: Place | null, criterion: unknown): boolean {
  if (place === null || !isPlaceJson(criterion)) return false;
  if ('polygon' in criterion) return naiveInside(settled(place), criterion.polygon.map(settled));
  const radius = criterion.distance * (UNITS_IN_METRES[criterion.unit] ?? NaN);
  return metresBetween(place, criterion.point) <= radius;
}

/** A point less than a tenth of a millimetre from the equator or the prime meridian is on it. */
function settled({ latitude, longitude }: Place): Place {
  return {
    latitude: Math.abs(latitude) < 1e-9 ? 0 : latitude,
    longitude: Math.abs(longitude) < 1e-9 ? 0 : longitude,
  };
}

/** The angle between two vectors: another formula than the haversine. */
function metresBetween(from: Place, to: Place): number {
  const a = vector(from);
  const b = vector(to);
  const cross = Math.hypot(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
  return 6_371_008.8 * Math.atan2(cross, a.x * b.x + a.y * b.y + a.z * b.z);
}

function vector({ latitude, longitude }: Place): { x: number; y: number; z: number } {
  const [phi, lambda] = [(latitude * Math.PI) / 180, (longitude * Math.PI) / 180];
  return { x: Math.cos(phi) * Math.cos(lambda), y: Math.cos(phi) * Math.sin(lambda), z: Math.sin(phi) };
}

/** Unrolls the ring on a plane and compares it with each copy of the point, a whole turn apart. */
function naiveInside(place: Place, polygon: readonly Place[]): boolean {
  const flat: [number, number][] = [];
  let x = 0;
  for (const [index, point] of polygon.entries()) {
    const before = polygon[index - 1];
    x = before === undefined ? point.longitude : x + turn(before, point);
    flat.push([x, point.latitude]);
  }
  const first = polygon[0];
  const last = polygon.at(-1);
  if (first === undefined || last === undefined) return false;
  const closing: [number, number] = [x + turn(last, first), first.latitude];
  const edges = flat.map(([x1, y1], index): [number, number, number, number] => {
    const [x2, y2] = flat[index + 1] ?? closing;
    return [x1, y1, x2, y2];
  });
  const copies = Array.from({ length: 41 }, (_, k) => place.longitude + (k - 20) * 360);
  if (copies.some((copy) => edges.some((edge) => onEdge(copy, place.latitude, edge)))) return true;
  const goesRoundPole = closing[0] !== first.longitude;
  const northern = polygon.reduce((sum, point) => sum + point.latitude, 0) >= 0;
  const crossings = copies.flatMap((copy) =>
    edges.filter((edge) =>
      goesRoundPole
        ? crossesTowardsPole(copy, place.latitude, edge, northern)
        : crossesEastwards(copy, place.latitude, edge),
    ),
  );
  return crossings.length % 2 === 1;
}

function turn(from: Place, to: Place): number {
  const straight = to.longitude - from.longitude;
  const ways = [straight, straight - 360, straight + 360];
  if (Math.abs(straight) === 360) return straight;
  return ways.reduce((best, way) => (Math.abs(way) < Math.abs(best) ? way : best));
}

function onEdge(x: number, y: number, [x1, y1, x2, y2]: [number, number, number, number]): boolean {
  return (
    (x - x1) * (y2 - y1) === (y - y1) * (x2 - x1) &&
    x >= Math.min(x1, x2) &&
    x <= Math.max(x1, x2) &&
    y >= Math.min(y1, y2) &&
    y <= Math.max(y1, y2)
  );
}

function crossesEastwards(x: number, y: number, [x1, y1, x2, y2]: [number, number, number, number]): boolean {
  return y1 > y !== y2 > y && x < ((x2 - x1) * (y - y1)) / (y2 - y1) + x1;
}

/** Whether the meridian to the pole that is farther from the ring crosses the edge. */
function crossesTowardsPole(
  x: number,
  y: number,
  [x1, y1, x2, y2]: [number, number, number, number],
  northern: boolean,
): boolean {
  if (x1 > x === x2 > x) return false;
  const crossing = ((y2 - y1) * (x - x1)) / (x2 - x1) + y1;
  return northern ? crossing < y : crossing > y;
}

function sign(number: bigint): number {
  if (number === 0n) return 0;
  return number > 0n ? 1 : -1;
}
