import { expect, it } from 'vitest';
import { numberText } from '../../src/json/lossless.ts';
import { useTestDatabase } from '../support/database.ts';
import { checkFilterLists } from './filter-property.ts';
import { runs } from '../support/runs.ts';

/** Pairs of a list and a set of devices; test/deep checks more. */
const PAIRS = runs(500);
/** Rare kinds match in a few pairs of a thousand: rounds are added until each has. */
const ROUNDS_MAX = 20;

/** Every attribute with each kind of criterion that it accepts. */
const EVERYTHING = [
  ['locale', 'time_zone', 'os_name', 'country', 'marketing_name', 'user_id', 'user_email'].map(
    (name) => `${name} string`,
  ),
  ['notifications_allowed string', 'device_id string', 'tags string', 'development boolean'],
  ['os_version', 'app_version', 'sdk_version'].flatMap((name) => [
    `${name} string`,
    `${name} number`,
    `${name} range`,
  ]),
  ['created_at', 'registered_at', 'custom.date'].flatMap((name) => [`${name} string`, `${name} range`]),
  ['badge', 'custom.integer', 'custom.float'].flatMap((name) => [`${name} number`, `${name} range`]),
  ['custom.string string', 'custom.boolean boolean'],
  ['location circle', 'location polygon', 'sdk_location circle', 'sdk_location polygon'],
  ['events boolean', 'events number', 'events range'],
].flat();

const database = useTestDatabase();

it('compileFilters selects the same devices in Postgres as the naive evaluator', async () => {
  const matched = new Set<string>();
  const missed = new Set<string>();
  const isOver = (): boolean => Math.min(matched.size, missed.size) >= EVERYTHING.length;
  for (let round = 0; round < ROUNDS_MAX && !isOver(); round++) {
    await checkFilterLists(database.db, PAIRS, ({ filter, criterion, matches }) => {
      (matches ? matched : missed).add(labelOf(filter.name, criterion));
    });
  }
  // Each kind must have matched and missed, or it was not tested.
  expect([...matched].toSorted()).toEqual(EVERYTHING.toSorted());
  expect([...missed].toSorted()).toEqual(EVERYTHING.toSorted());
}, 120_000);

function labelOf(name: string, criterion: unknown): string {
  const attribute = /^(?:custom\.\w+|events|\w+)/.exec(name)?.[0] ?? name;
  if (numberText(criterion) !== undefined) return `${attribute} number`;
  if (typeof criterion !== 'object' || criterion === null) return `${attribute} ${typeof criterion}`;
  if ('polygon' in criterion) return `${attribute} polygon`;
  return `${attribute} ${'point' in criterion ? 'circle' : 'range'}`;
}
