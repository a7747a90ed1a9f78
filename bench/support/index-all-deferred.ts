import type { Kysely } from 'kysely';
import type { Database } from '../../src/db/tables.ts';
import { indexDeferredRows } from '../../src/targeting/rows/index-deferred.ts';
import { countUnindexedPages } from '../../src/targeting/rows/index-deferred-store.ts';

/** As many as a server takes at a time, but without its pauses. */
const LIMITS = { pages: 50, pauseMs: 0 };

/** Until no narrow row is fresh, also where a server is at it as well: one of the two is at a time. */
export async function indexAllDeferred(db: Kysely<Database>): Promise<void> {
  while ((await countUnindexedPages(db)) > 0)
    await indexDeferredRows(db, new AbortController().signal, LIMITS);
}
