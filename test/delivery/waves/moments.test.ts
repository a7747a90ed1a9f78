/** The moment of a local time is right at every change of a clock from 2025 to 2030, in every zone. */
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { timeZones } from '../../../src/time/time-zones.ts';
import { momentsOf } from '../../../src/delivery/waves/moments.ts';
import { useTestDatabase } from '../../support/database.ts';
import {
  agreedZones,
  FROM,
  momentByNode,
  type Transition,
  transitionsOf,
  UNTIL,
} from './zone-transitions.ts';

const database = useTestDatabase();

/** Before, in, at the edges of, and after a change of an hour. */
const MINUTES = [-90, -60, -31, -30, -1, 0, 1, 29, 30, 59, 60, 90];

test('the moment of a local time is right at every change of a clock from 2025 to 2030', async () => {
  const zones = await agreedZones(database.db);
  expect(zones.length).toBeGreaterThan(timeZones.size * 0.95);
  const transitions = zones.flatMap((zone) => transitionsOf(zone, FROM, UNTIL));
  expect(transitions.length).toBeGreaterThan(2_000);
  const cases = transitions.flatMap(wallTimesAround);
  const { rows } = await sql<{ moment: Date | null }>`
    select moment_in_zone(wall::timestamp, zone) as moment
    from unnest(${cases.map(({ zone }) => zone)}::text[], ${cases.map(({ wall }) => textOf(wall))}::text[])
      with ordinality as asked (zone, wall, position)
    order by position`.execute(database.db);
  const wrong = cases.flatMap(({ zone, wall }, index) => {
    const expected = momentByNode(zone, wall).toISOString();
    const moment = rows[index]?.moment?.toISOString();
    return moment === expected ? [] : [{ zone, wall: textOf(wall), moment, expected }];
  });
  expect(wrong).toEqual([]);
}, 120_000);

test('a local time that spring skips is taken an hour later, and the second of two in autumn is taken', async () => {
  const gap = await momentsOf(database.db, '2026-03-29T02:30:00', ['Europe/Berlin'], 1);
  expect(gap.get('Europe/Berlin')).toEqual([new Date('2026-03-29T01:30:00Z')]); // 03:30 in summer time
  const overlap = await momentsOf(database.db, '2026-10-25T02:30:00', ['Europe/Berlin'], 1);
  expect(overlap.get('Europe/Berlin')).toEqual([new Date('2026-10-25T01:30:00Z')]); // in winter time
});

test('a time zone that the database does not know is left out, and is no error for the others', async () => {
  const found = await momentsOf(database.db, '2026-12-24T09:00:00', ['Europe/Berlin', 'Moon/Base'], 2);
  expect([...found]).toEqual([
    ['Europe/Berlin', [new Date('2026-12-24T08:00:00Z'), new Date('2026-12-25T08:00:00Z')]],
  ]);
});

function wallTimesAround({ zone, at, before, after }: Transition): { zone: string; wall: number }[] {
  const edges = [at.getTime() + before, at.getTime() + after];
  const walls = edges.flatMap((edge) => MINUTES.map((minutes) => edge + minutes * 60_000));
  return [...new Set(walls)].map((wall) => ({ zone, wall }));
}

function textOf(wall: number): string {
  return new Date(wall).toISOString().slice(0, 19);
}
