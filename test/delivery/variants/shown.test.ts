/** What previews and explanations say about the variant of a device. */
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { groupAt, HOLD_OUT, positionOf } from '../../../src/notifications/content/assign-variant.ts';
import { groupOf, payload, twoDaysLater, useTestApp, variants } from './test-app.ts';

const app = useTestApp();

const explain = async (nid: string, deviceId: string) =>
  app.call(`GET /v6/notifications/${nid}/deliveries/${deviceId}/explanation`);

describe('a preview', () => {
  const compiled = z.object({
    compiled: z.looseObject({
      variants: z.array(z.object({ name: z.string(), share: z.number() })),
      versions: z.array(z.looseObject({ variant: z.string(), locale: z.string().nullable() })),
      device: z.looseObject({ apns: z.object({ body: z.string() }) }),
    }),
  });

  test('a preview shows every variant, and what a device gets with each of them', async () => {
    const [device] = (await app.insertDevices(1)).devices;
    if (device === undefined) throw new Error('there is a device');
    const notification = { to: '*', payload, variants, hold_out: 0.2 };
    const preview = async (more: object) =>
      compiled.parse(
        await app.call('POST /v6/notifications/preview', { notification, device_id: device.id, ...more }),
      ).compiled;
    const undecided = await preview({});
    expect(undecided).toMatchObject({
      variant: 'A',
      versions: [{ variant: 'B', locale: null }],
      device: { variant: 'A', variant_by: 'none' },
    });
    expect(undecided.variants.map(({ name, share }) => [name, share.toFixed(4)])).toEqual([
      ['A', '0.2667'],
      ['B', '0.5333'],
      [HOLD_OUT, '0.2000'],
    ]);
    const asked = await preview({ variant: 'B' });
    expect(asked.device).toMatchObject({ variant: 'B', variant_by: 'request', dropped: null });
    expect(asked.device.apns.body).toContain('Half price');
    expect((await preview({ variant: HOLD_OUT })).device).toMatchObject({ dropped: 'held_out' });
    const decided = await preview({ notification: { ...notification, experiment: 'spring' } });
    expect(decided.device).toMatchObject({ variant: groupOf('spring', device), variant_by: 'experiment' });
  });

  test.each([
    ['an unknown variant', { variant: 'C' }],
    ['a variant that is no text', { variant: 1 }],
  ])('a preview is refused for %s', async (_, more) => {
    const [device] = (await app.insertDevices(1)).devices;
    const body = { notification: { to: '*', payload, variants }, device_id: device?.id, ...more };
    const reply = await app.tryCall('POST /v6/notifications/preview', body);
    expect(reply).toMatchObject({ status: 422, body: { details: [{ path: 'variant' }] } });
  });
});

describe('the explanation of a device', () => {
  test('the explanation of a device names its variant and says why, before and after it is sent', async () => {
    const { devices, to } = await app.insertDevices(12);
    const later = await app.send({
      to,
      payload,
      variants,
      hold_out: 0.2,
      deliver_at: twoDaysLater().toISOString(),
    });
    const nid = await app.test({ to });
    for (const device of devices) {
      for (const notification of [later, nid]) {
        const explanation = await explain(notification, device.id);
        const sentence =
          device.userId === null
            ? /^The device, which has no user, has the position 0\./
            : /^The user of the device has the position 0\./;
        const variant = { name: groupOf(notification, device), sentence: expect.stringMatching(sentence) };
        expect(explanation).toMatchObject({ variant });
      }
    }
    const held = devices.find((device) => groupOf(nid, device) === HOLD_OUT);
    if (held !== undefined) {
      expect(await explain(nid, held.id)).toMatchObject({
        outcome: 'dropped',
        causes: [{ code: 'left_out', sentence: expect.stringContaining('hold-out') }],
      });
    }
  });

  test('the explanation of a device keeps the variant that was sent if the user of the device changes', async () => {
    const [device] = (await app.insertDevices(1)).devices;
    if (device === undefined) throw new Error('there is a device');
    const nid = await app.send({ to: { device_id: device.id }, payload, variants });
    await app.ended(nid);
    const groupFor = (userId: string | null): string =>
      groupAt(positionOf(nid, { deviceId: device.id, userId }), { variants, holdOut: 0 });
    const before = groupFor(device.userId);
    const userId = Array.from({ length: 100 }, (_, number) => `other-${number}`).find(
      (name) => groupFor(name) !== before,
    );
    await sql`update devices set user_id = ${userId} where id = ${device.id}`.execute(app.db);
    expect(await explain(nid, device.id)).toMatchObject({
      variant: { name: before, sentence: expect.stringContaining('has changed since') },
    });
  });
});
