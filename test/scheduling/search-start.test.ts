import { expect, test } from 'vitest';
import { SearchStart } from '../../src/scheduling/search-start.ts';

const NOON = new Date('2026-11-29T12:00:00.000Z');
const BEGINNING = new Date(0);
const MARGIN_MS = 2_000;

function after(ms: number): Date {
  return new Date(NOON.getTime() + ms);
}

/** A start whose searches take no time, unless `elapsed` is raised between their begin and end. */
function open(marginMs = MARGIN_MS): { start: SearchStart; elapsed: { ms: number } } {
  const elapsed = { ms: 0 };
  return { start: new SearchStart(marginMs, () => elapsed.ms), elapsed };
}

test('a search begins before the oldest row that the last one found', () => {
  const { start } = open();
  expect(start.begin(NOON)).toEqual(BEGINNING);
  start.end(after(-10_000));
  expect(start.begin(after(1))).toEqual(after(-10_000 - MARGIN_MS));
  expect(start.isWhole).toBe(false);
});

test('everything is searched again after a second', () => {
  const { start, elapsed } = open();
  start.begin(NOON);
  start.end(NOON);
  elapsed.ms = 999;
  expect(start.begin(NOON)).not.toEqual(BEGINNING);
  start.end(NOON);
  elapsed.ms = 1_000;
  expect(start.begin(NOON)).toEqual(BEGINNING);
  expect(start.isWhole).toBe(true);
});

test.each([
  { tookMs: 5, pauseMs: 1_000 },
  { tookMs: 200, pauseMs: 20_000 },
  { tookMs: 60_000, pauseMs: 300_000 },
])(
  'everything is searched again $pauseMs ms after a search of everything that took $tookMs ms',
  ({ tookMs, pauseMs }) => {
    const { start, elapsed } = open();
    start.begin(NOON);
    elapsed.ms = tookMs;
    start.end(NOON);
    elapsed.ms = tookMs + pauseMs - 1;
    expect(start.begin(NOON)).not.toEqual(BEGINNING);
    elapsed.ms = tookMs + pauseMs;
    expect(start.begin(NOON)).toEqual(BEGINNING);
  },
);

test('everything is searched again at once when the clock was set back', () => {
  const { start } = open();
  start.begin(NOON);
  start.end(NOON);
  expect(start.begin(after(-1))).toEqual(BEGINNING);
});

test('a search that failed is made again from where it began', () => {
  const { start } = open(0);
  start.begin(NOON);
  expect(start.begin(NOON)).toEqual(BEGINNING);
  start.end(after(-500));
  start.begin(after(1));
  expect(start.begin(after(2))).toEqual(after(-500));
});
