/** Postgres fails over to its standby, Redis to its replica; the replica that calls read goes away. */
import { sql } from 'kysely';
import { expect, vi } from 'vitest';
import { redisProgram } from '../../support/redis-server.ts';
import { startSentinel } from '../../support/sentinel.ts';
import { STANDBY_NAME, startStandby } from '../../support/standby.ts';
import { openTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts';
import { lasts, onStand } from '../fault.ts';
import type { Servers } from '../stage.ts';

const AWAY_SECONDS = 8;

/** @param names of the standbys that must have a transaction before its commit is answered */
async function waitForStandbys({ postgres }: Servers, names: string): Promise<void> {
  await sql.raw(`alter system set synchronous_standby_names = '${names}'`).execute(postgres.db);
  await sql`select pg_reload_conf()`.execute(postgres.db);
}

/** With synchronous replication; what an asynchronous failover loses, docs/postgres.md says. */
async function withStandby(servers: Servers) {
  const { postgres } = servers;
  const standby = await startStandby(postgres.url);
  await waitForStandbys(servers, STANDBY_NAME);
  await vi.waitFor(async () => {
    const { rows } = await sql`select sync_state from pg_stat_replication`.execute(postgres.db);
    expect(rows).toEqual([{ sync_state: 'sync' }]);
  }, 30_000);
  let address: TcpProxy | undefined;
  return {
    failOver: async () => {
      await postgres.stop('immediate');
      await standby.promote();
      // The address of the old primary leads to the new one, as a virtual address does.
      address = await openTcpProxy(standby.port, Number(new URL(postgres.url).port));
    },
    close: async () => {
      await address?.close();
      await standby.close();
      await postgres.stop('immediate').catch(() => undefined); // it is stopped already, unless the cell ended early
      await postgres.start();
      await waitForStandbys(servers, '');
      // The workers of the next cell would go on with what this primary has half done.
      await sql`truncate notifications, channels cascade`.execute(postgres.db);
    },
  };
}

export const failedOver = onStand({ name: 'failed over to its standby' }, withStandby, async (standby) =>
  standby.failOver(),
);

export const replicaAway = onStand(
  { name: `the read replica away for ${AWAY_SECONDS} s` },
  async ({ postgres }) => {
    const standby = await startStandby(postgres.url);
    return { ...standby, settings: { DATABASE_REPLICA_URL: standby.url } };
  },
  async (standby) => {
    await standby.stop();
    await lasts(AWAY_SECONDS);
    await standby.start();
  },
);

export const failedOverBySentinel = onStand(
  { name: 'failed over by Sentinel' },
  async () => {
    if (redisProgram === undefined) throw new Error('the matrix runs only with a Redis');
    const sentinel = await startSentinel(redisProgram);
    return { ...sentinel, settings: { REDIS_URL: sentinel.url } };
  },
  async (sentinel) => sentinel.failOver('SIGKILL'),
);
