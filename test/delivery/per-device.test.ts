/** What each device gets, from creation to the gateways, is what a preview for that device says. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { drainJob } from '../../src/queue/job.ts';
import { type Phone, useApiApp } from './api-app.ts';

const app = useApiApp();
const { call, ended, received, register, send } = app;

const forDevice = z.object({
  compiled: z.object({
    device: z.object({ apns: z.object({ body: z.string() }), fcm: z.object({ body: z.string() }) }),
  }),
});

async function previewedFor(device: Phone, notification: object): Promise<{ apns: string; fcm: string }> {
  const reply = await call('POST /v6/notifications/preview', { notification, device_id: device.id });
  const { apns, fcm } = forDevice.parse(reply).compiled.device;
  return { apns: apns.body, fcm: fcm.body };
}

const PREVIEW_ID = '00000000-0000-0000-0000-000000000000';

/** Sends and previews it for each device, and compares. @returns the texts that the iPhones show */
async function sentAsPreviewed(notification: object, devices: readonly Phone[]): Promise<unknown[]> {
  const nid = await send(notification);
  return Promise.all(
    devices.map(async (device) => {
      const push = await received(nid, device.token);
      const { apns, fcm } = await previewedFor(device, notification);
      const previewed = push.gateway === 'apns' ? apns : fcm.replace('<push token>', device.token);
      const real = previewed.replaceAll(PREVIEW_ID, nid);
      expect(push.body.replace(/"ttl":"\d+s"/, '')).toBe(real.replace(/"ttl":"\d+s"/, ''));
      return 'message' in push ? push.message['data'] : 'payload' in push && push.payload['aps'];
    }),
  );
}

describe('translations', () => {
  const payload = { title: 'Order', alert: 'On its way', order: 4711 };
  const localized = {
    fr: { title: 'Commande', alert: 'En route' },
    fr_ca: { alert: 'Elle arrive' },
    'zh-Hant': { title: null, alert: '已寄出' },
  };
  const content = { payload, localized };

  test('a translation reaches one device, on the direct path', async () => {
    const device = await register({ locale: 'fr_CA' });
    expect(await sentAsPreviewed({ to: { device_id: device.id }, ...content }, [device])).toEqual([
      { alert: { title: 'Commande', body: 'Elle arrive' } },
    ]);
  });

  test('translations reach the devices of one user, in different languages', async () => {
    const user = { user_id: randomUUID() };
    const devices = await Promise.all([
      register({ ...user, locale: 'fr_BE' }),
      register({ ...user, locale: 'zh_TW' }),
      register(user),
      register({ ...user, locale: 'fr_CA' }, 'Android'),
    ]);
    const shown = await sentAsPreviewed({ to: user, ...content }, devices);
    expect(shown).toMatchObject([
      { alert: { title: 'Commande', body: 'En route' } },
      { alert: '已寄出' },
      { alert: { title: 'Order', body: 'On its way' } },
      { title: 'Commande', alert: 'Elle arrive', order: '4711' },
    ]);
  });

  test.each([
    ['read with many devices', []],
    ['read by filter', [{ name: 'tags', criteria: ['fan'], not_filter: false }]],
  ])('translations reach more than a hundred devices, in slices: %s', async (_how, to) => {
    const devices = [];
    for (let made = 0; made < 110; made++) {
      const locale = ['fr_FR', 'fr_CA', 'de_DE'][made % 3];
      devices.push(await register({ locale, tags: ['fan'] }, made % 2 === 0 ? 'iOS' : 'Android'));
    }
    const shown = await sentAsPreviewed({ to: to.length === 0 ? '*' : to, ...content }, devices.slice(0, 6));
    expect(shown).toMatchObject([
      { alert: { body: 'En route' } },
      { alert: 'Elle arrive' },
      { alert: { body: 'On its way' } },
      { alert: 'En route' },
      { alert: { body: 'Elle arrive' } },
      { alert: 'On its way' },
    ]);
  });
});

