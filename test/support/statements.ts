/** Counts what is asked of a database. */
import type { Kysely, KyselyPlugin } from 'kysely';
import type { Database } from '../../src/db/tables.ts';

/** The same database, and how many statements have been sent to it through what is returned here. */
export function countStatements(db: Kysely<Database>): { db: Kysely<Database>; count: () => number } {
  let statements = 0;
  const counter: KyselyPlugin = {
    transformQuery: ({ node }) => {
      statements++;
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  return { db: db.withPlugin(counter), count: () => statements };
}
