import * as fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import type { AndroidSettings } from '../../src/apps/android-settings.ts';
import { ApiError } from '../../src/api/errors.ts';
import { parseJson } from '../../src/json/lossless.ts';
import { type Preview, PREVIEW_ID, previewNotification } from '../../src/notifications/preview/preview.ts';
import { digestOfEverything } from '../http/stored.ts';
import { useTestDatabase } from '../support/database.ts';
import { readableJson } from '../support/json.ts';
import { type AppWithAudience, create, insertAppWithAudience } from './rows.ts';

const database = useTestDatabase();
const NOW = new Date('2026-11-21T10:00:00.123Z');
const NO_ID = '00000000-0000-4000-8000-000000000000';
let app: AppWithAudience;

beforeEach(async () => {
  app = await insertAppWithAudience(database.db);
});

async function preview(body: unknown, android?: AndroidSettings): Promise<Preview> {
  const { appId, bundleId } = app;
  return previewNotification(
    database.db,
    { app: { appId, bundleId, ...(android && { android }) }, body },
    NOW,
  );
}

async function previewText(notification: string): Promise<Preview> {
  return preview(parseJson(`{"notification":${notification}}`));
}

async function compiledFrom(notification: object): Promise<NonNullable<Preview['compiled']>> {
  const { compiled } = await preview({ notification });
  if (compiled === undefined) throw new Error('it was not compiled');
  return compiled;
}

/** The refusal of creation; undefined if it accepts the body. */
async function refusalOf(body: unknown, android?: AndroidSettings): Promise<ApiError | undefined> {
  try {
    await create(database.db, { appId: app.appId, body, ...(android && { android }) }, { clock: () => NOW });
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

function withoutStack(error: ApiError | undefined): object | undefined {
  return error && { code: error.code, message: error.message, details: error.details };
}

/** Nearly always a usual value. */
function rarely<Value>(usual: fc.Arbitrary<Value>, ...bad: unknown[]): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 30, arbitrary: usual }, fc.constantFrom(...bad));
}

describe('a preview refuses what creation refuses, for the same reasons', () => {
  const texts = fc.oneof(
    fc.constantFrom('', 'Hello', 'שלום', 'https://example.com/a.png'),
    fc.nat(2_500).map((length) => 'é'.repeat(length)),
  );
  const payloads = fc.record(
    {
      alert: rarely(texts, 1, null),
      title: rarely(texts, true),
      badge: rarely(fc.nat(9), -1, '1'),
      image: rarely(texts, null),
      collapse_key: rarely(fc.constantFrom('order', 'Bestätigung'), '', 'x'.repeat(65)),
      relevance_score: rarely(fc.constant(0.57), 1.01),
      own: readableJson(),
      gcm_x: rarely(fc.constant(undefined), 1),
    },
    { requiredKeys: [] },
  );
  const targets = fc.constantFrom<unknown>(
    '*',
    '*',
    '*',
    NO_ID,
    { device_id: NO_ID },
    { user_id: 'user-17' },
    { audience: 'the stored one' },
    [{ name: 'tags', criteria: ['a'] }],
    [{ name: 'tags', criteria: [] }],
    [],
    undefined,
  );
  const options = fc.record(
    {
      deliver_at: rarely(fc.constantFrom('2026-11-22', '2026-11-20T10:00:00Z'), '2027-11-22', 'tomorrow'),
      time_to_live: rarely(fc.constantFrom(0, 60), -1),
      priority: rarely(fc.constant('high'), 'urgent'),
      android_presentation: fc.constantFrom('data', 'system'),
      dry_run: rarely(fc.constant(true), 'yes'),
      max_recipients: rarely(fc.constant(1), 0),
      ttl: rarely(fc.constant(undefined), 1),
    },
    { requiredKeys: [] },
  );
  const notifications = fc
    .tuple(targets, rarely(payloads, undefined), options)
    .map(([to, payload, more]) => Object.assign({ to, payload }, more));
  const settings = fc.option(
    fc.constant<AndroidSettings>({ presentation: 'system', icon: 'ic_push', color: '#aa0000' }),
  );

  test('a preview refuses any notification that creation refuses, for the same reasons', async () => {
    const seen = { accepted: 0, refused: 0 };
    await fc.assert(
      fc.asyncProperty(notifications, settings, async (generated, android) => {
        const stored = JSON.stringify(generated).replace('"the stored one"', `"${app.audienceId}"`);
        fc.pre(!stored.includes('__proto__')); // a key that is refused before
        const body = parseJson(`{"notification":${stored}}`);
        const previewed = await preview(body, android ?? undefined);
        const refusal = await refusalOf(body, android ?? undefined);
        expect(withoutStack(previewed.refusal)).toEqual(withoutStack(refusal));
        if (refusal === undefined) expect(previewed.compiled).toBeDefined();
        seen[refusal === undefined ? 'accepted' : 'refused'] += 1;
      }),
      { numRuns: 500 },
    );
    expect(seen.accepted).toBeGreaterThan(50);
    expect(seen.refused).toBeGreaterThan(50);
  });

  test.each<unknown>([undefined, null, [], 'text', {}, { notification: null }, { notification: [] }])(
    'a preview of the body %j, which has no object `notification`, throws',
    async (body) => {
      const thrown = await preview(body).catch((error: unknown) => error);
      expect(thrown).toBeInstanceOf(ApiError);
      expect(thrown).toMatchObject({ code: 'invalid_request' });
      expect(await refusalOf(body)).toEqual(thrown);
    },
  );

  test('a preview refuses an unknown key next to the notification', async () => {
    const { refusal, compiled } = await preview({
      notification: { to: '*', payload: { alert: 'Hi' } },
      x: 1,
    });
    expect(refusal?.details).toEqual([{ path: 'x', message: 'is not a known key' }]);
    expect(compiled).toBeDefined();
  });
});

