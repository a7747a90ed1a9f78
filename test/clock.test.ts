import { expect, test } from 'vitest';
import { watchClock } from '../src/clock.ts';

test('a clock that is put back is noticed once, and no other change is', () => {
  let wallMs = Date.UTC(2026, 10, 23);
  let monotonicMs = 0;
  const wasPutBack = watchClock(
    () => new Date(wallMs),
    () => monotonicMs,
  );
  const pass = (wall: number, monotonic: number): boolean => {
    wallMs += wall;
    monotonicMs += monotonic;
    return wasPutBack();
  };
  expect(pass(1_000, 1_000)).toBe(false);
  expect(pass(60_000, 60_000)).toBe(false); // a busy process
  expect(pass(7_200_000, 1_000)).toBe(false); // put forward
  expect(pass(-3_000, 1_000)).toBe(false); // corrected
  expect(pass(-7_200_000, 1_000)).toBe(true);
  expect(pass(1_000, 1_000)).toBe(false);
});