test('keys of texts in the app reach both gateways', async () => {
  const user = { user_id: randomUUID() };
  const devices = await Promise.all([register(user), register(user, 'Android')]);
  const payload = {
    loc_key: 'ON_ITS_WAY',
    loc_args: ['4711'],
    title_loc_key: 'ORDER',
    title_loc_args: [],
    subtitle_loc_key: 'PARCELS',
    subtitle_loc_args: ['2'],
  };
  const notification = { to: user, payload, android_presentation: 'system' };
  const [apple, google] = await sentAsPreviewed(notification, devices);
  expect(apple).toEqual({
    alert: {
      'loc-key': 'ON_ITS_WAY',
      'loc-args': ['4711'],
      'title-loc-key': 'ORDER',
      'title-loc-args': [],
      'subtitle-loc-key': 'PARCELS',
      'subtitle-loc-args': ['2'],
    },
  });
  expect(google).toMatchObject({ loc_key: 'ON_ITS_WAY', loc_args: '["4711"]' });
  const nid = z.object({ _nid: z.string() }).parse(google)['_nid'];
  const [push] = app.simulator.received({ nid, token: devices[1].token });
  expect(push?.gateway === 'fcm' && push.message['android']).toMatchObject({
    notification: {
      title_loc_key: 'ORDER',
      title_loc_args: [],
      body_loc_key: 'ON_ITS_WAY',
      body_loc_args: ['4711'],
    },
  });
});

function custom(name: string): object {
  return {
    first_name: { type: 'string', value: name },
    product: { type: 'string', value: `“${name}’s tea”` },
  };
}

function text(value: string | string[]): object {
  return { type: 'string', value };
}

