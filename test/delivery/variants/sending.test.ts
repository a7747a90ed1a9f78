/** An A/B test from creation to the phones: each device gets its variant, and no other one. */
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
    const { devices, to } = await app.insertDevices(count);
    const nid = await app.test({ to });
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
      expect(await app.outcomeOf(nid, device)).toMatchObject({
        variant: group,
        outcome: group === HOLD_OUT ? 'dropped' : 'accepted',
      });
    }
    for (const [group, members] of byGroup) {
      const found = await app.call(`GET /v6/notifications/${nid}/deliveries?variant=${group}&per=500`);
      const ids = z
        .object({ deliveries: z.array(z.object({ device_id: z.string() })) })
        .parse(found).deliveries;
      expect(ids.map(({ device_id: id }) => id).sort()).toEqual(members.map(({ id }) => id).sort());
    }
  });

  test('all devices of one user get the payload of the same variant, or nothing', async () => {
    const { devices } = await app.insertDevices(40);
    const userId = devices.at(-1)?.userId;
    const own = devices.filter((device) => device.userId === userId);
    const nid = await app.test({ to: { user_id: userId } });
    const [first] = own;
    const group = first === undefined ? '' : groupOf(nid, first);
    for (const device of own) expect(app.titlesOf(nid, device)).toEqual(TITLES[group]);
  });

  test('each device gets the payload of its variant in its language', async () => {
    const { devices, to } = await app.insertDevices(120);
    const localized = { fr: { title: 'Soldes' } };
    const [a, b] = variants;
    const translated = [a, { ...b, localized: { fr: { title: 'Moitié prix' } } }];
    const nid = await app.test({ to, localized, variants: translated });
    const french: Readonly<Record<string, string[]>> = { A: ['Soldes'], B: ['Moitié prix'], [HOLD_OUT]: [] };
    for (const [index, device] of devices.entries()) {
      const titles = index % 2 === 1 ? french : TITLES;
      expect(app.titlesOf(nid, device)).toEqual(titles[groupOf(nid, device)]);
    }
  });

  test('notifications of the same experiment assign a device to the same variant', async () => {
    const { devices, to } = await app.insertDevices(30);
    const sent = async (): Promise<string> => app.test({ to, experiment: 'spring' });
    for (const nid of await Promise.all([sent(), sent()])) {
      for (const device of devices)
        expect(app.titlesOf(nid, device)).toEqual(TITLES[groupOf('spring', device)]);
    }
  });
});

test('a device without a push token is not held out, and its variant is recorded', async () => {
  const { devices, to, tag } = await app.insertDevices(40);
  await sql`update devices set push_token = null where tags = array[${tag}]`.execute(app.db);
  const nid = await app.test({ to });
  expect(await app.ended(nid)).toMatchObject({ no_token: 40, dropped: 0 });
  for (const device of devices) {
    expect(await app.outcomeOf(nid, device)).toMatchObject({
      outcome: 'no_token',
      reason: null,
      variant: groupOf(nid, device),
    });
  }
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
