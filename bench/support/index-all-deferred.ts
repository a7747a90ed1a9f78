import type { Kysely } from 'kysely';
import type { Database } from '../../src/db/tables.ts';
import { countUnindexedPages, indexDeferredRows } from '../../src/targeting/rows/index-deferred.ts';

/** As many pages per statement as a server, without its pauses. */
const LIMITS = { pages: 50, pauseMs: 0 };

/** Repeats until no row is unindexed, because a server may hold the lock in between. */
export async function indexAllDeferred(db: Kysely<Database>): Promise<void> {
  while ((await countUnindexedPages(db)) > 0)
    await indexDeferredRows(db, new AbortController().signal, LIMITS);
}
