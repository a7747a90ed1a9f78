/** What `apns` and `android` of a notification become at each gateway, and how each mistake is refused. */
import { beforeEach, describe, expect, test } from 'vitest';
import { type AndroidSettings, leftToTheApp } from '../../../src/apps/android-settings.ts';
import { ApiError } from '../../../src/api/errors.ts';
import { parseJson } from '../../../src/json/lossless.ts';
import { previewNotification } from '../../../src/notifications/preview/preview.ts';
import { useTestDatabase } from '../../support/database.ts';
import { type AppWithAudience, create, insertAppWithAudience } from '../rows.ts';

const database = useTestDatabase();
const NOW = new Date('2026-11-21T10:00:00.123Z');
const SYSTEM: AndroidSettings = { presentation: 'system', icon: null, color: null };
let app: AppWithAudience;

beforeEach(async () => {
  app = await insertAppWithAudience(database.db);
});

/** A notification as it is written in JSON, with the defaults that most cases share. */
function bodyOf(notification: object): unknown {
  const whole = { to: '*', payload: { alert: 'Hi' }, ...notification };
  return parseJson(JSON.stringify({ notification: whole }));
}

async function compiled(notification: object, android = leftToTheApp) {
  const { appId, bundleId } = app;
  const request = { app: { appId, bundleId, android }, body: bodyOf(notification) };
  const preview = await previewNotification(database.db, request, NOW);
  expect(preview.refusal?.details ?? []).toEqual([]);
  const { apns, fcm, versions } = preview.compiled ?? {};
  return {
    aps: JSON.parse(apns?.body ?? '{}').aps,
    type: apns?.headers['apns-push-type'],
    android: JSON.parse(fcm?.body ?? '{}').message?.android,
    ios: apns?.tray,
    droid: fcm?.tray,
    versions,
  };
}

/** The faults with which it is refused, as path and message; empty if it is created. */
async function faultsOf(notification: object, android = leftToTheApp): Promise<string[]> {
  const request = { appId: app.appId, android, body: bodyOf(notification) };
  try {
    const { notification: returned } = await create(database.db, request, { clock: () => NOW });
    expect(returned).toMatchObject(notification);
    return [];
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error.details.map(({ path, message }) => `${path.replace('notification.', '')}: ${message}`);
  }
}