describe('notifications that are being written', () => {
  test.each<[string, object]>([
    ['without a target', {}],
    ['with half a filter', { to: [{ name: 'tags' }] }],
    ['with half a time', { to: '*', deliver_at: '2026-1' }],
    ['with a limit that is text', { to: '*', max_recipients: 'many' }],
  ])('a notification %s is compiled, and its faults are reported', async (_what, more) => {
    const { refusal, compiled } = await preview({ notification: { payload: { alert: 'Hi' }, ...more } });
    expect(refusal?.code).toBe('invalid_request');
    expect(compiled?.apns.tray).toMatchObject({ body: 'Hi', is_shown: true });
    expect(compiled?.due_at).toBe(NOW.toISOString());
  });

  test('a preview of a sent one is compiled as of the time that it names', async () => {
    const at = '2026-01-02T08:00:00.000Z';
    const notification = { to: '*', payload: { alert: 'x' }, deliver_at: at, time_to_live: 3600 };
    const { compiled } = await preview({ notification, at });
    expect(compiled?.due_at).toBe(at);
    expect(compiled?.apns.headers['apns-expiration']).toBe(String(Date.parse(at) / 1_000 + 3600));
    await expect(preview({ notification, at: 'noon' })).rejects.toThrow('at must be a date-time of ISO 8601');
  });

  test('a missing target leaves the time as it is', async () => {
    const { compiled } = await preview({
      notification: { payload: { alert: 'Hi' }, deliver_at: '2026-11-22', time_to_live: 60 },
    });
    expect(compiled?.due_at).toBe('2026-11-22T00:00:00.000Z');
    expect(compiled?.apns.tray.expires_at).toBe('2026-11-22T00:01:00.000Z');
  });

  test('a payload with a fault is not compiled', async () => {
    const { refusal, compiled } = await preview({ notification: { to: '*', payload: { badge: -1 } } });
    expect(refusal?.details.map(({ path }) => path)).toEqual(['notification.payload.badge']);
    expect(compiled).toBeUndefined();
  });
});

test('a preview stores nothing', async () => {
  const to = [{ name: 'tags', criteria: ['new'] }];
  const before = await digestOfEverything(database.db);
  await preview({ notification: { to, payload: { alert: 'Hi' } } });
  await preview({ notification: { to: app.audienceId, payload: { alert: 'Hi' } } });
  expect(await digestOfEverything(database.db)).toBe(before);
});

test('an audience of another app is unknown, as creation says', async () => {
  const other = await insertAppWithAudience(database.db);
  const { refusal } = await preview({ notification: { to: other.audienceId, payload: { alert: 'Hi' } } });
  expect(refusal).toMatchObject({ code: 'not_found', status: 404 });
});

