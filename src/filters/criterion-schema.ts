/** Parses unknown JSON as a criterion of each kind; invalid JSON gives a fault with its path. */
import type { FaultDetail } from '../api/errors.ts';
import { numberText } from '../json/lossless.ts';
import { type Decimal, decimalText, parseDecimal } from './decimal.ts';
import { isWrittenVersion, VERSION_CHARACTERS_MAX, versionKey } from './dotted-version.ts';
import {
  boundKeys,
  type Bounds,
  type DateCriterion,
  type EventCriterion,
  type NumberCriterion,
  type VersionBound,
  type VersionCriterion,
} from './filter.ts';
import { DAY_MS, LAST_MS, parseIsoDate } from './iso-date.ts';
import { type MathDate, parseMathDate, STEPS_MAX } from './math-date.ts';

/** Parses one value. If it is invalid, adds a fault and returns undefined. */
export type Read<T> = (value: unknown, path: string, faults: FaultDetail[]) => T | undefined;

const RANGE = 'a range with at least one of gt, gte, lt, lte';
const VERSION =
  'must be a version: a number such as 14, or a string such as "3.10.2", optionally with a suffix after -, + or a space';
const MATH_DATE = `a math-date such as now-1d/d, with at most ${STEPS_MAX} steps, or an ISO 8601 date, between the years 1 and 9999`;

/** @returns the keys and values of a JSON object; undefined for anything else, including raw numbers */
export function readObject(value: unknown): Map<string, unknown> | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value) || JSON.isRawJSON(value)) return undefined;
  return new Map(Object.entries(value));
}

export function fault(faults: FaultDetail[], path: string, message: string): undefined {
  faults.push({ path, message });
  return undefined;
}

export const readString: Read<string> = (value, path, faults) =>
  typeof value === 'string' ? value : fault(faults, path, 'must be a string');

export const permissions = ['Enabled', 'Disabled', 'Unknown'] as const;

export const readPermission: Read<string> = (value, path, faults) =>
  permissions.find((permission) => permission === value) ??
  fault(faults, path, 'must be "Enabled", "Disabled" or "Unknown"');

export const readBoolean: Read<boolean> = (value, path, faults) =>
  typeof value === 'boolean' ? value : fault(faults, path, 'must be true or false');

/** Any number, without loss of digits. */
export const readNumberCriterion = numberCriterion(readDecimal);
/** Any number, as the double that a `float` attribute stores. */
export const readFloatCriterion = numberCriterion(readDouble);

function numberCriterion(readValue: Read<Decimal>): Read<NumberCriterion> {
  return rangeOr('number_range', readValue, (value, path, faults) => {
    if (numberText(value) === undefined) return fault(faults, path, `must be a number or ${RANGE}`);
    const decimal = readValue(value, path, faults);
    return decimal && { kind: 'number', value: decimal };
  });
}

/** A string is compared as text; a number and the bounds of a range are compared as dotted versions. */
export const readVersionCriterion: Read<VersionCriterion> = rangeOr(
  'version_range',
  readVersionBound,
  (value, path, faults) => {
    if (typeof value === 'string') return { kind: 'text', value };
    if (numberText(value) === undefined) {
      return fault(faults, path, `must be a string, a number or ${RANGE}`);
    }
    const bound = readVersionBound(value, path, faults);
    return bound && { kind: 'version', value: bound };
  },
);

export const readDateCriterion: Read<DateCriterion> = rangeOr(
  'date_range',
  readMathDate,
  (value, path, faults) => {
    const date = typeof value === 'string' ? parseIsoDate(value) : undefined;
    if (typeof value !== 'string' || date === undefined) {
      return fault(faults, path, `must be an ISO 8601 date or date-time, or ${RANGE}`);
    }
    const endMs = date.ms + (date.wholeDay ? DAY_MS : 1);
    // No stored date is after the year 9999, and no text can express such a date.
    return { kind: 'date', written: value, startMs: date.ms, endMs: endMs > LAST_MS ? Infinity : endMs };
  },
);

/** A range with a string bound compares the time of the last event; any other range compares the count. */
export const readEventCriterion: Read<EventCriterion> = (value, path, faults) => {
  if (value === true) return { kind: 'happened' };
  const fields = readObject(value);
  const isAboutTime = fields !== undefined && [...fields.values()].some((bound) => typeof bound === 'string');
  if (isAboutTime) return readDateRange(value, path, faults);
  if (fields !== undefined || numberText(value) !== undefined) {
    return readNumberCriterion(value, path, faults);
  }
  return fault(faults, path, `must be true, a number or ${RANGE}`);
};

const readDateRange = rangeOr<'date_range', MathDate, never>('date_range', readMathDate, () => undefined);

/** Reads an object as a range, and any other value by `readOther`. */
function rangeOr<Kind extends string, T, Other>(
  kind: Kind,
  readBound: Read<T>,
  readOther: Read<Other>,
): Read<{ kind: Kind; bounds: Bounds<T> } | Other> {
  return (value, path, faults) => {
    const fields = readObject(value);
    if (fields === undefined) return readOther(value, path, faults);
    if (fields.size === 0) return fault(faults, path, `must be ${RANGE}`);
    const bounds: Bounds<T> = {};
    for (const [key, sent] of fields) {
      const known = boundKeys.find((boundKey) => boundKey === key);
      if (known === undefined) {
        fault(faults, `${path}.${key}`, 'is not a key of a range; the keys are gt, gte, lt and lte');
        continue;
      }
      const bound = readBound(sent, `${path}.${key}`, faults);
      if (bound !== undefined) bounds[known] = bound;
    }
    return { kind, bounds };
  };
}

function readDecimal(value: unknown, path: string, faults: FaultDetail[]): Decimal | undefined {
  const text = numberText(value);
  if (text === undefined) return fault(faults, path, 'must be a number');
  return parseDecimal(text) ?? fault(faults, path, 'must be a number of at most 400 digits');
}

function readDouble(value: unknown, path: string, faults: FaultDetail[]): Decimal | undefined {
  const decimal = readDecimal(value, path, faults);
  if (decimal === undefined) return undefined;
  const double = parseDecimal(String(Number(decimalText(decimal))));
  return double ?? fault(faults, path, 'must be a number that a double can hold');
}

function readVersionBound(value: unknown, path: string, faults: FaultDetail[]): VersionBound | undefined {
  const isVersion = typeof value === 'string' ? isWrittenVersion(value) : numberText(value) !== undefined;
  if (!isVersion) return fault(faults, path, VERSION);
  const written = typeof value === 'string' ? value : readDecimal(value, path, faults);
  if (written === undefined) return undefined;
  const text = typeof written === 'string' ? written : decimalText(written);
  const key = text.length > VERSION_CHARACTERS_MAX ? undefined : versionKey(text);
  if (key === undefined) return fault(faults, path, VERSION);
  return { written, key };
}

function readMathDate(value: unknown, path: string, faults: FaultDetail[]): MathDate | undefined {
  const date = typeof value === 'string' ? parseMathDate(value) : undefined;
  return date ?? fault(faults, path, `must be ${MATH_DATE}`);
}
