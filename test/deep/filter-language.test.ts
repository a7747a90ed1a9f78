import { describe, expect, it } from 'vitest';
import { numberText } from '../../src/json/lossless.ts';
import { checkFilterLists, type Decision } from '../targeting/filter-property.ts';
import { useTestDatabase } from '../support/database.ts';
import { runs } from '../support/runs.ts';

const PAIRS = runs(5_000);
/** A case with fewer decisions would hardly be tested. */
const DECISIONS_MIN = PAIRS / 400;

const MERIDIAN_POLYGON = /"longitude":170.*"longitude":-170/;

/** Hard cases of the language: each must select some devices and not others. */
const HARD: Readonly<Record<string, (decision: Decision) => boolean>> = {
  'a month that clips to its last day': ({ criterion }) => mentions(criterion, /2026-01-31\|\|\+1M|now-1M/),
  'a leap day': ({ criterion }) => mentions(criterion, /02-29|\|\|\+1M"|-02-28\|\|\+1d/),
  'a polygon across the 180th meridian, east of it': ({ criterion, device }) =>
    mentions(criterion, MERIDIAN_POLYGON) && longitudeOf(device) < 0,
  'a polygon across the 180th meridian, west of it': ({ criterion, device }) =>
    mentions(criterion, MERIDIAN_POLYGON) && longitudeOf(device) > 0,
  'the north pole': ({ device, filter }) => isPlace(filter) && latitudeOf(device) === 90,
  'the south pole': ({ device, filter }) => isPlace(filter) && latitudeOf(device) === -90,
  'a dotted version in a range': ({ criterion, filter }) =>
    filter.name.endsWith('_version') && mentions(criterion, /"[gl]te?":"\d+\.\d+/),
  'an integer at the edge of 64 bits': ({ criterion, device, filter }) =>
    filter.name.startsWith('custom.integer.') &&
    [criterion, customOf(device, filter)].some((value) =>
      mentions(value, /9223372036854775807|-9223372036854775808/),
    ),
  'a value at the edge of 64 bits, in a range': ({ criterion, device, filter }) =>
    filter.name.startsWith('custom.integer.') &&
    mentions(criterion, /"[gl]te?"/) &&
    mentions(customOf(device, filter), /9223372036854775807|-9223372036854775808/),
  'a unicode name with a dot': ({ filter }) => filter.name.includes('ключ.имя'),
  'a unicode name with dots and quotes': ({ filter }) => filter.name.includes(`ключ."имя".o'к`),
  'a name with quotes': ({ filter }) => filter.name.includes(`it's "x"`),
  'one of two events with a name but different sources': ({ criterion, device, filter }) =>
    /^events\.(?:Public Api\.)?open$/.test(filter.name) &&
    numberText(criterion) !== undefined &&
    device.events['open']?.count !== device.events['Public Api.open']?.count,
};

describe('the filter language', () => {
  const database = useTestDatabase();

  it('the filter language means the same in Postgres and in the naive evaluator, hard cases included', async () => {
    const decided = new Map<string, number>();
    const count = (label: string): void => {
      decided.set(label, (decided.get(label) ?? 0) + 1);
    };
    const pairs = await checkFilterLists(database.db, PAIRS, (decision) => {
      for (const [label, applies] of Object.entries(HARD)) {
        if (applies(decision)) count(`${label}: ${decision.matches ? 'in' : 'out'}`);
      }
      const { device, filter } = decision;
      const isMissing = filter.name.startsWith('custom.') && customOf(device, filter) === undefined;
      if (isMissing && filter.not_filter === true) count('an attribute that is missing, under not_filter');
    });
    expect(pairs).toBeGreaterThanOrEqual(PAIRS);
    const labels = Object.keys(HARD).flatMap((label) => [`${label}: in`, `${label}: out`]);
    labels.push('an attribute that is missing, under not_filter');
    const rare = labels.filter((label) => (decided.get(label) ?? 0) < DECISIONS_MIN);
    expect(rare).toEqual([]);
  }, 1_200_000);
});

function mentions(value: unknown, pattern: RegExp): boolean {
  return value !== undefined && pattern.test(JSON.stringify(value));
}

function isPlace(filter: Decision['filter']): boolean {
  return filter.name === 'location' || filter.name === 'sdk_location';
}

function latitudeOf({ gps, place }: Decision['device']): number {
  return (gps ?? place)?.latitude ?? Number.NaN;
}

function longitudeOf({ gps, place }: Decision['device']): number {
  return (gps ?? place)?.longitude ?? Number.NaN;
}

function customOf(device: Decision['device'], filter: Decision['filter']): unknown {
  return device.custom[/^custom\.[a-z]+\.(.*)$/s.exec(filter.name)?.[1] ?? '']?.value;
}