test('the bytes left are counted to the last one, in UTF-8', async () => {
  const { apns, fcm } = await compiledFrom({ to: '*', payload: { alert: 'é' } });
  expect(apns.bytes).toBe(Buffer.byteLength(apns.body));
  expect(apns.bytes_left).toBe(4_096 - apns.bytes);
  const fits = { to: '*', payload: { alert: `é${'x'.repeat(apns.bytes_left)}` } };
  expect((await compiledFrom(fits)).apns.bytes_left).toBe(0);
  expect((await preview({ notification: fits })).refusal).toBeUndefined();
  const over = await preview({ notification: { to: '*', payload: { alert: `${fits.payload.alert}x` } } });
  expect(over.refusal?.code).toBe('payload_too_large');
  expect(over.compiled?.apns.bytes_left).toBe(-1);
  expect(fcm?.bytes_left).toBeGreaterThan(apns.bytes_left);
});

const liveActivityWith = (text: string) => ({
  payload: undefined,
  live_activity: { event: 'update', activity_id: 'order-7', content_state: { text } },
});
const inGerman = { localized: { de: { alert: 'Hallo' } } };

test.each([
  ['a payload', { payload: { alert: 'x'.repeat(62 * 1024) } }, true],
  ['a payload', { payload: { alert: 'x'.repeat(64 * 1024) } }, false],
  ['options for Google', { android: { click_action: 'x'.repeat(64 * 1024) } }, false],
  ['options for Apple', { apns: { thread_id: 'x'.repeat(64 * 1024) } }, false],
  ['the state of a Live Activity', liveActivityWith('x'.repeat(62 * 1024)), true],
  ['the state of a Live Activity', liveActivityWith('x'.repeat(64 * 1024)), false],
  ['options for Apple', { apns: { thread_id: 'x'.repeat(62 * 1024) } }, true],
  ['options with a translation', { ...inGerman, android: { click_action: 'x'.repeat(14 * 1024) } }, true],
  ['options with a translation', { ...inGerman, android: { click_action: 'x'.repeat(16 * 1024) } }, false],
])('%s of many KiB are written out for each gateway only below a limit', async (_what, large, isCompiled) => {
  const { refusal, compiled } = await preview({
    notification: { to: '*', payload: { alert: 'Hi' }, ...large },
  });
  expect(refusal).toBeDefined();
  expect(compiled !== undefined).toBe(isCompiled);
});

test('an unknown device is refused, even if the payload is too large to be written out', async () => {
  const body = {
    notification: { to: '*', payload: { alert: 'x'.repeat(64 * 1024) } },
    device_id: NO_ID,
  };
  await expect(preview(body)).rejects.toMatchObject({ code: 'not_found' });
});

test('the numbers in a preview keep their digits', async () => {
  const { compiled } = await previewText('{"to":"*","payload":{"alert":"Hi","order":12345678901234567890}}');
  expect(compiled?.apns.body).toContain('"order":12345678901234567890');
  expect(compiled?.fcm?.body).toContain('"order":"12345678901234567890"');
});

