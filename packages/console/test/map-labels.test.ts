/** Which names a map shows, and where. */
import { expect, it } from 'vitest';
import { boxOf, type Label, labelsFor } from '../src/filter-builder/map/labels.ts';
import { roundLength } from '../src/filter-builder/map/mercator.ts';
import { within } from '../src/filter-builder/map/view.ts';

/** Towns in a grid that is closer than their names are long; the first ones are the largest. */
const towns = Array.from({ length: 400 }, (_, index) => ({
  name: `Town ${'x'.repeat(index % 12)}`,
  region: '',
  country: '',
  latitude: 40 + (index % 20) / 2,
  longitude: -5 + Math.floor(index / 20) / 2,
  population: 1_000 - index,
}));

function overlap(one: Label, other: Label): boolean {
  const [left, right] = [boxOf(one), boxOf(other)];
  return (
    left.left < right.right && left.right > right.left && left.top < right.bottom && left.bottom > right.top
  );
}

it.each([1, 4, 16, 64, 256, 1_024])(
  'the names on a map that is zoomed %i times are wholly on it and apart from each other',
  (zoom) => {
    const view = within({ center: { x: 0.5, y: 0.372 }, scale: 640 * zoom, width: 640, height: 340 });
    const labels = labelsFor(view, towns);
    for (const [index, label] of labels.entries()) {
      const { left, top, right, bottom } = boxOf(label);
      expect(left >= 0 && top >= 0 && right <= 640 && bottom <= 340).toBe(true);
      expect(labels.slice(index + 1).filter((other) => overlap(label, other))).toEqual([]);
    }
  },
);

it('the largest town of a map always has its name', () => {
  const [largest] = towns;
  const view = within({ center: { x: 0.49, y: 0.38 }, scale: 20_000, width: 640, height: 340 });
  expect(labelsFor(view, towns)[0]?.name).toBe(largest?.name);
});

it.each([
  [4_120_000, 2_000_000],
  [999, 500],
  [20, 20],
  [0.7, 0.5],
])('the round length up to %d m is %d m', (metres, round) => {
  expect(roundLength(metres)).toBe(round);
});
