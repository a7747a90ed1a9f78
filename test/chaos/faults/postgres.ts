/** The database goes away, loses its connections, or lets nobody at a table. */
import { sql } from 'kysely';
import { faultsOf, lasts } from '../fault.ts';
import type { Stage } from '../stage.ts';
import { fullDisk } from './full-disk.ts';
import { heldSnapshot } from './held-snapshot.ts';
import { failedOver, replicaAway } from './second-server.ts';

const away = (mode: 'fast' | 'immediate', seconds: number) => ({
  name: seconds === 0 ? `restarted (${mode})` : `away for ${seconds} s`,
  strike: async ({ postgres }: Stage) => {
    await postgres.stop(mode);
    if (seconds > 0) await lasts(seconds);
    await postgres.start();
  },
});

/** Longer than our own limit of a statement. */
const LOCKED_SECONDS = 15;
const FROZEN_SECONDS = 12;

export const postgresAway = faultsOf('Postgres', [
  away('fast', 0),
  away('immediate', 0),
  away('immediate', 6),
  away('immediate', 30),
  away('immediate', 120),
  {
    name: `silent for ${FROZEN_SECONDS} s`,
    strike: async ({ postgres }) => {
      const goOn = await postgres.freeze();
      await lasts(FROZEN_SECONDS);
      await goOn();
    },
  },
  {
    name: 'all connections terminated, five times',
    strike: async ({ postgres }) => {
      for (let time = 0; time < 5; time++) {
        await sql`select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid()`.execute(postgres.db);
        await lasts(0.5);
      }
    },
  },
]);

export const postgresTroubled = faultsOf('Postgres', [
  ...['devices', 'notifications', 'delivery_slices'].map((table) => ({
    name: `${table} locked for ${LOCKED_SECONDS} s`,
    strike: async ({ postgres }: Stage) => {
      await postgres.db.transaction().execute(async (transaction) => {
        await sql`lock table ${sql.table(table)} in access exclusive mode`.execute(transaction);
        await lasts(LOCKED_SECONDS);
      });
    },
  })),
  failedOver,
  replicaAway,
  ...fullDisk,
  heldSnapshot,
]);