test('devices with an installation id get the same push under another key', async () => {
  const { fcm } = await compiledFrom({ to: '*', payload: { alert: 'Hi' } });
  expect(fcm?.body).toMatch(/^\{"message":\{"token":"<push token>",/);
  expect(fcm?.body_fid).toBe(fcm?.body.replace('"token"', '"fid"'));
});

test('a push to tokens that only iOS has is no request to Google', async () => {
  const activity = { event: 'update', activity_id: 'order-7', content_state: { eta: 5 } };
  const { apns, fcm } = await compiledFrom({ to: '*', live_activity: activity });
  expect(apns.headers['apns-push-type']).toBe('liveactivity');
  expect(fcm).toBeNull();
  const widgets = await compiledFrom({ to: '*', apns: { push_type: 'widgets' } });
  expect(widgets.fcm).toBeNull();
});

test('the bytes left of a VoIP call are those that Apple takes of one', async () => {
  const { apns } = await compiledFrom({ to: '*', payload: { call: '7' }, apns: { push_type: 'voip' } });
  expect(apns.bytes_left).toBe(5_120 - apns.bytes);
});

describe('the tray', () => {
  test('the tray shows every part that iOS shows', async () => {
    const payload = {
      title: 'T',
      subtitle: 'S',
      alert: 'B',
      badge: 3,
      sound: 'ping.caf',
      category: 'ORDER',
      interruption_level: 'time-sensitive',
      relevance_score: 0.57,
      image: 'https://example.com/a.png',
      mutable_content: true,
      content_available: true,
      collapse_key: 'order',
    };
    const { apns } = await compiledFrom({ to: '*', payload, time_to_live: 60 });
    expect(apns.tray).toEqual({
      is_shown: true,
      title: 'T',
      subtitle: 'S',
      body: 'B',
      image: 'https://example.com/a.png',
      badge: 3,
      sound: 'ping.caf',
      is_critical: false,
      volume: null,
      thread_id: null,
      category: 'ORDER',
      interruption_level: 'time-sensitive',
      relevance_score: 0.57,
      is_mutable: true,
      wakes_app: true,
      push_type: 'alert',
      priority: 10,
      collapse_id: 'order',
      expires_at: '2026-11-21T10:01:00.000Z',
    });
    expect(apns.headers['apns-topic']).toBe(app.bundleId);
  });

  test('the tray shows nothing for a push that only wakes the app', async () => {
    const { apns, fcm } = await compiledFrom({
      to: '*',
      payload: { content_available: true, x: 1 },
      time_to_live: 0,
    });
    expect(apns.tray).toMatchObject({
      is_shown: false,
      wakes_app: true,
      push_type: 'background',
      priority: 5,
      expires_at: null,
    });
    expect(fcm?.tray).toMatchObject({ is_shown: false, priority: 'normal', time_to_live_seconds: 0 });
  });

  test('the tray shows the hash of a collapse key that does not fit a header', async () => {
    const { apns, fcm } = await compiledFrom({
      to: '*',
      payload: { alert: 'Hi', collapse_key: 'Bestätigung' },
    });
    expect(apns.tray.collapse_id).toMatch(/^[0-9a-f]{64}$/);
    expect(fcm?.tray.collapse_id).toBe('Bestätigung');
  });

  test('the tray shows the data that the app draws from', async () => {
    const payload = {
      title: 'T',
      alert: 'B',
      category: 'ORDER',
      _channel_id: 'orders',
      image: 'a.png',
      sound: 'x',
    };
    const { fcm } = await compiledFrom({ to: '*', payload });
    expect(fcm?.tray).toEqual({
      drawn_by: 'app',
      is_shown: true,
      title: 'T',
      body: 'B',
      image: 'a.png',
      icon: null,
      color: null,
      sound: null,
      category: 'ORDER',
      click_action: null,
      visibility: null,
      notification_count: null,
      channel_id: 'orders',
      priority: 'high',
      collapse_id: PREVIEW_ID,
      time_to_live_seconds: 2_419_200,
    });
  });

  test('the tray shows the notification that Android draws', async () => {
    const payload = {
      title: 'T',
      alert: 'B',
      _channel_id: 'orders',
      image: 'https://example.com/a.png',
      collapse_key: 'k',
    };
    const android: AndroidSettings = { presentation: 'system', icon: 'ic_push', color: '#aa0000' };
    const { compiled } = await preview({ notification: { to: '*', payload } }, android);
    expect(compiled?.fcm?.tray).toMatchObject({
      drawn_by: 'android',
      title: 'T',
      body: 'B',
      image: 'https://example.com/a.png',
      icon: 'ic_push',
      color: '#aa0000',
      channel_id: 'orders',
      collapse_id: 'k',
    });
  });
});

test('a dry run has the warnings of the preview, also when repeated; other notifications have none', async () => {
  const payload = { thread_id: '7', alert: 'Hi', color: null, image: 'https://example.com/a.png' };
  const notification = {
    to: '*',
    payload,
    variants: [
      { name: 'a', weight: 1, payload: { ttl: 1 } },
      { name: 'b', weight: 1 },
    ],
  };
  const createWith = async (keys: object, idempotencyKey?: string) => {
    const body = parseJson(JSON.stringify({ notification: { ...notification, ...keys } }));
    return create(database.db, { appId: app.appId, body, idempotencyKey }, { clock: () => NOW });
  };
  const { warnings } = await preview({ notification });
  expect(warnings.map(({ path }) => path)).toEqual(
    expect.arrayContaining([
      'notification.payload.thread_id',
      'notification.payload.color',
      'notification.payload.image',
      'notification.variants[0].payload.ttl',
    ]),
  );
  const created = await createWith({ dry_run: true }, 'once');
  expect(created.warnings).toEqual(warnings);
  expect(await createWith({ dry_run: true }, 'once')).toEqual(created);
  expect(await createWith({})).not.toHaveProperty('warnings');
  expect(await createWith({ dry_run: false })).not.toHaveProperty('warnings');
});
