/** The embedded database breaks off every connection, as it does where one of its own processes dies. */
import { sql } from 'kysely';
import { describe, expect, test, vi } from 'vitest';
import { databaseRuns } from '../support/processes.ts';
import { useAlone } from './alone.ts';
import { allAccepted } from './fan-out.ts';

describe('a server whose embedded database has broken off every connection', () => {
  const alone = useAlone();

  test(
    'is still the one server of its directory, and no command stops its database',
    { timeout: 60_000 },
    async () => {
      const { app } = await alone.makeApp(100);
      const server = alone.start();
      const backend = await alone.backend(server, app);
      await alone.onDatabase(async ({ db }) => {
        await sql`select pg_terminate_backend(pid) from pg_stat_activity
        where backend_type = 'client backend' and pid <> pg_backend_pid()`.execute(db);
        // Both this command and the server take their locks again; this one must not leave as the only one.
        await vi.waitFor(async () => {
          const { rows } = await sql<{ holders: number }>`select count(distinct pid) as holders from pg_locks
            where locktype = 'advisory'`.execute(db);
          expect(rows).toEqual([{ holders: 2 }]);
        }, 10_000);
      });
      await vi.waitFor(
        async () => expect(await backend.call('GET', '/readyz')).toMatchObject({ status: 200 }),
        10_000,
      );

      expect(await alone.run(['apps', 'list'])).toMatchObject({ code: 0 });
      expect(await databaseRuns(alone.dataDir)).toBe(true);
      const { id } = await backend.notify('*');
      expect(await backend.untilEnded(id, 20_000)).toMatchObject(allAccepted(100));
      expect(await alone.start().exited).toMatchObject({ code: 1 });
      server.signal('SIGTERM');
      expect(await server.exited).toMatchObject({ code: 0, signal: null });
      expect(await databaseRuns(alone.dataDir)).toBe(false);
    },
  );
});
