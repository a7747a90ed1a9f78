/** A/B tests together with the other ways to send a notification. */
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { setFrequencyCaps } from '../../../src/apps/frequency-caps.ts';
import { systemClock } from '../../../src/clock.ts';
import { groupAt, HOLD_OUT, positionOf } from '../../../src/notifications/content/assign-variant.ts';
import { textAt } from '../api-app.ts';
import { groupOf, payload, TITLES, twoDaysLater, useTestApp, variants } from './test-app.ts';

const app = useTestApp();

describe('variants together with other features', () => {
  test('a held-out device uses nothing of a frequency cap', async () => {
    const { devices, to, tag } = await app.insertDevices(60);
    await setFrequencyCaps(
      app.db,
      app.app.id,
      [{ group: tag, by: 'device', limits: [{ at_most: 1, per: 'P1D' }] }],
      systemClock,
    );
    const nid = await app.test({ to, hold_out: 0.5, group: tag });
    const groups = { variants, holdOut: 0.5 };
    const held = devices.filter(
      ({ id, userId }) => groupAt(positionOf(nid, { deviceId: id, userId }), groups) === HOLD_OUT,
    );
    expect(held.length).toBeGreaterThan(0);
    expect(await app.push(to, { group: tag })).toMatchObject({
      accepted: held.length,
      capped: devices.length - held.length,
    });
  });

  test('each notification of a batch to a stored audience assigns variants by its own id', async () => {
    const { devices, to: filters, tag } = await app.insertDevices(30);
    const made = await app.call('POST /v6/audiences', { audience: { name: tag, filters } });
    const to = { audience: textAt(made, 'audience', 'id') };
    const notification = { to, payload, variants, hold_out: 0.2 };
    const body = await app.call('POST /v6/notifications/batch', [{ notification }, { notification }]);
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
    const { devices, to, tag } = await app.insertDevices(60);
    await sql`
      update devices set time_zone = case when id < '80000000-0000-0000-0000-000000000000' then 'Pacific/Kiritimati' end
      where tags = array[${tag}]`.execute(app.db);
    // In Kiritimati the time is past.
    const time = new Date(systemClock().getTime() + 60_000).toISOString().slice(0, 19);
    const nid = await app.test({
      to,
      deliver_at_local: { time, no_time_zone: 'skip', if_past: 'now' },
    });
    for (const device of devices) {
      const isLeftOut = device.id >= '8';
      expect(app.titlesOf(nid, device)).toEqual(isLeftOut ? [] : TITLES[groupOf(nid, device)]);
      expect(await app.outcomeOf(nid, device)).toMatchObject({
        variant: isLeftOut ? null : groupOf(nid, device),
      });
    }
  });

  test('a notification with variants that is canceled before it is sent reaches nobody', async () => {
    const { devices, to } = await app.insertDevices(10);
    const deliver_at = twoDaysLater().toISOString();
    const nid = await app.send({ to, payload, variants, deliver_at });
    await app.call(`POST /v6/notifications/${nid}/cancel`);
    expect(await app.ended(nid)).toMatchObject({ state: 'canceled' });
    for (const device of devices) expect(app.titlesOf(nid, device)).toEqual([]);
    expect((await app.reportOf(nid)).variants.comparisons).toEqual([]);
  });
});