describe('templates', () => {
  const payload = {
    title: 'Hi {{ custom.first_name | default: "there" }}',
    alert: 'Your {{ custom.product }} is ready.',
    url: 'app://me/{{ device.user_id }}',
  };

  test('a template gives each device its own values, on the direct path and in slices', async () => {
    const user = { user_id: randomUUID() };
    const first = await register({ ...user, tags: ['tea'], custom: custom('Zoë 0') });
    const second = await register({ ...user, tags: ['tea'], custom: custom('Zoë 1') }, 'Android');
    for (let made = 2; made < 104; made++) {
      const platform = made % 2 === 0 ? 'iOS' : 'Android';
      await register({ ...user, tags: ['tea'], custom: custom(`Zoë ${made}`) }, platform);
    }
    const stranger = await register({ tags: ['tea'] });
    const to = [{ name: 'tags', criteria: ['tea'] }];
    const notification = {
      to,
      payload,
      localized: { fr: { alert: '{{ custom.product }}' } },
      template: true,
      receipts: {},
    };
    const shown = await sentAsPreviewed(notification, [first, second, stranger]);
    expect(shown).toMatchObject([
      { alert: { title: 'Hi Zoë 0', body: 'Your “Zoë 0’s tea” is ready.' } },
      { title: 'Hi Zoë 1', alert: 'Your “Zoë 1’s tea” is ready.', url: `app://me/${user.user_id}` },
      { alert: { title: 'Hi there', body: 'Your  is ready.' } },
    ]);
    const [alone] = await sentAsPreviewed({ ...notification, to: { device_id: first.id } }, [first]);
    expect(alone).toEqual(shown[0]);
  });

  test('hostile values of a device leave a bounded text, the same as in a preview, for one device and in slices', async () => {
    const hostile = {
      format: text('%300000000d'),
      list: text(Array.from({ length: 100 }, () => 'ß'.repeat(255))),
      text: text('я'.repeat(255)),
      huge: { type: 'integer', value: 999_999_999 },
    };
    const tag = randomUUID();
    const devices = await Promise.all(
      Array.from({ length: 3 }, async () => register({ tags: [tag], custom: hostile })),
    );
    const many = Array.from({ length: 40 }, (_, index) => `{{ custom.a${index} | truncate: 1 }}`).join('');
    const notification = {
      to: [{ name: 'tags', criteria: [tag] }],
      payload: {
        title: '<{{ "2026-01-01" | date: custom.format }}>',
        alert: '{{ custom.list | join: custom.text | upcase | truncate: custom.huge }}',
        own: `q={{ custom.text | url_encode }}${many}`,
      },
      template: true,
    };
    const shown = [{ alert: { title: '<>', body: `${'S'.repeat(99)}…` } }];
    expect(await sentAsPreviewed(notification, devices)).toEqual([...shown, ...shown, ...shown]);
    const [first] = devices;
    if (first === undefined) throw new Error('no device');
    expect(await sentAsPreviewed({ ...notification, to: { device_id: first.id } }, [first])).toEqual(shown);
  });

  test('a template that an earlier release stored, and this one refuses, is sent without its text', async () => {
    const device = await register({});
    const scheduled = { to: { device_id: device.id }, payload: { title: 'A', alert: 'B' }, template: true };
    const nid = await send({ ...scheduled, deliver_at: new Date(Date.now() + 86_400_000).toISOString() });
    const stored = { title: 'A', alert: '{{ "2026-01-01" | date: "%300000000d" }}' };
    await sql`
      update notifications set body = ${JSON.stringify({ ...scheduled, payload: stored })}, due_at = now()
      where app_id = ${app.app.id} and id = ${nid}`.execute(app.db);
    await app.worker.queue.add([drainJob]);
    expect(await received(nid, device.token)).toMatchObject({
      payload: {
        aps: { alert: { title: 'A', body: '' } },
      },
    });
  });

  test('two braces are text in a notification that does not say that it is a template', async () => {
    const device = await register({});
    const [shown] = await sentAsPreviewed({ to: { device_id: device.id }, payload: { alert: '{{ x }}' } }, [
      device,
    ]);
    expect(shown).toEqual({ alert: '{{ x }}' });
  });

  test('a device without a value is left out if the notification says so, and counted as dropped', async () => {
    const user = { user_id: randomUUID() };
    const complete = await register({ ...user, custom: { product: { type: 'string', value: 'tea' } } });
    const incomplete = await register(user);
    const notification = { payload, template: { on_missing: 'skip' } };
    const nid = await send({ to: user, ...notification });
    await received(nid, complete.token);
    expect(await ended(nid)).toMatchObject({
      state: 'sent',
      devices: 2,
      accepted: 1,
      dropped: 1,
      pending: 0,
    });
    expect(app.simulator.received({ nid, token: incomplete.token })).toEqual([]);
    expect(await call(`GET /v6/notifications/${nid}/deliveries/${incomplete.id}`)).toMatchObject({
      outcome: 'dropped',
      reason: 'the device has no value for a part of the template',
    });
    const preview = await call('POST /v6/notifications/preview', {
      notification: { to: user, ...notification },
      device_id: incomplete.id,
    });
    expect(preview).toMatchObject({ compiled: { device: { dropped: 'missing_attribute' } } });

    const alone = await send({ to: { device_id: incomplete.id }, ...notification });
    expect(await ended(alone)).toMatchObject({ state: 'sent', devices: 1, dropped: 1, pending: 0 });
  });

  test('devices that are left out are counted while their slice is in progress, and once', async () => {
    const tag = randomUUID();
    await sql`
      insert into devices (app_id, id, platform, push_token, created_at, registered_at, tags, user_id, custom)
      select ${app.app.id}, gen_random_uuid(), 'iOS', encode(sha256(n::text::bytea), 'hex'), now(), now(), array[${tag}], n,
        case when n % 2 = 0 then '{"product": {"type": "string", "value": "tea"}}' else '{}' end::jsonb
      from generate_series(1, 600) as n`.execute(app.db);
    const to = [{ name: 'tags', criteria: [tag] }];
    const nid = await send({ to, payload, template: { on_missing: 'skip' } });
    expect(await ended(nid)).toMatchObject({
      state: 'sent',
      devices: 600,
      accepted: 300,
      dropped: 300,
      pending: 0,
    });
    expect(await call(`GET /v6/notifications/${nid}/report`)).toMatchObject({
      reasons: [{ outcome: 'dropped', reason: 'missing_attribute', devices: 300 }],
      uncounted: 0,
    });
  });

  test.each([
    [
      'a fault',
      { payload: { alert: 'x' }, localized: { fr: { alert: '{{ custom.a' } } },
      'notification.localized.fr.alert',
    ],
    [
      'a worst case that is too large',
      { payload: { alert: '{{ custom.a }}'.repeat(20) } },
      'notification.payload',
    ],
    [
      'a worst case of one language',
      { payload: { alert: 'x' }, localized: { fr: { alert: '{{ custom.a | truncate: 2000 }}' } } },
      'notification.localized.fr',
    ],
    [
      'filters that take too long',
      { payload: { alert: 'x', own: { deep: `{{ custom.a${' | split: "" | join: "bbb"'.repeat(7)} }}` } } },
      'notification.payload',
    ],
    [
      'filters of a variant that take too long',
      {
        payload: { alert: 'x' },
        variants: ['a', 'b'].map((name) => ({
          name,
          weight: 1,
          payload: { alert: `{{ custom.a${' | url_encode'.repeat(300)} }}` },
        })),
      },
      'notification.variants[0].payload',
    ],
    [
      'a wide date',
      { payload: { alert: '{{ custom.x | default: "2026-01-01" | date: "%300000000d" }}' } },
      'notification.payload.alert',
    ],
  ])('a template is refused at creation for %s', async (_what, content, path) => {
    const body = { notification: { to: '*', ...content, template: true } };
    const reply = await app.tryCall('POST /v6/notifications', body);
    expect(reply.status).toBeGreaterThanOrEqual(400);
    const details = expect.arrayContaining([expect.objectContaining({ path })]);
    expect(reply.body).toMatchObject({ details });
    const preview = await app.tryCall('POST /v6/notifications/preview', body);
    expect(preview).toMatchObject({ status: 200, body: { refusal: { details } } });
  });
});
