/** `kill -9` in a broadcast to phones, browsers and UnifiedPush at once: all gateways, each with its own limits and verdicts. */
import { hash } from 'node:crypto';
import { deriveSubscription, type WebService } from '@carillon/simulator';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { type Cluster, useCluster, workerStarted } from '../processes/cluster.ts';
import { allAccepted, IN_FLIGHT_MAX, reach, repeatsOf } from '../processes/fan-out.ts';
import { endLeases, killBetweenNotes, killPoints } from '../processes/kill-point.ts';
import { describeWithOwnRedis } from '../support/redis.ts';
import { byRun } from '../support/runs.ts';

const DEVICES = byRun({ change: 4_000, night: 200_000 });
const KILLS = byRun({ change: 2, night: 5 });
/** A lease that another process must wait for is ended; what is left is the time of the pushes. */
const ENDS_WITHIN_MS = byRun({ change: 60_000, night: 600_000 });

/** Browsers by their push services; `plain` is a distributor of UnifiedPush. */
const services = ['google', 'mozilla', 'apple', 'windows', 'plain'] as const satisfies WebService[];

/** Each kind of device in turn: by Apple, by Google, by Google with an Apple device, and by each push service. */
const KINDS = 3 + services.length;

async function insertMixedDevices({ db, simulator }: Cluster, appId: string): Promise<Set<string>> {
  const rows = Array.from({ length: DEVICES }, (_, index) => rowOf(index, simulator.urls.web));
  for (let first = 0; first < rows.length; first += 10_000) {
    await sql`
      insert into devices (app_id, id, platform, push_token, push_token_type, subscription_keys, token_registered_at,
        created_at, registered_at)
      select ${appId}::uuid, gen_random_uuid(), platform, push_token, push_token_type, subscription_keys, now(), now(), now()
      from jsonb_to_recordset(${JSON.stringify(rows.slice(first, first + 10_000))}::jsonb)
        as given (platform text, push_token text, push_token_type text, subscription_keys text)`.execute(db);
  }
  return new Set(rows.map(({ push_token: token }) => token));
}

function rowOf(index: number, origin: string) {
  const unlike = { push_token_type: 'token', subscription_keys: null };
  const number = hash('sha256', `${index}`);
  const kind = index % KINDS;
  if (kind === 0) return { ...unlike, platform: 'iOS', push_token: number };
  if (kind === 1) return { ...unlike, platform: 'Android', push_token: `android:${number}` };
  if (kind === 2) {
    return { ...unlike, platform: 'iOS', push_token: `iphone:${number}`, push_token_type: 'fcm' };
  }
  const { endpoint, keys } = deriveSubscription(origin, index, services[kind - 3]);
  return {
    platform: 'Web',
    push_token: endpoint,
    push_token_type: 'subscription',
    subscription_keys: `${keys.p256dh}.${keys.auth}`,
  };
}

describeWithOwnRedis(
  { name: 'a broadcast to devices of every kind', timeout: 2 * ENDS_WITHIN_MS },
  (redis) => {
    const cluster = useCluster(redis, { settings: { BULK_THREADS: '2' } });
    const { seed, points } = killPoints(KILLS, DEVICES);
    const story = `KILL_SEED=${seed}, points ${points.join(', ')}`;

    test('a mixed broadcast reaches each device while workers are killed, and its sums hold', async () => {
      const { app, backend } = await cluster.makeApp(0);
      const credentials = { subject: 'mailto:push@example.com' };
      expect(await backend.call('PUT', '/v6/credentials/web_push', { credentials })).toMatchObject({
        status: 200,
      });
      const tokens = await insertMixedDevices(cluster, app.id);
      const workers = await cluster.startWorkers(2);
      const { id } = await backend.notify('*');
      for (const point of points.toSorted((a, b) => a - b)) {
        await reach(cluster.simulator, id, point);
        const killed = workers.shift();
        if (killed !== undefined) await killBetweenNotes(cluster.db, killed);
        await endLeases(cluster, app.id);
        workers.push(await workerStarted(cluster.startWorker()));
      }
      expect(await backend.untilEnded(id, ENDS_WITHIN_MS), story).toMatchObject(allAccepted(DEVICES));
      const reached = cluster.simulator.pushesByToken(id);
      expect(tokens.difference(new Set(reached.keys())), story).toEqual(new Set());
      expect(reached.size, story).toBe(DEVICES);
      expect(repeatsOf(cluster.simulator, id), story).toBeLessThanOrEqual(2 * KILLS * IN_FLIGHT_MAX);
      const { apns, fcm, web_push: web } = cluster.simulator.counts();
      const each = [apns, fcm, web].map(({ accepted, duplicates }) => accepted - duplicates);
      expect(each, story).toEqual([DEVICES / KINDS, (2 * DEVICES) / KINDS, (5 * DEVICES) / KINDS]);
    });
  },
);
