/** A read replica by streaming replication: what is read from it, how old it may be, and what happens without it. */
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import { createApp } from '../../../src/apps/apps.ts';
import { createApiKey } from '../../../src/apps/api-keys.ts';
import { systemClock } from '../../../src/clock.ts';
import { connectDatabase } from '../../../src/db/connect.ts';
import { observeNothing } from '../../../src/observe.ts';
import { useOpened } from '../../support/opened.ts';
import { useOwnPostgres } from '../../support/own-postgres.ts';
import { expectToStop, listeningUrl, useCarillon } from '../../support/processes.ts';
import { insertDevices } from '../../support/simulated-app.ts';
import { startStandby } from '../../support/standby.ts';

const MAX_LAG_SECONDS = 2;
const WITHIN = { timeout: 30_000, interval: 50 };

const postgres = useOwnPostgres();
const carillon = useCarillon();
const replica = useOpened(async (closing) => {
  const standby = closing.keep(await startStandby(postgres.url));
  closing.defer(async () => carillon.killAll());
  const server = carillon.start(['start'], {
    DATABASE_URL: postgres.url,
    DATABASE_REPLICA_URL: standby.url,
    DATABASE_REPLICA_MAX_LAG_SECONDS: String(MAX_LAG_SECONDS),
    AUDIENCE_COUNT_MAX_AGE_SECONDS: '0',
    SECRET_KEY: randomBytes(32).toString('hex'),
    PORT: '0',
  });
  const app = { bundleId: 'com.example.app', name: 'App' };
  const { id: appId } = await createApp(postgres.db, app, systemClock);
  const { key } = await createApiKey(postgres.db, { appId, scopes: ['read', 'write'] }, systemClock);
  const authorization = `Basic ${Buffer.from(`:${key}`).toString('base64')}`;
  return { standby, server, url: await listeningUrl(server), appId, authorization };
});

const countSchema = z.object({ device_count: z.number() });

/** Counts all devices. */
async function count(headers: Record<string, string> = {}) {
  const reply = await fetch(`${replica.url}/v6/audiences/count`, {
    method: 'POST',
    headers: { authorization: replica.authorization, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ filters: [{ name: 'tags', criteria: ['none'], not_filter: true }] }),
  });
  const { device_count: devices } = countSchema.parse(await reply.json());
  const lag = reply.headers.get('carillon-replica-lag');
  return {
    devices,
    from: reply.headers.get('carillon-read-from'),
    lag: lag === null ? undefined : Number(lag),
  };
}

async function metric(): Promise<number | undefined> {
  const text = await (await fetch(`${replica.url}/metrics`)).text();
  const [, value] = /^carillon_replica_lag_seconds (\S+)$/m.exec(text) ?? [];
  return value === undefined ? undefined : Number(value);
}

async function onStandby(statement: string): Promise<void> {
  const db = connectDatabase({ connectionString: replica.standby.url, observe: observeNothing });
  await sql.raw(statement).execute(db);
  await db.destroy();
}

test('a count comes from the replica with its age, and shows what was written before', async () => {
  await insertDevices(postgres.db, replica.appId, 500);
  const { lag } = await vi.waitFor(async () => {
    const counted = await count();
    expect(counted).toMatchObject({ devices: 500, from: 'replica' });
    return counted;
  }, WITHIN);
  expect(lag).toBeLessThanOrEqual(MAX_LAG_SECONDS);
  await vi.waitFor(async () => expect(await metric()).toBeLessThanOrEqual(MAX_LAG_SECONDS), WITHIN);
});

test('a replica that stands still is read until it may be too old, never longer, and again when it has caught up', async () => {
  await onStandby('select pg_wal_replay_pause()');
  const pausedAt = performance.now();
  await sql`delete from devices where app_id = ${replica.appId} and user_id = 'user 1'`.execute(postgres.db);
  expect(await count({ 'carillon-read-from': 'primary' })).toEqual({
    devices: 499,
    from: 'primary',
    lag: undefined,
  });

  const ages: number[] = [];
  /** When the last count was asked for that the replica answered: a busy machine may be late with the answer. */
  let askedAt = pausedAt;
  await vi.waitFor(async () => {
    const askedMs = performance.now();
    const counted = await count();
    if (counted.from === 'replica') {
      expect(counted.devices).toBe(500);
      ages.push(counted.lag ?? Infinity);
      askedAt = askedMs;
    }
    expect(counted).toEqual({ devices: 499, from: 'primary', lag: undefined });
  }, WITHIN);
  expect(Math.max(...ages)).toBeLessThanOrEqual(MAX_LAG_SECONDS);
  // Measured once a second, so what it showed may be a second older than the pause.
  expect(askedAt - pausedAt).toBeLessThan((MAX_LAG_SECONDS + 2) * 1_000);
  await replica.server.line(/"kind":"replica_away","message":"it lags by more than 2 s"/);
  await vi.waitFor(async () => expect(await metric()).toBeUndefined(), WITHIN);

  await onStandby('select pg_wal_replay_resume()');
  await vi.waitFor(
    async () => expect(await count()).toMatchObject({ devices: 499, from: 'replica' }),
    WITHIN,
  );
});

test('the primary answers while the replica is down, and the process stops in good order', async () => {
  await replica.standby.stop();
  expect(await count()).toMatchObject({ devices: 499, from: 'primary' });
  await replica.standby.start();
  await vi.waitFor(
    async () => expect(await count()).toMatchObject({ devices: 499, from: 'replica' }),
    WITHIN,
  );
  await expectToStop(replica.server);
});
