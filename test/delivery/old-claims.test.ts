import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { freeAllClaims, freeOldClaims } from '../../src/delivery/claims/claim-store.ts';
import { LEASE_MS } from '../../src/delivery/slice-store.ts';
import { insertApp, useTestDatabase } from '../support/database.ts';

const database = useTestDatabase();
const NOW = new Date('2026-11-26T12:00:00.000Z');
const CLAIMED = new Date(NOW.getTime() - LEASE_MS - 1);
/** More than one statement frees. */
const MANY = 1_200;

let appId: string;

beforeEach(async () => {
  ({ id: appId } = await insertApp(database.db));
});

async function insertClaims(count: number, startedAt: Date): Promise<void> {
  await sql`
    insert into notifications (app_id, id, body, state, created_at, due_at, started_at, devices, request_id, filters)
    select ${appId}::uuid, gen_random_uuid(), '{}', 'sending', ${startedAt}::timestamptz, ${startedAt}::timestamptz,
      ${startedAt}::timestamptz, 1, 'request-1', '[]'
    from generate_series(1, ${count}::integer)`.execute(database.db);
}

async function countFreed(): Promise<number> {
  const { rows } = await sql<{ freed: number }>`
    select count(*)::integer as freed from delivery_slices as s
    join notifications as n on n.app_id = s.app_id and n.id = s.notification_id and n.slices_left = 1
    where s.app_id = ${appId} and s.state = 'waiting' and s.number = 0`.execute(database.db);
  return rows[0]?.freed ?? 0;
}

describe('claims of a worker that has died', () => {
  test('the claims of a dead worker are all freed in the end, however many there are', async () => {
    await insertClaims(MANY, CLAIMED);
    await freeOldClaims(database.db, NOW);
    const first = await countFreed();
    expect(first).toBeGreaterThan(0);
    expect(first).toBeLessThan(MANY);
    await freeOldClaims(database.db, NOW);
    expect(await countFreed()).toBe(MANY);
    await freeOldClaims(database.db, NOW);
    expect(await countFreed()).toBe(MANY);
  });

  test('the claims of a dead worker are freed only after the time of a lease', async () => {
    await insertClaims(1, new Date(CLAIMED.getTime() + 2));
    await freeOldClaims(database.db, NOW);
    expect(await countFreed()).toBe(0);
  });

  test('the claims of a dead worker are all freed at once at a start without other workers', async () => {
    await insertClaims(MANY, NOW);
    await freeAllClaims(database.db, NOW);
    expect(await countFreed()).toBe(MANY);
  });
});
