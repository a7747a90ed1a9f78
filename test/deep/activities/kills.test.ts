/** `kill -9` in the middle of updates of a Live Activity: the last one wins on every phone, and nothing waits for ever. */
import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import { type ClusterApp, useCluster, workerStarted } from '../../processes/cluster.ts';
import { endLeases, killPoints } from '../../processes/kill-point.ts';
import { describeWithOwnRedis } from '../../support/redis.ts';

/** Every other one is an iPhone. */
const DEVICES = 3_000;
const IPHONES = DEVICES / 2;
const ENDS_WITHIN_MS = 60_000;
const timeout = 150_000;
const body = z.object({
  aps: z.object({ event: z.string(), 'content-state': z.object({ minute: z.number() }) }),
});

async function send({ backend }: ClusterApp, event: 'update' | 'end', minute: number): Promise<string> {
  const live_activity = { event, activity_id: 'match-7', content_state: { minute } };
  return (await backend.notify('*', { payload: undefined, live_activity })).id;
}

describeWithOwnRedis({ name: 'updates of a match that everybody follows', timeout }, (redis) => {
  const cluster = useCluster(redis);
  const { seed, points } = killPoints(2, IPHONES);
  const story = `KILL_SEED=${seed}, points ${points.join(', ')}`;

  /** The minutes that each token has received, in their order. */
  function minutes(): Map<string, number[]> {
    const byToken = new Map<string, number[]>();
    for (const push of cluster.simulator.received({ gateway: 'apns' })) {
      const { minute } = body.parse(JSON.parse(push.body)).aps['content-state'];
      byToken.set(push.token, [...(byToken.get(push.token) ?? []), minute]);
    }
    return byToken;
  }

  /** Resolves when so many devices have received this minute. */
  async function reach(minute: number, devices: number): Promise<void> {
    const hasIt = ({ body: text }: { body: string }): boolean => text.includes(`"minute":${minute}`);
    await vi.waitFor(
      () => {
        const pushes = cluster.simulator.received({ gateway: 'apns' }).filter(hasIt);
        expect(new Set(pushes.map(({ token }) => token)).size, story).toBeGreaterThanOrEqual(devices);
      },
      { timeout: 60_000, interval: 20 },
    );
  }

  test('the last update of an activity wins, also where workers die while they send', async () => {
    const app = await cluster.makeApp(DEVICES);
    await sql`
      insert into named_tokens (app_id, type, name, device_id, push_token, registered_at, presented_at)
      select app_id, 'live_activity', 'match-7', id, encode(sha256(id::text::bytea), 'hex'), now(), now()
      from devices where app_id = ${app.app.id} and platform = 'iOS'`.execute(cluster.db);
    const kill = async (): Promise<void> => {
      worker.signal('SIGKILL');
      await worker.exited;
      await endLeases(cluster, app.app.id);
    };
    let worker = await workerStarted(cluster.startWorker());

    const ids = [await send(app, 'update', 1)];
    await reach(1, points[0] ?? 1);
    await kill();
    // Nobody sends these: the first of them is replaced before it begins.
    ids.push(await send(app, 'update', 2), await send(app, 'update', 3));
    worker = await workerStarted(cluster.startWorker());
    await reach(3, points[1] ?? 1);
    await kill();
    ids.push(await send(app, 'end', 4));
    worker = await workerStarted(cluster.startWorker());

    const records = [];
    for (const id of ids) records.push(await app.backend.untilEnded(id, ENDS_WITHIN_MS));
    for (const { devices, accepted, dropped, rejected, pending } of records) {
      expect([devices, rejected, pending], story).toEqual([IPHONES, 0, 0]);
      expect(accepted + dropped, story).toBe(IPHONES);
    }
    const [, second, , last] = records;
    expect(second, story).toMatchObject({ accepted: 0, dropped: IPHONES });
    expect(last, story).toMatchObject({ accepted: IPHONES, dropped: 0 });
    const received = minutes();
    expect(received.size, story).toBe(IPHONES);
    for (const each of received.values()) {
      expect(each.at(-1), story).toBe(4);
      expect(each, story).toEqual([...each].sort((left, right) => left - right));
    }
  });
});
