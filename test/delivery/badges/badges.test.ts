/** The badge that is kept for a device: what a push shows, and what is kept after it. */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { type Phone, useApiApp } from '../api-app.ts';

const app = useApiApp();

const deviceReply = z.object({ device: z.object({ badge: z.number().nullable() }) });

async function keptFor({ id }: Phone): Promise<number | null> {
  return deviceReply.parse(await app.call(`GET /v6/devices/${id}`)).device.badge;
}

/** Sends it, waits for its end. @returns the `aps` that each phone got */
async function send(notification: object, phones: readonly Phone[]): Promise<unknown[]> {
  const id = await app.send(notification);
  expect(await app.ended(id)).toMatchObject({ state: 'sent' });
  return phones.map(({ token }) => {
    const [push] = app.simulator.received({ nid: id, token });
    return push?.gateway === 'apns' ? push.payload['aps'] : undefined;
  });
}

const payload = { alert: 'Hi' };

async function sendTo(phone: Phone, badge: unknown, rest: object = {}): Promise<unknown> {
  const [aps] = await send({ to: { device_id: phone.id }, payload, apns: { badge }, ...rest }, [phone]);
  return z.object({ badge: z.number() }).parse(aps).badge;
}

test('"+1" sends one more than the badge of the device, and the new badge is kept', async () => {
  const phone = await app.register({ badge: 4 });
  expect(await sendTo(phone, '+1')).toBe(5);
  expect(await keptFor(phone)).toBe(5);
  expect(await sendTo(phone, '+1')).toBe(6);
  expect(await sendTo(phone, '+10')).toBe(16);
  expect(await sendTo(phone, '-20')).toBe(0);
  expect(await sendTo(phone, '+1')).toBe(1);
  expect(await keptFor(phone)).toBe(1);
});

test('a number and "reset" are kept as badges as well', async () => {
  const phone = await app.register();
  expect(await sendTo(phone, '+1')).toBe(1);
  expect(await sendTo(phone, 7)).toBe(7);
  expect(await sendTo(phone, '+1')).toBe(8);
  expect(await sendTo(phone, 'reset')).toBe(0);
  expect(await keptFor(phone)).toBe(0);
});

test('the badge that the app registers counts from then on', async () => {
  const phone = await app.register({ badge: 2 });
  expect(await sendTo(phone, '+1')).toBe(3);
  await app.call('POST /v6/devices', { device: { platform: 'iOS', push_token: phone.token, badge: 0 } });
  expect(await sendTo(phone, '+1')).toBe(1);
  await app.call(`PUT /v6/devices/${phone.id}`, { device: { badge: 41 } });
  expect(await sendTo(phone, '+1')).toBe(42);
  // A registration without a badge says nothing about it.
  await app.call('POST /v6/devices', {
    device: { platform: 'iOS', push_token: phone.token, locale: 'fr_FR' },
  });
  expect(await keptFor(phone)).toBe(42);
});

test('the largest badge stays the largest', async () => {
  const phone = await app.register({ badge: 2_147_483_647 });
  expect(await sendTo(phone, '+999999999')).toBe(2_147_483_647);
  expect(await keptFor(phone)).toBe(2_147_483_647);
});

test('a badge in the payload is passed on, and the kept one stays', async () => {
  const phone = await app.register({ badge: 3 });
  const to = { device_id: phone.id };
  expect(await send({ to, payload: { ...payload, badge: 9 } }, [phone])).toEqual([{ alert: 'Hi', badge: 9 }]);
  expect(await keptFor(phone)).toBe(3);
});

