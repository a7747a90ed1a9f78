import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { openDatabaseClock } from '../../src/db/state/database-clock.ts';
import { openTestDatabase, useTestDatabase } from '../support/database.ts';

const HALF_AN_HOUR_MS = 30 * 60_000;

const database = useTestDatabase();

/** A machine whose clocks go on only by `pass`. */
async function openOn(aheadMs: number, db = database.db) {
  let monotonicMs = 1_000;
  let systemMs = Date.now() + aheadMs;
  const opened = await openDatabaseClock(db, {
    monotonicMs: () => monotonicMs,
    system: () => new Date(systemMs),
  });
  return {
    ...opened,
    pass: (ms: number) => {
      monotonicMs += ms;
      systemMs += ms;
    },
    set: (ms: number) => {
      systemMs += ms;
    },
  };
}

it.each([HALF_AN_HOUR_MS, -HALF_AN_HOUR_MS, 0])(
  'a machine that is %i ms ahead goes by the time of the database',
  async (aheadMs) => {
    const { clock, close } = await openOn(aheadMs);
    const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(database.db);
    const behindMs = (rows[0]?.now.getTime() ?? 0) - clock().getTime();
    expect(behindMs).toBeGreaterThanOrEqual(0);
    expect(behindMs).toBeLessThan(HALF_AN_HOUR_MS / 2);
    await close();
  },
);

it('a machine whose clock is set meanwhile goes on by the time of the database', async () => {
  const { clock, look, pass, set, close } = await openOn(0);
  const before = clock().getTime();
  set(HALF_AN_HOUR_MS);
  pass(3);
  expect(clock().getTime()).toBe(before + 3);
  await look();
  expect(clock().getTime()).toBeLessThan(before + HALF_AN_HOUR_MS / 2);
  await close();
});

it('the time goes on while the database does not answer', async () => {
  const own = await openTestDatabase();
  const { clock, look, pass, close } = await openOn(HALF_AN_HOUR_MS, own.db);
  const before = clock().getTime();
  await own.close();
  pass(5_000);
  await look();
  expect(clock().getTime()).toBe(before + 5_000);
  await close();
});

it('a look that takes long corrects no more than is certain', async () => {
  const { clock, look, pass, close } = await openOn(0);
  const looking = look();
  pass(60_000); // the answer comes a minute after the question, by this machine
  const before = clock().getTime();
  await looking;
  // The database's time may have been read at any moment of that minute.
  expect(clock().getTime()).toBe(before);
  await close();
});
