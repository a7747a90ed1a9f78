/** A/B tests together with the other ways to send a notification. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { setFrequencyCaps } from '../../../src/apps/frequency-caps.ts';
import { systemClock } from '../../../src/clock.ts';
import { groupAt, HOLD_OUT, positionOf } from '../../../src/notifications/content/assign-variant.ts';
import { groupOf, payload, TITLES, twoDaysLater, useTestApp, variants } from './test-app.ts';

const app = useTestApp();

describe('variants together with other features', () => {
  test('a held-out device uses nothing of a frequency cap', async () => {
    const tag = randomUUID();
    const devices = await app.insertDevices(tag, 60);
    await setFrequencyCaps(
      app.db,
      app.id,
      [{ group: tag, by: 'device', limits: [{ at_most: 1, per: 'P1D' }] }],
      systemClock,
    );
    const to = [{ name: 'tags', criteria: [tag] }];
    const nid = await app.send({ to, payload, variants, hold_out: 0.5, group: tag });
    await app.ended(nid);
    const held = devices.filter(
      (device) =>
        groupAt(positionOf(nid, { deviceId: device.id, userId: device.userId }), {
          variants,
          holdOut: 0.5,
        }) === HOLD_OUT,
    );
    expect(held.length).toBeGreaterThan(0);
    const next = await app.send({ to, payload, group: tag });
    expect(await app.ended(next)).toMatchObject({
      accepted: held.length,
      capped: devices.length - held.length,
    });
  });

  test('each notification of a batch to a stored audience assigns variants by its own id', async () => {
    const tag = randomUUID();
    const devices = await app.insertDevices(tag, 30);
    const filters = [{ name: 'tags', criteria: [tag] }];
    const audience = await app.call('POST /v6/audiences', { audience: { name: tag, filters } });
    const { id: audienceId } = z
      .object({ audience: z.object({ id: z.string() }) })
      .parse(audience.body).audience;
    const notification = { to: { audience: audienceId }, payload, variants, hold_out: 0.2 };
    const { body } = await app.call('POST /v6/notifications/batch', [{ notification }, { notification }]);
    const ids = z
      .array(z.object({ id: z.string() }))
      .parse(body)
      .map(({ id }) => id);
    expect(ids).toHaveLength(2);
    for (const nid of ids) {
      await app.ended(nid);
      for (const device of devices) expect(app.titlesOf(nid, device)).toEqual(TITLES[groupOf(nid, device)]);
    }
  });

  test('a device has the same variant in whichever wave it is, and one that is left out has none', async () => {
    const tag = randomUUID();
    const devices = await app.insertDevices(tag, 60);
    await sql`
      update devices set time_zone = case when id < '80000000-0000-0000-0000-000000000000' then 'Pacific/Kiritimati' end
      where app_id = ${app.id} and tags = array[${tag}]`.execute(app.db);
    // In Kiritimati the time is past.
    const time = new Date(systemClock().getTime() + 60_000).toISOString().slice(0, 19);
    const nid = await app.send({
      to: [{ name: 'tags', criteria: [tag] }],
      payload,
      variants,
      hold_out: 0.2,
      deliver_at_local: { time, no_time_zone: 'skip', if_past: 'now' },
    });
    await app.ended(nid);
    for (const device of devices) {
      const isLeftOut = device.id >= '8';
      expect(app.titlesOf(nid, device)).toEqual(isLeftOut ? [] : TITLES[groupOf(nid, device)]);
      const { body } = await app.call(`GET /v6/notifications/${nid}/deliveries/${device.id}`);
      expect(body).toMatchObject({ variant: isLeftOut ? null : groupOf(nid, device) });
    }
  });

  test('a notification with variants that is canceled before it is sent reaches nobody', async () => {
    const tag = randomUUID();
    const devices = await app.insertDevices(tag, 10);
    const deliverAt = twoDaysLater().toISOString();
    const nid = await app.send({
      to: [{ name: 'tags', criteria: [tag] }],
      payload,
      variants,
      deliver_at: deliverAt,
    });
    await app.call(`POST /v6/notifications/${nid}/cancel`);
    expect(await app.ended(nid)).toMatchObject({ state: 'canceled' });
    for (const device of devices) expect(app.titlesOf(nid, device)).toEqual([]);
    expect((await app.reportOf(nid)).variants.comparisons).toEqual([]);
  });
});
