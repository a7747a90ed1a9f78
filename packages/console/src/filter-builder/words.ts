/** Filters in words: for lists, explanations and the review before sending. */
import { comparisonWords, quoted, unreadable } from './comparisons.ts';
import { describe, type FilterJson, permissions, shapeOf } from './language.ts';
import { shapeName } from './map/map-data.ts';

const SHOWN_CRITERIA = 6;

/** 'locale is fr_FR or fr_CA, and tags is not muted'; 'all devices' for no filter */
export function filtersWords(filters: readonly FilterJson[]): string {
  const all = filters.map((filter) => `${subjectWords(filter.name)} ${conditionWords(filter)}`);
  return all.join(', and ') || 'all devices';
}

/** 'locale', 'plan (text)', 'the event purchase' */
export function subjectWords(name: string): string {
  return describe(name).subject;
}

/** What the words of a filter say of its subject: 'is fr_FR or fr_CA', 'has not happened' */
export function conditionWords({ name, criteria, not_filter: not = false }: FilterJson): string {
  if (criteria.length === 0) return 'is …';
  const { kind } = describe(name);
  const shown = criteria.slice(0, SHOWN_CRITERIA).map((criterion) => criterionWords(name, criterion));
  const more = criteria.length - shown.length;
  const joined = (words: readonly string[]): string =>
    [...words, ...(more > 0 ? [`${more} more`] : [])].join(' or ');
  const all = joined(shown);
  if (name === 'tags') return `${not ? 'do not include' : 'include'} ${all}`;
  if (kind === 'permission') return `are ${not ? 'not ' : ''}${all}`;
  if (kind === 'text' || kind === 'boolean') return `${not ? 'is not' : 'is'} ${all}`;
  if (!not) return all;
  // With several, a single "not" would read as one of the first alone.
  if (criteria.length > 1) return `is none of: ${joined(shown.map((words) => words.replace(/^is /, '')))}`;
  return kind === 'event' ? `has not ${all}` : all.replace(/^is /, 'is not ');
}

/** One criterion, in the words after the subject: 'is at least 3', 'happened', 'is within 25 km of Lyon'. */
export function criterionWords(name: string, criterion: unknown): string {
  const { kind } = describe(name);
  if (kind === undefined) return unreadable(criterion);
  if (kind === 'place') return placeWords(criterion);
  if (kind === 'text' && typeof criterion === 'string') return quoted(criterion);
  const permission = permissions.find(({ value }) => kind === 'permission' && value === criterion);
  return permission?.label ?? comparisonWords(kind, criterion);
}

function placeWords(criterion: unknown): string {
  const shape = shapeOf(criterion);
  if (shape === undefined) return unreadable(criterion);
  const name = shapeName(shape);
  if (shape.kind === 'polygon') return `is in an area of ${shape.points.length} corners ${name ?? ''}`.trim();
  const { center, distance, unit } = shape;
  return `is within ${distance} ${unit} ${name ?? `of ${center.latitude}, ${center.longitude}`}`;
}
