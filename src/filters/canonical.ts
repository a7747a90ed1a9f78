/**
 * The canonical form of a list of filters. Defaults are filled in; filters, criteria and keys are sorted; duplicates are
 * removed; equal numbers are written alike. Lists with equal fingerprints are the same audience
 * (`audiences/find-or-create.ts`). Only the form is compared, not the meaning: `[{gt: 1}]` and `[{gt: 1}, {gt: 2}]` are two
 * audiences.
 */
import { hash } from 'node:crypto';
import { stringifyJson } from '../json/lossless.ts';
import { type Decimal, decimalText } from './decimal.ts';
import { type Filter, mapBounds, type VersionBound } from './filter.ts';

/** A filter as JSON for `stringifyJson`. Parsing that JSON gives the same filter. */
export interface CanonicalFilter {
  name: string;
  criteria: readonly unknown[];
  not_filter: boolean;
}

export function canonicalFilters(filters: readonly Filter[]): CanonicalFilter[] {
  return formOf(filters, sortedSet);
}

/** @returns the canonical form, but in the order in which it was written: what an audience with a name keeps for its readers */
export function writtenFilters(filters: readonly Filter[]): CanonicalFilter[] {
  return formOf(filters, distinct);
}

function formOf(
  filters: readonly Filter[],
  toSet: <Value>(values: readonly Value[]) => Value[],
): CanonicalFilter[] {
  return toSet(
    filters.map((filter) => ({
      name: filter.name,
      criteria: toSet(filter.criteria.map(canonicalCriterion)),
      not_filter: filter.not,
    })),
  );
}

/** @returns the SHA-256 of the canonical form, given as JSON */
export function fingerprintOf(json: string): Buffer {
  return hash('sha256', json, 'buffer');
}

/** @returns the values sorted by their JSON, without duplicates */
function sortedSet<Value>(values: readonly Value[]): Value[] {
  if (values.length === 1) return [...values];
  return [...byText(values)].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, value]) => value);
}

function distinct<Value>(values: readonly Value[]): Value[] {
  return [...byText(values).values()];
}

/** Each value once, at the place of its first. */
function byText<Value>(values: readonly Value[]): Map<string, Value> {
  return new Map(values.map((value) => [stringifyJson(value), value]));
}

function canonicalCriterion(criterion: Filter['criteria'][number]): unknown {
  if (typeof criterion !== 'object') return criterion;
  switch (criterion.kind) {
    case 'number':
      return decimalJson(criterion.value);
    case 'number_range':
      return mapBounds(criterion.bounds, decimalJson);
    case 'text':
      return criterion.value;
    case 'version':
      return versionJson(criterion.value);
    case 'version_range':
      return mapBounds(criterion.bounds, versionJson);
    case 'date':
      return criterion.written;
    case 'date_range':
      return mapBounds(criterion.bounds, (date) => date.written);
    case 'happened':
      return true;
    case 'circle': {
      const { latitude, longitude } = criterion.center;
      return { point: { latitude, longitude }, distance: criterion.distance, unit: criterion.unit };
    }
    case 'polygon':
      return { polygon: criterion.points.map(({ latitude, longitude }) => ({ latitude, longitude })) };
  }
}

function versionJson({ written }: VersionBound): unknown {
  return typeof written === 'string' ? written : decimalJson(written);
}

/** @returns a plain number if a double holds it exactly, otherwise raw JSON (`json/lossless.ts`) */
function decimalJson(decimal: Decimal): unknown {
  const text = decimalText(decimal);
  return String(Number(text)) === text ? Number(text) : JSON.rawJSON(text);
}
