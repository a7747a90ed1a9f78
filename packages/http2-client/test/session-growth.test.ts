import { describe, expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../src/pool-options.ts';
import { type Load, SessionGrowth } from '../src/session-growth.ts';

const limits = {
  ...DEFAULT_LIMITS,
  growAfterMs: 100,
  sessionsMax: 6,
  reconnectAfterMs: 1_000,
  reconnectAfterMsMax: 8_000,
};

/** One full session of 10 streams, and a window that allows far more. */
const full: Load = { sessions: 1, haveAllAnswered: true, inFlight: 10, window: 1_000, isWindowFull: false };

describe('growth', () => {
  test('the first session is opened at once', () => {
    expect(new SessionGrowth(limits).sessionsToOpen({ ...full, sessions: 0, inFlight: 0 }, 0)).toBe(1);
  });

  test.each([
    ['as many sessions again', { sessions: 2, inFlight: 20 }, 2],
    ['only the sessions that the window needs', { sessions: 3, inFlight: 30, window: 45 }, 2],
    ['sessions up to the maximum', { sessions: 5, inFlight: 50 }, 1],
    ['no session beyond the maximum', { sessions: 6, inFlight: 60 }, 0],
  ])('the pool opens %s when all have been full for a while', (_name, load, count) => {
    const growth = new SessionGrowth(limits);
    expect(growth.sessionsToOpen({ ...full, ...load }, 0)).toBe(0);
    expect(growth.sessionsToOpen({ ...full, ...load }, 99)).toBe(0);
    expect(growth.sessionsToOpen({ ...full, ...load }, 100)).toBe(count);
  });

  test.each([
    ['a stream was free', undefined],
    ['the window was full', { isWindowFull: true }],
    ['a new session had not answered yet', { haveAllAnswered: false }],
  ])('the wait for another session starts again after %s', (_name, change) => {
    const growth = new SessionGrowth(limits);
    growth.sessionsToOpen(full, 0);
    if (change === undefined) growth.onFreeStream();
    else growth.sessionsToOpen({ ...full, ...change }, 50);
    expect(growth.sessionsToOpen(full, 100)).toBe(0);
    expect(growth.sessionsToOpen(full, 200)).toBe(1);
  });
});

describe('backoff', () => {
  const none = { ...full, sessions: 0, inFlight: 0 };
  const failure = { reason: 'connection_failed', detail: 'ECONNREFUSED' } as const;

  test('the delay before a session doubles with each one that ends unanswered, up to the maximum', () => {
    const growth = new SessionGrowth(limits);
    let now = 0;
    for (const delayMs of [1_000, 2_000, 4_000, 8_000, 8_000]) {
      growth.onSessionEnd(false, failure, now);
      expect(growth.sessionsToOpen(none, now + delayMs / 2 - 1)).toBe(0);
      now += delayMs;
      expect(growth.sessionsToOpen(none, now)).toBe(1);
    }
    expect(growth.lastFailure).toEqual(failure);
  });

  test('the delay before a session starts again at the shortest after an answer', () => {
    const growth = new SessionGrowth(limits);
    for (let n = 0; n < 5; n++) growth.onSessionEnd(false, failure, 0);
    growth.onAnswer();
    expect(growth.lastFailure).toBeUndefined();
    growth.onSessionEnd(false, failure, 10_000);
    expect(growth.sessionsToOpen(none, 11_000)).toBe(1);
  });

  test('the replacement of a session that has answered is not delayed', () => {
    const growth = new SessionGrowth(limits);
    growth.onSessionEnd(true, { reason: 'goaway', detail: 'NO_ERROR' }, 0);
    expect(growth.sessionsToOpen(none, 0)).toBe(1);
  });
});
