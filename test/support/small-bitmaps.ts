import type { Kysely } from 'kysely';
import { expect, vi } from 'vitest';
import type { Database } from '../../src/db/tables.ts';
import { buildBitmaps } from '../../src/targeting/bitmaps/build.ts';
import { hasUnindexedRows } from '../../src/targeting/rows/index-deferred.ts';
import { PATIENCE } from './patience.ts';

const SMALL = { devicesMin: 1, devicesPerBlock: 1_000 };

/**
 * Builds count bitmaps of apps that are too small for the job of a worker, while workers run. Their job takes the same lock
 * every 30 seconds, and a build that does not get it builds nothing; rows without index entries are not built at all.
 * @param devices of all apps together
 */
export async function buildSmallBitmaps(db: Kysely<Database>, devices: number): Promise<void> {
  await vi.waitFor(async () => {
    expect(await hasUnindexedRows(db)).toBe(false);
    expect(await buildBitmaps(db, new AbortController().signal, SMALL)).toBe(devices);
  }, PATIENCE);
}
