/** Drawing the grids of places is bounded, whatever the shapes, and a filter whose grid is not drawn selects the same devices. */
import { expect, test } from 'vitest';
import { circleOf, ringOf } from '../../src/filters/place.ts';
import { compilePlace } from '../../src/targeting/rows/compile-place.ts';
import { gridOf, INSIDE, newDrawing, UNSURE } from '../../src/targeting/rows/place-grid.ts';
import { devicesRow } from '../../src/targeting/rows/row.ts';

const SIDE = 128;
const { stepsLeft: STEPS_MAX } = newDrawing();

/** A coast: 1,000 points around a circle, every second one a little farther out. */
const coast = ringOf(
  Array.from({ length: 1_000 }, (_, index) => {
    const reach = index % 2 === 0 ? 1 : 1.02;
    const angle = (index * 2 * Math.PI) / 1_000;
    return { latitude: 10 + reach * Math.sin(angle), longitude: 10 + reach * Math.cos(angle) };
  }),
);
/** Every edge goes from one side to the other. */
const scribble = ringOf(
  Array.from({ length: 1_000 }, (_, index) => ({
    latitude: (index * 37) % 80,
    longitude: index % 2 === 0 ? (index * 13) % 20 : 60 + ((index * 7) % 20),
  })),
);
const half = circleOf({ kind: 'circle', center: { latitude: 0, longitude: 0 }, distance: 9_000, unit: 'km' });

test('the grid of a polygon of 1,000 points takes a fifth of the steps at most', () => {
  const drawing = newDrawing();
  const { cells } = gridOf(SIDE, [], [coast], drawing);
  expect(cells.filter((cell) => cell === INSIDE).length).toBeGreaterThan(SIDE ** 2 / 2);
  expect(drawing.stepsLeft).toBeGreaterThan(0.8 * STEPS_MAX);
});

test.each([
  ['polygons whose edges cross everything', [], Array.from({ length: 6 }, () => scribble)],
  ['circles of half the globe', Array.from({ length: 50 }, () => half), []],
])('the grid of %s is left unsure', (_what, circles, rings) => {
  const { cells, slices, edges } = gridOf(SIDE, circles, rings);
  expect(cells.every((cell) => cell === UNSURE)).toBe(true);
  expect(slices).toEqual(Array.from({ length: SIDE }, () => ({ begin: 0, end: edges.length })));
});

test('grids are drawn until the steps are used up, and the filters after that have none', () => {
  const drawing = newDrawing();
  const grids = Array.from({ length: 50 }, () => gridOf(SIDE, [half], [], drawing));
  const isDrawn = grids.map(({ cells }) => cells.includes(INSIDE));
  const drawn = isDrawn.filter(Boolean).length;
  expect(drawn).toBeGreaterThan(10);
  expect(drawn).toBeLessThan(50);
  expect(isDrawn.lastIndexOf(true)).toBe(drawn - 1);
  expect(drawing.stepsLeft).toBeGreaterThanOrEqual(0);
});

test('the grids of the filters of one list take from the same steps', () => {
  const row = devicesRow('00000000-0000-4000-8000-000000000000');
  const place = row.place(false);
  compilePlace(
    [{ kind: 'circle', center: { latitude: 0, longitude: 0 }, distance: 9_000, unit: 'km' }],
    place,
  );
  expect(place.drawing.stepsLeft).toBeLessThan(STEPS_MAX);
  expect(row.place(true).drawing).toBe(place.drawing);
});
