import { setTimeout as wait } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { Database } from '../../src/db/tables.ts';
import { buildBitmaps, DEVICES_MIN } from '../../src/targeting/bitmaps/build.ts';
import { findDueBlocks, findLargeApps } from '../../src/targeting/bitmaps/build-store.ts';
import { countUnindexedPages, indexDeferredRows } from '../../src/targeting/rows/index-deferred.ts';

/** As many pages per statement as a server, without its pauses. */
const LIMITS = { pages: 50, pauseMs: 0 };

/** Repeats until no row is unindexed, because a server may hold the lock in between. */
export async function indexAllDeferred(db: Kysely<Database>): Promise<void> {
  while ((await countUnindexedPages(db)) > 0)
    await indexDeferredRows(db, new AbortController().signal, LIMITS);
}

/** How often to look whether a server that builds them has ended. */
const LOOK_EVERY_MS = 250;

/** Resolves when no count bitmap is due, whether this process or a server builds them. */
export async function buildAllBitmaps(db: Kysely<Database>): Promise<void> {
  while (await areDue(db)) {
    const built = await buildBitmaps(db, new AbortController().signal);
    if (built === 0) await wait(LOOK_EVERY_MS);
  }
}

async function areDue(db: Kysely<Database>): Promise<boolean> {
  return (await findLargeApps(db, DEVICES_MIN)).length > 0 || (await findDueBlocks(db)).length > 0;
}
