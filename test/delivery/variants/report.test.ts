/** The numbers of an A/B test by variant. */
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { openReceipts } from '../../../src/results/receipts/receipts.ts';
import { prune } from '../../../src/delivery/upkeep/prune.ts';
import { HOLD_OUT } from '../../../src/notifications/content/assign-variant.ts';
import { countAll } from '../../results/receipts/sent.ts';
import { groupOf, type TestDevice, twoDaysLater, useTestApp } from './test-app.ts';

const app = useTestApp();

describe('the report', () => {
  test('the report has the numbers of each group, which stay when outcomes are pruned', async () => {
    const { devices, to } = await app.insertDevices(300);
    const nid = await app.test({ to, receipts: {} });
    const byGroup = Map.groupBy(devices, (device) => groupOf(nid, device));
    const [a = [], b = [], held = []] = ['A', 'B', HOLD_OUT].map((group) => byGroup.get(group));

    // All of B and a third of A open it; half of these by a receipt.
    const opening = [...b, ...a.slice(0, a.length / 3)];
    const [byCall, byReceipt] = [opening.slice(0, opening.length / 2), opening.slice(opening.length / 2)];
    for (const { id } of byCall) await app.call(`POST /v6/notifications/${nid}/opens`, { device_id: id });
    await openReceipts({ db: app.db, clock: systemClock }).store(
      app.app.id,
      byReceipt.map(({ id }) => ({ notificationId: nid, deviceId: id, shown: true, opened: true })),
    );
    await countAll(app.db, systemClock());

    const sent = { rejected: 0, unregistered: 0, no_token: 0, ambiguous: 0, expired: 0, capped: 0 };
    const shown = (group: readonly TestDevice[]) =>
      byReceipt.filter((device) => group.includes(device)).length;
    const ofVariant = (name: string, group: readonly TestDevice[], opened: number) => ({
      name,
      devices: group.length,
      outcomes: { ...sent, accepted: group.length, dropped: 0 },
      opened: { devices: opened, of: group.length },
      shown: { devices: shown(group), of: group.length },
    });
    const expected = {
      groups: [
        ofVariant('A', a, Math.floor(a.length / 3)),
        ofVariant('B', b, b.length),
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
    const { to } = await app.insertDevices(5);
    const { id } = await app.push(to);
    expect(await app.call(`GET /v6/notifications/${String(id)}/report`)).toMatchObject({ variants: null });
  });
});
