import { beforeEach, describe, expect, test } from 'vitest';
import { type FrequencyCap, setFrequencyCaps } from '../../../src/apps/frequency-caps.ts';
import { explainDelivery } from '../../../src/results/explain/explain.ts';
import { deliverNextSlice, type DeliveryContext } from '../../../src/delivery/send/deliver.ts';
import type { NotificationKey } from '../../../src/delivery/slice-store.ts';
import { planNotification } from '../../../src/delivery/start/plan.ts';
import type { Recipient, Verdict } from '../../../src/gateways/gateway.ts';
import { readNotification } from '../../../src/notifications/look-up/read.ts';
import { giveCredentials } from '../../support/credentials.ts';
import { insertApp, useTestDatabase } from '../../support/database.ts';
import { fakeGateway } from '../../support/gateways.ts';
import { insertPhones, openTestDelivery, type Rows, schedule } from '../in-process.ts';

const database = useTestDatabase();

let appId: string;
let now: Date;
let answer: (recipient: Recipient) => Verdict;
let sent: string[];
let context: DeliveryContext;

const onceADay: FrequencyCap = { group: 'marketing', by: 'user', limits: [{ at_most: 1, per: 'P1D' }] };

beforeEach(async () => {
  ({ id: appId } = await insertApp(database.db));
  now = new Date('2026-11-20T12:00:00.000Z');
  answer = () => ({ kind: 'accepted' });
  sent = [];
  const gateways = {
    apns_production: fakeGateway('apns_production', (recipient) => {
      sent.push(recipient.deviceId);
      return answer(recipient);
    }),
  };
  context = openTestDelivery({ db: database.db, clock: () => now, gateways: () => gateways });
  await giveCredentials(inApp(), 'apns');
  await setFrequencyCaps(database.db, appId, [onceADay], () => now);
});

const inApp = (): Rows => ({ db: database.db, appId, at: now });

const insertDevices = async (count: number, user: (index: number) => string | null): Promise<string[]> =>
  insertPhones(inApp(), count, (index) => ({ user_id: user(index) }));

/** Stores and plans a notification to everyone. */
async function plan(keys: object = { group: 'marketing' }): Promise<NotificationKey> {
  const key = await schedule(inApp(), { keys });
  await planNotification(context, key);
  return key;
}

async function deliver(...keys: NotificationKey[]): Promise<void> {
  const { signal } = new AbortController();
  await Promise.all(
    keys.map(async (key) => {
      while (await deliverNextSlice(context, key, signal));
    }),
  );
}

async function counters({ notificationId }: NotificationKey) {
  return readNotification(database.db, appId, notificationId, () => now);
}

describe('a frequency cap', () => {
  test('a notification leaves out devices over the frequency cap, and their outcome names what used it', async () => {
    const [deviceId = ''] = await insertDevices(3, (index) => `u${index % 2}`);
    const first = await plan();
    await deliver(first);
    now = new Date(now.getTime() + 60_000);
    const second = await plan();
    await deliver(second);
    expect(await counters(first)).toMatchObject({ state: 'sent', accepted: 3, capped: 0 });
    expect(await counters(second)).toMatchObject({
      state: 'sent',
      devices: 3,
      accepted: 0,
      capped: 3,
      pending: 0,
    });
    expect(sent).toHaveLength(3);
    const { causes } = await explainDelivery(database.db, { ...second, deviceId, now });
    expect(causes[0]).toMatchObject({
      code: 'capped',
      sentence: expect.stringContaining(`It was used by ${first.notificationId} (2026-11-20T12:00:00.000Z).`),
    });
  });

  test('a notification without a group, or of a group without a cap, always passes and is not counted', async () => {
    await insertDevices(1, () => null);
    for (const notification of [{}, { group: 'orders' }, { group: 'marketing' }]) {
      const key = await plan(notification);
      await deliver(key);
      expect(await counters(key)).toMatchObject({ accepted: 1, capped: 0 });
    }
  });

  test('a push that was refused does not count for the cap, and one that was never answered does', async () => {
    await insertDevices(1, () => 'u1');
    answer = () => ({ kind: 'rejected', reason: 'BadTopic' });
    await deliver(await plan());
    answer = () => ({ kind: 'ambiguous', reason: 'connection_lost' });
    const ambiguous = await plan();
    await deliver(ambiguous);
    expect(await counters(ambiguous)).toMatchObject({ ambiguous: 1, capped: 0 });
    const third = await plan();
    await deliver(third);
    expect(await counters(third)).toMatchObject({ capped: 1 });
  });

  test('a failed push to one device of a user counts if another device got it, also in another slice', async () => {
    const ids = await insertDevices(1_500, () => 'everyone');
    const [lucky] = ids;
    answer = ({ deviceId }) =>
      deviceId === lucky ? { kind: 'accepted' } : { kind: 'rejected', reason: 'BadTopic' };
    const first = await plan();
    await deliver(first);
    expect(await counters(first)).toMatchObject({ accepted: 1, rejected: 1_499, capped: 0 });
    const second = await plan();
    await deliver(second);
    expect(await counters(second)).toMatchObject({ accepted: 0, rejected: 0, capped: 1_500 });
  });

  test('two bulk notifications at the same time never exceed the cap, and each counter is right', async () => {
    await insertDevices(2_500, (index) => `u${index % 900}`);
    const [first, second] = [await plan(), await plan()];
    await deliver(first, second);
    const [left, right] = [await counters(first), await counters(second)];
    for (const { state, devices, accepted, capped, pending } of [left, right]) {
      expect({ state, devices, pending }).toEqual({ state: 'sent', devices: 2_500, pending: 0 });
      expect(accepted + capped).toBe(2_500);
    }
    expect(left.accepted + right.accepted).toBe(2_500);
    expect(sent).toHaveLength(2_500);
    expect(new Set(sent).size).toBe(2_500);
  });

  test('a dry run says how many devices it would leave out now', async () => {
    await insertDevices(4, (index) => (index < 2 ? 'u1' : `other ${index}`));
    await deliver(await plan());
    await insertDevices(3, (index) => `new ${index}`);
    const key = await plan({ group: 'marketing', dry_run: true });
    expect(await counters(key)).toMatchObject({ state: 'validated', devices: 7, capped: 4, pending: 3 });
    now = new Date(now.getTime() + 24 * 3_600_000);
    const later = await plan({ group: 'marketing', dry_run: true });
    expect(await counters(later)).toMatchObject({ capped: 0, pending: 7 });
  });

  test('a use that a worker had reserved when it died is found again by the next one', async () => {
    await insertDevices(2, (index) => `u${index}`);
    const key = await plan();
    const crash = new AbortController();
    answer = () => {
      crash.abort();
      throw new Error('the process died');
    };
    await expect(deliverNextSlice(context, key, crash.signal)).rejects.toThrow('the process died');
    await database.db
      .updateTable('delivery_slices')
      .set({ state: 'waiting', lease_until: null, not_before: now })
      .where('app_id', '=', appId)
      .execute();
    answer = () => ({ kind: 'accepted' });
    await deliver(key);
    expect(await counters(key)).toMatchObject({ accepted: 2, capped: 0 });
  });
});
