import { describe, expect, test } from 'vitest';
import { type GuardedRoute, TokenGuard } from '../../src/delivery/routes/token-guard.ts';

const of = { notificationId: 'n', requestId: 'request-1' };

function guarded({ isProven = true, isUnguarded = false } = {}) {
  const reported = { believed: 0, doubted: 0, kept: 0, trips: [] as string[] };
  const route: GuardedRoute & { isTripped: boolean } = {
    isProven,
    isUnguarded,
    isTripped: false,
    unproven: { answers: 0, dead: 0 },
    deadInARow: 0,
    trip(word) {
      reported.trips.push(word);
      route.isTripped = true;
    },
  };
  const guard = new TokenGuard(route, of);
  const owner = {};
  const die = (reason = 'BadDeviceToken', by: object = owner): void =>
    guard.died(reason, {
      owner: by,
      believe: () => (reported.believed += 1),
      doubt: () => (reported.doubted += 1),
      keep: () => (reported.kept += 1),
    });
  return { guard, route, owner, die, reported };
}

describe('the first hundred answers', () => {
  test.each([
    [79, 21, { believed: 79, kept: 0, trips: [] }],
    [80, 20, { believed: 0, kept: 80, trips: ['BadDeviceToken'] }],
    [100, 0, { believed: 0, kept: 100, trips: ['BadDeviceToken'] }],
  ])(
    'the first hundred answers, of which %i are dead and %i are not, decide about the tokens',
    (dead, good, wanted) => {
      const { guard, die, reported } = guarded();
      for (let each = 0; each < good; each++) guard.passed();
      for (let each = 0; each < dead; each++) die();
      expect(reported).toEqual({ doubted: 0, ...wanted });
    },
  );

  test('the first hundred answers decide together: no token is retired before the hundredth, all dead ones after it', () => {
    const { guard, die, reported } = guarded();
    for (let each = 0; each < 70; each++) die();
    for (let each = 0; each < 29; each++) guard.passed();
    expect(reported).toMatchObject({ believed: 0, kept: 0 });
    guard.passed();
    expect(reported).toMatchObject({ believed: 70, kept: 0 });
    die();
    expect(reported).toMatchObject({ believed: 71 });
  });

  test('the first hundred answers trip the route with the most frequent word of the gateway', () => {
    const { die, reported } = guarded();
    for (let each = 0; each < 40; each++) die('BadDeviceToken');
    for (let each = 0; each < 60; each++) die('DeviceTokenNotForTopic');
    expect(reported.trips).toEqual(['DeviceTokenNotForTopic']);
  });

  test('a tripped route stays tripped: tokens called dead later are kept', () => {
    const { route, die, reported } = guarded();
    route.isTripped = true;
    die();
    expect(reported).toMatchObject({ believed: 0, kept: 1 });
  });
});

test.each(['Unregistered', 'ExpiredToken'])(
  'a token called dead with %s, which Apple sends with 410, is retired at once',
  (word) => {
    const { die, reported } = guarded({ isProven: false });
    for (let each = 0; each < 200; each++) die(word);
    expect(reported).toEqual({ believed: 200, doubted: 0, kept: 0, trips: [] });
  },
);

test('all dead tokens are retired after an operator has confirmed the route', () => {
  const { die, reported } = guarded({ isUnguarded: true });
  for (let each = 0; each < 200; each++) die();
  expect(reported).toEqual({ believed: 200, doubted: 0, kept: 0, trips: [] });
});

describe('an owner that can wait no longer', () => {
  test('an owner at its end has only its own dead tokens retired, if the route has just worked', () => {
    const { guard, route, owner, die, reported } = guarded();
    const other = {};
    for (let each = 0; each < 30; each++) die();
    for (let each = 0; each < 10; each++) die('BadDeviceToken', other);
    route.deadInARow = 0; // a push was accepted
    guard.decideFor(owner);
    expect(reported).toEqual({ believed: 30, doubted: 0, kept: 0, trips: [] });
    guard.decideFor(other);
    expect(reported).toEqual({ believed: 40, doubted: 0, kept: 0, trips: [] });
  });

  test.each([
    [9, { believed: 9, doubted: 0 }],
    [10, { believed: 0, doubted: 10 }],
    [70, { believed: 0, doubted: 70 }],
  ])(
    'an owner at its end retires %i dead tokens in a row only if they are fewer than ten',
    (dead, wanted) => {
      const { guard, route, owner, die, reported } = guarded();
      for (let each = 0; each < dead; each++) die();
      guard.decideFor(owner);
      expect(reported).toEqual({ ...wanted, kept: 0, trips: [] });
      route.deadInARow = 0;
      die();
      guard.decideFor(owner);
      expect(reported).toMatchObject({ believed: wanted.believed + 1, doubted: wanted.doubted });
    },
  );

  test('the number of dead tokens in a row is counted over all notifications', () => {
    const { route, reported } = guarded();
    for (let notification = 0; notification < 12; notification++) {
      const guard = new TokenGuard(route, of);
      const owner = {};
      guard.died('BadDeviceToken', {
        owner,
        believe: () => (reported.believed += 1),
        doubt: () => (reported.doubted += 1),
        keep: () => (reported.kept += 1),
      });
      guard.decideFor(owner);
    }
    expect(reported).toEqual({ believed: 9, doubted: 3, kept: 0, trips: [] });
  });
});
