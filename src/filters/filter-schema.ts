/** Parses a list of filters from the JSON of an API call or of our own table. Every `Filter` is made here. */
import type { FaultDetail } from '../api/errors.ts';
import { type Attribute, findAttribute } from './attributes.ts';
import {
  fault,
  type Read,
  readBoolean,
  readDateCriterion,
  readEventCriterion,
  readFloatCriterion,
  readNumberCriterion,
  readObject,
  readPermission,
  readString,
  readVersionCriterion,
} from './criterion-schema.ts';
import type { Filter, FilterBody } from './filter.ts';
import { readPlaceCriterion } from './place-schema.ts';

export const FILTERS_MAX = 50;
export const CRITERIA_MAX = 1_000;

export type ParsedFilters =
  { ok: true; filters: readonly Filter[] } | { ok: false; faults: readonly FaultDetail[] };

/**
 * @param value JSON from `parseJson`: exact numbers, and texts that Postgres can store
 * @param path the list's path in the request, such as `notification.to`; each fault's path begins with it
 * @returns the filters as written, with duplicates (`canonical.ts` removes them), or all faults
 */
export function parseFilters(value: unknown, path: string): ParsedFilters {
  if (!Array.isArray(value) || value.length === 0 || value.length > FILTERS_MAX) {
    return { ok: false, faults: [{ path, message: `must be a list of 1 to ${FILTERS_MAX} filters` }] };
  }
  const faults: FaultDetail[] = [];
  const filters = value.map((item: unknown, index) => readFilter(item, `${path}[${index}]`, faults));
  if (faults.length > 0) return { ok: false, faults };
  return { ok: true, filters: filters.filter((filter) => filter !== undefined) };
}

function readFilter(value: unknown, path: string, faults: FaultDetail[]): Filter | undefined {
  const fields = readObject(value);
  if (fields === undefined) return fault(faults, path, 'must be a filter: {name, criteria, not_filter}');
  for (const key of fields.keys()) {
    if (key !== 'name' && key !== 'criteria' && key !== 'not_filter') {
      fault(faults, `${path}.${key}`, 'is not a key of a filter; the keys are name, criteria and not_filter');
    }
  }
  const name = readString(fields.get('name'), `${path}.name`, faults);
  const not = fields.has('not_filter')
    ? readBoolean(fields.get('not_filter'), `${path}.not_filter`, faults)
    : false;
  const criteria = readCriteriaList(fields.get('criteria'), `${path}.criteria`, faults);
  if (name === undefined) return undefined;
  const attribute = findAttribute(name);
  if (attribute.kind === 'unknown') return fault(faults, `${path}.name`, attribute.reason);
  if (not === undefined || criteria === undefined) return undefined;
  return { name, not, ...readBody(attribute, criteria, `${path}.criteria`, faults) };
}

function readCriteriaList(value: unknown, path: string, faults: FaultDetail[]): unknown[] | undefined {
  if (Array.isArray(value) && value.length > 0 && value.length <= CRITERIA_MAX) return value;
  return fault(faults, path, `must be a list of 1 to ${CRITERIA_MAX} criteria`);
}

/** Parses the criteria that the attribute accepts. */
function readBody(
  attribute: Attribute,
  values: readonly unknown[],
  path: string,
  faults: FaultDetail[],
): FilterBody {
  function criteria<T>(read: Read<T>): T[] {
    return values
      .map((value, index) => read(value, `${path}[${index}]`, faults))
      .filter((criterion) => criterion !== undefined);
  }
  switch (attribute.kind) {
    case 'text': {
      const read = attribute.column === 'notifications_allowed' ? readPermission : readString;
      return { ...attribute, criteria: criteria(read) };
    }
    case 'tags':
    case 'device_id':
    case 'custom_string':
      return { ...attribute, criteria: criteria(readString) };
    case 'version':
      return { ...attribute, criteria: criteria(readVersionCriterion) };
    case 'date':
    case 'custom_date':
      return { ...attribute, criteria: criteria(readDateCriterion) };
    case 'badge':
      return { ...attribute, criteria: criteria(readNumberCriterion) };
    case 'custom_number': {
      const read = attribute.type === 'float' ? readFloatCriterion : readNumberCriterion;
      return { ...attribute, criteria: criteria(read) };
    }
    case 'development':
    case 'custom_boolean':
      return { ...attribute, criteria: criteria(readBoolean) };
    case 'place':
      return { ...attribute, criteria: criteria(readPlaceCriterion) };
    case 'event':
      return { ...attribute, criteria: criteria(readEventCriterion) };
  }
}
