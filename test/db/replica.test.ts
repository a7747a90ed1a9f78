import { afterEach, describe, expect, test, vi } from 'vitest';
import { type Replica, openReplica } from '../../src/db/replica/replica.ts';
import { Staleness } from '../../src/db/replica/staleness.ts';
import { collectObservations, useTestDatabase } from '../support/database.ts';
import { closedPort } from '../support/ports.ts';
import { PATIENCE } from '../support/patience.ts';

test('the age of a replica is the time since the latest of its beats that it shows was sent', () => {
  const staleness = new Staleness();
  expect(staleness.ageMs(0)).toBeUndefined();
  staleness.sent(7, 1_000);
  staleness.shown(6);
  expect(staleness.ageMs(1_500)).toBeUndefined();
  staleness.shown(7);
  expect(staleness.ageMs(1_500)).toBe(500);
  staleness.sent(9, 2_000);
  staleness.sent(11, 3_000);
  staleness.shown(8); // the beat of another process
  expect(staleness.ageMs(3_500)).toBe(2_500);
  staleness.shown(11);
  expect(staleness.ageMs(3_500)).toBe(500);
});

test('the age of a replica grows while it stands still, however many beats are sent', () => {
  const staleness = new Staleness();
  for (let number = 1; number <= 100; number += 1) {
    staleness.sent(number, number * 1_000);
    if (number < 4) staleness.shown(number);
  }
  expect(staleness.ageMs(100_000)).toBe(97_000);
});

test('the age of a replica is unknown after a failover that has lost beats, until a new beat is shown', () => {
  const staleness = new Staleness();
  staleness.sent(50, 1_000);
  staleness.shown(50);
  staleness.sent(41, 5_000);
  expect(staleness.ageMs(5_100)).toBeUndefined();
  staleness.shown(41);
  expect(staleness.ageMs(5_100)).toBe(100);
});

describe('a replica', () => {
  const database = useTestDatabase();
  let replica: Replica | undefined;
  afterEach(async () => replica?.close());

  function open(connectionString: string) {
    const { observe, seen } = collectObservations();
    replica = openReplica({
      connectionString,
      primary: database.db,
      pooler: 'none',
      maxLagMs: 2_000,
      observe,
    });
    return { opened: replica, seen };
  }

  test('a replica that is the primary itself is used as soon as it is measured', async () => {
    const { opened, seen } = open(database.url);
    await vi.waitFor(() => expect(opened.lagMs()).toBeLessThan(2_000), PATIENCE);
    await vi.waitFor(() => expect(seen).toEqual([{ kind: 'replica_used' }]), PATIENCE);
  });

  test('a replica that does not answer is reported once, and is no outage of the database', async () => {
    const url = new URL(database.url);
    url.port = String(await closedPort());
    const { opened, seen } = open(url.href);
    await vi.waitFor(
      () =>
        expect(seen).toEqual([{ kind: 'replica_away', message: expect.stringContaining('ECONNREFUSED') }]),
      PATIENCE,
    );
    expect(opened.lagMs()).toBeUndefined();
  });
});
