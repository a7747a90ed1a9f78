/** The numbers of an A/B test by variant. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { openReceipts } from '../../../src/results/receipts/receipts.ts';
import { prune } from '../../../src/delivery/upkeep/prune.ts';
import { HOLD_OUT } from '../../../src/notifications/content/assign-variant.ts';
import { countAll } from '../../results/receipts/sent.ts';
import { groupOf, payload, type TestDevice, twoDaysLater, useTestApp, variants } from './test-app.ts';

const app = useTestApp();

describe('the report', () => {
  test('the report has the numbers of each group, which stay when outcomes are pruned', async () => {
    const tag = randomUUID();
    const devices = await app.insertDevices(tag, 300);
    const to = [{ name: 'tags', criteria: [tag] }];
    const nid = await app.send({ to, payload, variants, hold_out: 0.2, receipts: {} });
    await app.ended(nid);
    const byGroup = Map.groupBy(devices, (device) => groupOf(nid, device));
    const [a = [], b = [], held = []] = ['A', 'B', HOLD_OUT].map((group) => byGroup.get(group));

    // All of B and a third of A open it; half of these by a receipt.
    const opening = [...b, ...a.slice(0, a.length / 3)];
    const [byCall, byReceipt] = [opening.slice(0, opening.length / 2), opening.slice(opening.length / 2)];
    for (const { id } of byCall) await app.call(`POST /v6/notifications/${nid}/opens`, { device_id: id });
    const receipts = byReceipt.map(({ id }) => ({ notification: nid, device: id, opened: true }));
    await openReceipts({ db: app.db, clock: systemClock }).store(
      app.id,
      receipts.map(({ notification, device }) => ({
        notificationId: notification,
        deviceId: device,
        shown: true,
        opened: true,
      })),
    );
    await countAll(app.db, systemClock());

    const sent = { rejected: 0, unregistered: 0, no_token: 0, ambiguous: 0, expired: 0, capped: 0 };
    const shown = (group: readonly TestDevice[]) =>
      byReceipt.filter((device) => group.includes(device)).length;
    const expected = {
      groups: [
        {
          name: 'A',
          devices: a.length,
          outcomes: { ...sent, accepted: a.length, dropped: 0 },
          opened: { devices: Math.floor(a.length / 3), of: a.length },
          shown: { devices: shown(a), of: a.length },
        },
        {
          name: 'B',
          devices: b.length,
          outcomes: { ...sent, accepted: b.length, dropped: 0 },
          opened: { devices: b.length, of: b.length },
          shown: { devices: shown(b), of: b.length },
        },
        {
          name: HOLD_OUT,
          devices: held.length,
          outcomes: { ...sent, accepted: 0, dropped: held.length },
          opened: null,
          shown: null,
        },
      ],
      comparisons: [{ rate: 'received' }, { rate: 'shown' }, { rate: 'opened', may_be_chance: false }],
    };
    const full = await app.reportOf(nid);
    expect(full.variants).toMatchObject(expected);
    expect(full.variants.comparisons[2]?.sentence).toMatch(
      /^B was opened on 100.0% of its devices, A on 3\d\.\d%. That is unlikely to be chance/,
    );
    expect(full).toMatchObject({ reasons: [{ reason: 'held_out', devices: held.length }], uncounted: 0 });

    await prune({ db: app.db, clock: twoDaysLater, keepDays: 1 }, new AbortController().signal);
    expect(
      await sql`select from delivery_slices where notification_id = ${nid}`.execute(app.db),
    ).toMatchObject({ rows: [] });
    expect((await app.reportOf(nid)).variants).toMatchObject(expected);
  });

  test('the report has no groups for a notification that is no A/B test', async () => {
    const tag = randomUUID();
    await app.insertDevices(tag, 5);
    const nid = await app.send({ to: [{ name: 'tags', criteria: [tag] }], payload });
    await app.ended(nid);
    expect((await app.call(`GET /v6/notifications/${nid}/report`)).body).toMatchObject({ variants: null });
  });
});
