/** The value of a device in an explanation, in words. */
import { describe, isObject, numberText, shapeOf } from '../../filter-builder/language.ts';
import { distanceBetween, distanceIn } from '../../filter-builder/map/mercator.ts';
import { criterionWords } from '../../filter-builder/words.ts';
import { formatAgo, formatTime, plural, zoneName } from '../../kit/format.ts';

/** @param name the name of the filter; @returns undefined if the device has nothing */
export function valueWords(name: string, value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined;
  const { kind } = describe(name);
  const [, type] = /^custom\.([a-z]+)\./.exec(name) ?? [];
  if (isObject(value)) {
    const { count, last_happened_at: last, type: stored, value: held, latitude, longitude } = value;
    if (kind === 'place') return `${plainWords(latitude)}, ${plainWords(longitude)}`;
    if (kind === 'event') {
      const times = typeof count === 'number' ? plural(count, 'time') : `${plainWords(count)} times`;
      return typeof last === 'string' ? `${times}, last ${timeWords(last)}` : times;
    }
    // An attribute of another type than the filter's never matches: the type is shown if it differs.
    const words = [held].flat().map(plainWords).join(', ');
    return stored === type ? words : `${words}, which is of type ${plainWords(stored)} and not ${type}`;
  }
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map(plainWords).join(', ');
  if (kind === 'date' && typeof value === 'string') return timeWords(value);
  return kind === 'permission' ? criterionWords(name, value) : plainWords(value);
}

/** How far the device is from the centre of a circle: '(412 km away)'; undefined for other criteria. */
export function distanceWords(criterion: unknown, value: unknown): string | undefined {
  const shape = shapeOf(criterion);
  const place = shapeOf({ polygon: [value] });
  if (shape?.kind !== 'circle' || place?.kind !== 'polygon') return undefined;
  const [point] = place.points;
  return point && `(${distanceIn(shape.unit, distanceBetween(shape.center, point))} ${shape.unit} away)`;
}

function timeWords(time: string): string {
  return `${formatTime(time)} ${zoneName(time)} (${formatAgo(time)})`;
}

function plainWords(value: unknown): string {
  if (typeof value === 'string' && value !== '' && value === value.trim()) return value;
  return numberText(value) ?? JSON.stringify(value);
}