test('each device of a user has its own badge, in its language, and an Android phone has none', async () => {
  const user = { user_id: randomUUID() };
  const [french, unknown, android] = await Promise.all([
    app.register({ ...user, badge: 4, locale: 'fr_FR' }),
    app.register(user),
    app.register({ ...user, badge: 4 }, 'Android'),
  ]);
  const localized = { fr: { alert: 'Salut {{ device.locale }}' } };
  const notification = { to: user, payload, localized, template: true, apns: { badge: '+2' } };
  expect(await send(notification, [french, unknown])).toEqual([
    { alert: 'Salut fr_FR', badge: 6 },
    { alert: 'Hi', badge: 2 },
  ]);
  const [push] = app.simulator.received({ token: android.token });
  expect(push?.body).not.toContain('badge');
  expect(await keptFor(android)).toBe(4);
});

test('a push that sets the badge alone needs no payload', async () => {
  const phone = await app.register({ badge: 3 });
  const to = { device_id: phone.id };
  expect(await send({ to, apns: { badge: 'reset' } }, [phone])).toEqual([{ badge: 0 }]);
  expect(await keptFor(phone)).toBe(0);
});

test('a preview for a device shows its badge, and changes nothing', async () => {
  const phone = await app.register({ badge: 4 });
  const notification = { to: { device_id: phone.id }, payload, apns: { badge: '+1' } };
  const preview = await app.call('POST /v6/notifications/preview', { notification, device_id: phone.id });
  expect(preview).toMatchObject({
    refusal: null,
    compiled: { apns: { tray: { badge: 1 } }, device: { apns: { tray: { badge: 5 } } } },
  });
  expect(await keptFor(phone)).toBe(4);
});

test('a push that Apple refuses does not change the badge', async () => {
  const phone = await app.register({ badge: 4 });
  const { token } = phone;
  app.simulator.orderFault({ kind: 'answer', token, status: 413, reason: 'PayloadTooLarge', times: 1 });
  await send({ to: { device_id: phone.id }, payload, apns: { badge: '+1' } }, []);
  expect(await keptFor(phone)).toBe(4);
});

test('a push that is tried again shows the same badge, and counts once', async () => {
  const phone = await app.register({ badge: 4 });
  const { token } = phone;
  app.simulator.orderFault({ kind: 'reset', token, received: true, times: 1 });
  app.simulator.orderFault({ kind: 'answer', token, status: 503, reason: 'ServiceUnavailable', times: 1 });
  expect(await sendTo(phone, '+1')).toBe(5);
  const pushes = app.simulator.received({ token });
  expect(pushes.map((push) => push.gateway === 'apns' && push.payload['aps'])).toEqual(
    pushes.map(() => ({ alert: 'Hi', badge: 5 })),
  );
  expect(pushes.length).toBeGreaterThan(1);
  expect(await keptFor(phone)).toBe(5);
});

test('notifications to one device at the same time are all counted in its badge', async () => {
  const phone = await app.register();
  const shown = await Promise.all(Array.from({ length: 12 }, async () => sendTo(phone, '+1')));
  for (const badge of shown) expect(badge).toBeGreaterThan(0);
  expect(await keptFor(phone)).toBe(12);
});

test('a bulk notification in slices changes the badge of each of its devices', async () => {
  const tag = randomUUID();
  const phones: Phone[] = [];
  for (let made = 0; made < 110; made++) phones.push(await app.register({ tags: [tag], badge: made }));
  const to = [{ name: 'tags', criteria: [tag] }];
  const shown = await send({ to, payload, apns: { badge: '+1' } }, phones);
  expect(shown).toEqual(phones.map((_phone, index) => ({ alert: 'Hi', badge: index + 1 })));
  const kept = await app.db
    .selectFrom('devices')
    .select(['id', 'kept_badge', 'badge'])
    .where(
      'id',
      'in',
      phones.map(({ id }) => id),
    )
    .execute();
  expect(new Map(kept.map(({ id, kept_badge, badge }) => [id, [kept_badge, badge]]))).toEqual(
    new Map(phones.map(({ id }, index) => [id, [index + 1, index]])),
  );
  // The filter reads what the app has registered.
  const filters = [...to, { name: 'badge', criteria: [{ gte: 101 }] }];
  expect(await app.call('POST /v6/audiences/count', { filters })).toMatchObject({ device_count: 9 });
});