describe('The key apns', () => {
  test.each<[object, object]>([
    [{ thread_id: 'chat-7' }, { 'thread-id': 'chat-7' }],
    [{ target_content_id: 'window-2' }, { 'target-content-id': 'window-2' }],
    [{ filter_criteria: 'work' }, { 'filter-criteria': 'work' }],
    [{ sound: 'chime.caf' }, { sound: 'chime.caf' }],
    [
      { sound: { critical: true, name: 'a', volume: 0.8 } },
      { sound: { critical: 1, name: 'a', volume: 0.8 } },
    ],
    [{ sound: { critical: true, name: 'a', volume: 0 } }, { sound: { critical: 1, name: 'a', volume: 0 } }],
    [{ sound: { critical: false, name: 'a' } }, { sound: { name: 'a' } }],
  ])('the key apns with %j is sent as %j', async (apns, aps) => {
    expect(await faultsOf({ apns })).toEqual([]);
    const got = await compiled({ apns });
    expect(got.aps).toEqual({ alert: 'Hi', ...aps });
    expect(got.android).toEqual({ priority: 'high', ttl: '2419200s' });
  });

  test('the key apns sends a volume of more digits than a double has', async () => {
    const apns = { sound: { name: 'a', critical: true, volume: JSON.rawJSON('0.80000000000000000001') } };
    expect((await compiled({ apns })).aps.sound).toEqual({ critical: 1, name: 'a', volume: 0.8 });
  });

  test('a sound for iOS comes before the one that Android plays as well', async () => {
    const payload = { alert: 'Hi', sound: 'chime' };
    const apns = { sound: { name: 'alarm.caf', critical: true } };
    const { aps, android, ios } = await compiled({ payload, apns }, SYSTEM);
    expect(aps.sound).toEqual({ critical: 1, name: 'alarm.caf' });
    expect(android.notification.sound).toBe('chime');
    expect(ios).toMatchObject({ sound: 'alarm.caf', is_critical: true, volume: null });
  });

  test('a sound makes a push that would only wake the app alert', async () => {
    const wakes = { payload: { content_available: true } };
    expect((await compiled(wakes)).type).toBe('background');
    expect((await compiled({ ...wakes, apns: { sound: 'a' } })).type).toBe('alert');
    expect((await compiled({ ...wakes, apns: { thread_id: 'a' } })).type).toBe('background');
  });

  test('every translation and every variant has the options of the key apns', async () => {
    const localized = { fr: { alert: 'Salut' } };
    const variants = [
      { name: 'a', weight: 1 },
      { name: 'b', weight: 1, payload: { sound: 'b' }, localized: { fr: { alert: 'Allô' } } },
    ];
    const { versions = [] } = await compiled({
      apns: { thread_id: 'chat', sound: 'x' },
      localized,
      variants,
    });
    expect(versions).toHaveLength(3);
    for (const { apns } of versions) {
      expect(JSON.parse(apns.body).aps).toMatchObject({ 'thread-id': 'chat', sound: 'x' });
    }
  });

  test('the options of the key apns count against the limit of Apple, and not against that of Google', async () => {
    expect(await faultsOf({ apns: { thread_id: 'x'.repeat(4_096) } })).toEqual([
      expect.stringMatching(/^payload: is \d+ bytes for APNs, over the limit of 4096$/),
    ]);
    expect(await faultsOf({ apns: { thread_id: 'x'.repeat(3_900) } })).toEqual([]);
  });

  test.each<[object, string]>([
    [{ thread: 'a' }, 'thread: is not a known key'],
    [{ thread_id: '' }, 'thread_id: must be a text that is not empty'],
    [{ filter_criteria: 1 }, 'filter_criteria: must be a text that is not empty'],
    [
      { sound: ['a'] },
      'sound: must be the name of a sound file, or an object with name, critical and volume',
    ],
    [{ sound: { name: 'a', critical: true, volume: 1.01 } }, 'sound.volume: must be a number from 0 to 1'],
    [{ sound: { name: 'a', critical: 1 } }, 'sound.critical: must be true or false'],
    [{ sound: { critical: true } }, 'sound.name: must be the name of a sound file, or "default"'],
    [{ sound: { name: 'a', loud: true } }, 'sound.loud: is not a known key'],
  ])('the key apns with %j is refused with what to change', async (apns, fault) => {
    expect(await faultsOf({ apns })).toEqual([`apns.${fault}`]);
  });

  test.each<[object, string]>([
    [
      { payload: { sound: { critical: 1, name: 'a' } } },
      'payload.sound: must be a string; the sound of a critical alert is set with notification.apns.sound',
    ],
    [
      { localized: { fr: { sound: { name: 'a' } } } },
      'localized.fr.sound: must be a string; the sound of a critical alert is set with notification.apns.sound',
    ],
    [
      { payload: undefined, apns: { push_type: 'widgets', thread_id: 'a' } },
      'apns.thread_id: must be left out for push_type widgets',
    ],
    [
      { payload: { content_available: true }, apns: { push_type: 'background', sound: 'a' } },
      'apns.push_type: needs a payload with content_available true and without alert, title, subtitle, badge and sound',
    ],
  ])('the keys %j are refused with what belongs to the key apns', async (notification, fault) => {
    expect(await faultsOf(notification)).toEqual([fault]);
  });
});

