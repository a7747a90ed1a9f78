/** An A/B test from creation to the phones: each device gets its variant, and no other one. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { HOLD_OUT } from '../../../src/notifications/content/assign-variant.ts';
import { groupOf, payload, TITLES, useTestApp, variants } from './test-app.ts';

const app = useTestApp();

describe('each device gets the payload of its variant, and a held-out one nothing', () => {
  test.each([
    ['if few devices are sent to, in the direct path', 20],
    ['if many devices are sent to, in slices', 600],
  ])('each device gets the payload of its variant, and a held-out one nothing, %s', async (_, count) => {
    const tag = randomUUID();
    const devices = await app.insertDevices(tag, count);
    const to = [{ name: 'tags', criteria: [tag] }];
    const nid = await app.send({ to, payload, variants, hold_out: 0.2 });
    const byGroup = Map.groupBy(devices, (device) => groupOf(nid, device));
    const held = byGroup.get(HOLD_OUT)?.length ?? 0;
    expect(await app.ended(nid)).toMatchObject({
      state: 'sent',
      devices: count,
      accepted: count - held,
      dropped: held,
      pending: 0,
    });
    for (const device of devices) expect(app.titlesOf(nid, device)).toEqual(TITLES[groupOf(nid, device)]);

    const some = [...byGroup].flatMap(([group, [device]]) =>
      device === undefined ? [] : [{ group, device }],
    );
    for (const { group, device } of some) {
      const { body } = await app.call(`GET /v6/notifications/${nid}/deliveries/${device.id}`);
      expect(body).toMatchObject({ variant: group, outcome: group === HOLD_OUT ? 'dropped' : 'accepted' });
    }
    for (const [group, members] of byGroup) {
      const found = await app.call(`GET /v6/notifications/${nid}/deliveries?variant=${group}&per=500`);
      const ids = z
        .object({ deliveries: z.array(z.object({ device_id: z.string() })) })
        .parse(found.body).deliveries;
      expect(ids.map(({ device_id: id }) => id).sort()).toEqual(members.map(({ id }) => id).sort());
    }
  });

  test('all devices of one user get the payload of the same variant, or nothing', async () => {
    const devices = (await app.insertDevices(randomUUID(), 40)).filter(({ userId }) => userId !== null);
    const [{ userId } = { userId: null }] = devices;
    const own = devices.filter((device) => device.userId === userId);
    const nid = await app.send({ to: { user_id: userId }, payload, variants, hold_out: 0.2 });
    await app.ended(nid);
    const [first] = own;
    const group = first === undefined ? '' : groupOf(nid, first);
    for (const device of own) expect(app.titlesOf(nid, device)).toEqual(TITLES[group]);
  });

  test('each device gets the payload of its variant in its language', async () => {
    const tag = randomUUID();
    const devices = await app.insertDevices(tag, 120);
    const to = [{ name: 'tags', criteria: [tag] }];
    const localized = { fr: { title: 'Soldes' } };
    const [a, b] = variants;
    const translated = [a, { ...b, localized: { fr: { title: 'Moitié prix' } } }];
    const nid = await app.send({ to, payload, localized, variants: translated, hold_out: 0.2 });
    await app.ended(nid);
    const french: Readonly<Record<string, string[]>> = { A: ['Soldes'], B: ['Moitié prix'], [HOLD_OUT]: [] };
    for (const [index, device] of devices.entries()) {
      const titles = index % 2 === 1 ? french : TITLES;
      expect(app.titlesOf(nid, device)).toEqual(titles[groupOf(nid, device)]);
    }
  });

  test('notifications of the same experiment assign a device to the same variant', async () => {
    const tag = randomUUID();
    const devices = await app.insertDevices(tag, 30);
    const notification = {
      to: [{ name: 'tags', criteria: [tag] }],
      payload,
      variants,
      hold_out: 0.2,
      experiment: 'spring',
    };
    const ids = await Promise.all([app.send(notification), app.send(notification)]);
    for (const nid of ids) {
      await app.ended(nid);
      for (const device of devices)
        expect(app.titlesOf(nid, device)).toEqual(TITLES[groupOf('spring', device)]);
    }
  });
});

test('a device without a push token is not held out, and its variant is recorded', async () => {
  const tag = randomUUID();
  const devices = await app.insertDevices(tag, 40);
  await sql`update devices set push_token = null where app_id = ${app.id} and tags = array[${tag}]`.execute(
    app.db,
  );
  const nid = await app.send({ to: [{ name: 'tags', criteria: [tag] }], payload, variants, hold_out: 0.2 });
  expect(await app.ended(nid)).toMatchObject({ no_token: 40, dropped: 0 });
  const [device] = devices;
  if (device === undefined) throw new Error('there are devices');
  const { body } = await app.call(`GET /v6/notifications/${nid}/deliveries/${device.id}`);
  expect(body).toMatchObject({ outcome: 'no_token', reason: null, variant: groupOf(nid, device) });
});

async function countNotifications(): Promise<number | undefined> {
  const { rows } = await sql<{ n: number }>`select count(*)::int as n from notifications`.execute(app.db);
  return rows[0]?.n;
}

test('creation refuses a variant that is too large for a gateway, and stores nothing', async () => {
  const large = [variants[0], { name: 'B', weight: 1, payload: { alert: 'x'.repeat(5_000) } }];
  const before = await countNotifications();
  const body = { notification: { to: '*', payload, variants: large } };
  const reply = await app.tryCall('POST /v6/notifications', body);
  expect(reply).toMatchObject({
    status: 422,
    body: { code: 'payload_too_large', details: [{ path: 'notification.variants[1].payload' }, {}] },
  });
  expect(await countNotifications()).toBe(before);
});
