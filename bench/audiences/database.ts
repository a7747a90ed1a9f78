/** The database of the run: a temporary one, or one that is kept so that the next run need not load it. */
import { Client } from 'pg';
import { z } from 'zod';
import { connectDatabase } from '../../src/db/connect.ts';
import { openEmbeddedPostgres } from '../../src/db/embedded-postgres.ts';
import { migrate } from '../../src/db/migrate.ts';
import { observeNothing } from '../../src/observe.ts';
import { keepOpen } from '../support/context.ts';
import { makeDir } from '../support/directory.ts';
import { type BenchDatabase, openPostgresServer } from '../support/postgres.ts';

/** @param keptDir the directory of a database to keep; if undefined, the database is removed at the end */
export async function openDatabase(
  opened: AsyncDisposableStack,
  keptDir: string | undefined,
): Promise<{ name: string; database: BenchDatabase }> {
  if (keptDir === undefined) {
    const server = keepOpen({ opened }, await openPostgresServer(undefined, await makeDir({ opened })));
    return { name: server.name, database: keepOpen({ opened }, await server.createDatabase()) };
  }
  const postgres = await openEmbeddedPostgres(keptDir, observeNothing);
  opened.defer(async () => postgres.close());
  const url = postgres.connectionString;
  const db = connectDatabase({ connectionString: url, observe: observeNothing });
  opened.defer(async () => db.destroy());
  await migrate(db);
  const sql = new Client({ connectionString: url });
  opened.defer(async () => sql.end());
  await sql.connect();
  const { rows } = await sql.query('show server_version');
  const [row] = z.array(z.object({ server_version: z.string() })).parse(rows);
  return {
    name: `embedded Postgres ${row?.server_version ?? ''}`,
    database: { url, db, sql, stop: async () => undefined },
  };
}