describe('The key android', () => {
  const labelFault = '.analytics_label: must be 1 to 50 letters, digits or any of - _ . ~ %';
  const drawn = {
    click_action: 'OPEN_ORDER',
    visibility: 'private',
    notification_count: 3,
    proxy: 'if_priority_lowered',
  };

  test.each<[object, object]>([
    [{ analytics_label: 'spring-50%_a.b~c' }, { fcm_options: { analytics_label: 'spring-50%_a.b~c' } }],
    [{ direct_boot_ok: true }, { direct_boot_ok: true }],
    [{ bandwidth_constrained_ok: true }, { bandwidth_constrained_ok: true }],
    [{ restricted_satellite_ok: false }, { restricted_satellite_ok: false }],
  ])('the key android with %j is sent as %j, whether the app or Android draws', async (android, sent) => {
    expect(await faultsOf({ android })).toEqual([]);
    const got = await compiled({ android });
    expect(got.android).toEqual({ priority: 'high', ttl: '2419200s', ...sent });
    expect(got.aps).toEqual({ alert: 'Hi' });
    expect((await compiled({ android }, SYSTEM)).android).toMatchObject(sent);
  });

  test('the key android sends its other options in the notification that Android draws', async () => {
    expect(await faultsOf({ android: drawn }, SYSTEM)).toEqual([]);
    const { android, droid } = await compiled({ android: drawn, android_presentation: 'system' });
    expect(android.notification).toMatchObject({
      body: 'Hi',
      click_action: 'OPEN_ORDER',
      visibility: 'PRIVATE',
      notification_count: 3,
      proxy: 'IF_PRIORITY_LOWERED',
    });
    expect(droid).toMatchObject({ click_action: 'OPEN_ORDER', visibility: 'PRIVATE', notification_count: 3 });
  });

  test.each(['public', 'PUBLIC'])('the key android takes the words of Google too: %s', async (visibility) => {
    const { android } = await compiled({ android: { visibility } }, SYSTEM);
    expect(android.notification.visibility).toBe('PUBLIC');
  });

  test.each(Object.entries(drawn))('the key android refuses %s where the app draws', async (key, value) => {
    const fault = `android.${key}: needs android_presentation "system": here the app draws the push itself`;
    expect(await faultsOf({ android: { [key]: value } })).toEqual([fault]);
    const asked = { android: { [key]: value }, android_presentation: 'data' };
    expect(await faultsOf(asked, SYSTEM)).toEqual([fault]);
  });

  test('options of the notification that Android draws count against the limit', async () => {
    const notification = { android: { click_action: 'x'.repeat(4_000) } };
    expect(await faultsOf(notification, SYSTEM)).toEqual([
      expect.stringMatching(/^payload: is \d+ bytes for FCM, over the limit of 4096$/),
    ]);
  });

  test.each<[unknown, string]>([
    [{ sticky: true }, '.sticky: is not a known key'],
    [{ visibility: 'hidden' }, '.visibility: must be private, public or secret'],
    [{ proxy: 1 }, '.proxy: must be allow, deny or if_priority_lowered'],
    [{ notification_count: -1 }, '.notification_count: must be a whole number from 0 to 2147483647'],
    [{ notification_count: 1.5 }, '.notification_count: must be a whole number from 0 to 2147483647'],
    [{ click_action: '' }, '.click_action: must be a text that is not empty'],
    [{ analytics_label: 'a b' }, labelFault],
    [{ analytics_label: 'x'.repeat(51) }, labelFault],
    [{ direct_boot_ok: 'yes' }, '.direct_boot_ok: must be true or false'],
    ['high', ': must be an object'],
  ])('the key android with %j is refused with what to change', async (android, fault) => {
    expect(await faultsOf({ android }, SYSTEM)).toEqual([`android${fault}`]);
  });

  test('the key android is refused next to a push type that only iOS has', async () => {
    const widgets = { payload: undefined, apns: { push_type: 'widgets' }, android: { direct_boot_ok: true } };
    expect(await faultsOf(widgets, SYSTEM)).toEqual(['android: must be left out for push_type widgets']);
  });
});
