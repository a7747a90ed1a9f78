/** Why a device did not get a notification: each cause, from the rows that lead to it. */
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { causeCodes } from '../../src/results/explain/cause.ts';
import { explainDelivery } from '../../src/results/explain/explain.ts';
import { type Outcome, packOutcomes } from '../../src/delivery/outcomes/packed.ts';
import { insertSlices } from '../../src/delivery/slice-store.ts';
import { cutIdSpace } from '../../src/delivery/start/id-ranges.ts';
import { parseRegistration, parseUpdateBody } from '../../src/devices/device-schema.ts';
import { eraseDevice } from '../../src/devices/erase.ts';
import { registerDevice } from '../../src/devices/register-device.ts';
import { updateDevice } from '../../src/devices/update.ts';
import { type AppWithAudience, insertAppWithAudience, insertNotification } from '../notifications/rows.ts';
import { addCredentials, giveCredentials } from '../support/credentials.ts';
import { useTestDatabase } from '../support/database.ts';
import { retireTokens } from '../support/retire-tokens.ts';
import { tokenKeys } from '../support/token-keys.ts';

const database = useTestDatabase();

const REGISTERED = new Date('2026-11-21T09:00:00.000Z');
const SENT = new Date('2026-11-21T10:00:00.000Z');
const LATER = new Date('2026-11-21T11:00:00.000Z');
const NOW = new Date('2026-11-21T12:00:00.000Z');
const TOKEN = 'ab'.repeat(32);

let app: AppWithAudience;
let deviceId: string;

beforeEach(async () => {
  app = await insertAppWithAudience(database.db);
  deviceId = await register();
  await addCredentials(rows(), 'apns');
});

async function register(attributes: object = {}, at = REGISTERED): Promise<string> {
  const registration = parseRegistration({
    platform: 'iOS',
    push_token: TOKEN,
    locale: 'en_GB',
    ...attributes,
  });
  return (await registerDevice(database.db, tokenKeys, app.appId, registration, () => at)).device.id;
}

type Step<Result = unknown> = () => Promise<Result>;

const rows = () => ({ db: database.db, appId: app.appId, at: REGISTERED });
const takeCredentials: Step = async () => giveCredentials(rows());

const registered = (attributes: object, at = REGISTERED): Step => {
  return async () => (deviceId = await register(attributes, at));
};

const android: Step = async () => {
  await registered({ platform: 'Android', push_token: 'android-token' })();
  await addCredentials(rows(), 'fcm');
};

const updated = (attributes: object, at = LATER): Step => {
  return async () => {
    const change = parseUpdateBody({ device: attributes });
    await updateDevice(database.db, tokenKeys, app.appId, deviceId, change, () => at);
  };
};

const retired = (reason: string, at: Date): Step => {
  return async () => {
    const token = { appId: app.appId, deviceId, pushToken: TOKEN, deadSince: null, reason };
    expect(await retireTokens(database.db, tokenKeys, [token], at)).toBe(1);
  };
};

/** The audience has this filter. */
const only = (filter: object): Step => {
  return async () =>
    database.db
      .updateTable('audiences')
      .set({ filters: JSON.stringify([{ not_filter: false, ...filter }]) })
      .where('app_id', '=', app.appId)
      .execute();
};
const french = only({ name: 'locale', criteria: ['fr_FR'] });

type Values = NonNullable<Parameters<typeof insertNotification>[2]>;

const content = (notification: object): Values => ({ body: JSON.stringify({ to: '*', ...notification }) });

const sent = (values: Values = {}): Step<string> => {
  const times = { created_at: SENT, due_at: SENT, started_at: SENT, ended_at: SENT };
  return async () => insertNotification(database.db, app, { state: 'sent', ...times, ...values });
};

const withOutcome = (
  kind: Outcome['kind'],
  reason: string | null = null,
  values: Values = {},
): Step<string> => {
  return async () => {
    const outcome = { kind, reason, atMs: SENT.getTime() };
    return sent({ outcomes: packOutcomes(new Map([[deviceId, outcome]])), [kind]: 1, ...values })();
  };
};
const accepted = (notification: object): Step<string> => withOutcome('accepted', null, content(notification));

/** A notification whose slice has this state. */
const sliced = (state: 'waiting' | 'done', values: Values = {}): Step<string> => {
  return async () => {
    const id = await sent(values)();
    await insertSlices(database.db, { appId: app.appId, notificationId: id }, cutIdSpace(1), SENT);
    await database.db
      .updateTable('delivery_slices')
      .set({ state, outcomes: state === 'done' ? packOutcomes(new Map()) : null })
      .where('notification_id', '=', id)
      .execute();
    return id;
  };
};

const explain = async (notificationId: string) =>
  explainDelivery(database.db, { appId: app.appId, notificationId, deviceId, now: NOW });

const KEY_ID = 'A'.repeat(43);
const HEADER = { alg: 'ECDH-ES', enc: 'A256GCM', epk: { kty: 'EC', crv: 'P-256' } };
const JWE = `${Buffer.from(JSON.stringify(HEADER)).toString('base64url')}..${'A'.repeat(16)}.AAAA.${'A'.repeat(22)}`;
const encrypted = accepted({ payload: { alert: 'Hi' }, encrypted_texts: { [KEY_ID]: JWE } });

const sending: Values = { state: 'sending', ended_at: null };
const scheduled: Values = { state: 'scheduled', started_at: null, ended_at: null };
const widget = content({ apns: { push_type: 'widgets' } });

/** A notification whose only wave is not due yet. */
const inWave = (moment: object): Step<string> => {
  return async () => {
    const stored = JSON.stringify({ dueAt: null, spreadMs: 0, ...moment });
    const id = await sent({ ...sending, moment: stored, started_at: null })();
    await database.db
      .updateTable('notifications')
      .set({ started_at: SENT, planned_in: '10:10:' })
      .where('id', '=', id)
      .execute();
    const due_at = new Date(NOW.getTime() + 1_000);
    const wave = { wave: 0, action: 'send' as const, reason: null, due_at };
    const devices = { zones: [], is_rest: true, devices: 1, without_zone: 1 };
    const slices = { first_slice: 0, slices: 1, spread_ms: 0, state: 'waiting' as const };
    await database.db
      .insertInto('notification_waves')
      .values({ app_id: app.appId, notification_id: id, ...wave, ...devices, ...slices })
      .execute();
    return id;
  };
};

const paused: Step = async () => {
  await takeCredentials();
  const version = await addCredentials(rows(), 'apns');
  const pause = { pause: 'credentials', pause_reason: 'refused', paused_at: SENT } as const;
  const row = { app_id: app.appId, route: 'apns_production' as const, version, ...pause };
  await database.db.insertInto('route_states').values(row).execute();
};

const inSandbox: Step = async () => {
  await takeCredentials();
  await updated({ development: true })();
  await addCredentials(rows(), 'apns', { environment: 'production' });
};

const tokenTaken: Step = async () => {
  const first = deviceId;
  await registered({ push_token: 'ef'.repeat(32) })();
  await updated({ push_token: TOKEN })();
  deviceId = first;
};

const otherKey: Step = async () => {
  const { x, y } = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' });
  await updated({ encryption_key: { kty: 'EC', crv: 'P-256', x, y } })();
};

const opened: Step<string> = async () => {
  const id = await withOutcome('accepted')();
  const row = { app_id: app.appId, notification_id: id, device_id: deviceId, opened_at: LATER };
  await database.db.insertInto('opens').values(row).execute();
  return id;
};

/** The causes are separated by spaces. */
type Case = [why: string, codes: string, notification: Step<string>, ...before: Step[]];

const refused = { refused: JSON.stringify({ apns_production: 'InvalidProviderToken' }) };
const tooMany = { state: 'failed', reason: 'max_recipients exceeded', devices: 1, rejected: 1 } as const;
const hasty = { payload: { alert: 'Hi', collapse_key: 'score' }, time_to_live: 60, priority: 'normal' };
const quiet = { from: '22:00', to: '08:00', no_time_zone: 'ignore' };

const cases: Case[] = [
  // Not sent
  ['it is scheduled', 'scheduled', sent({ ...scheduled, due_at: LATER })],
  [
    'it is scheduled, and the device is outside its audience and without a token',
    'scheduled not_in_audience no_token token_retired',
    sent(scheduled),
    french,
    retired('Unregistered', SENT),
  ],
  ['it was a dry run', 'dry_run', sent({ state: 'validated' })],
  ['it was canceled before it started', 'canceled', sent({ state: 'canceled', started_at: null })],
  ['it was canceled while it was sent', 'canceled', sliced('waiting', { state: 'canceled' })],
  ['it failed as a whole', 'failed', sent(tooMany)],
  [
    'it refreshes a widget, and the app has registered no token for one',
    'no_named_token',
    sliced('done', widget),
  ],
  [
    'Apple reported the token of the widget dead',
    'token_refused no_named_token',
    withOutcome('unregistered', 'Unregistered', widget),
  ],
  // In progress
  ['it is being sent', 'sending', sliced('waiting', sending)],
  ['the route is paused', 'route_paused sending', sliced('waiting', sending), paused],
  [
    'there are no credentials for the other environment',
    'no_credentials sending',
    sliced('waiting', sending),
    inSandbox,
  ],
  [
    'it is outside the audience of one that is being sent',
    'not_in_audience sending',
    sliced('waiting', sending),
    french,
  ],
  // Sent, but not to the device
  [
    'it is outside the audience, and does not allow notifications',
    'not_in_audience notifications_disabled',
    sliced('done'),
    french,
    updated({ notifications_allowed: 'Disabled' }, REGISTERED),
  ],
  [
    'it is outside the audience now, after a change',
    'not_in_audience changed_since',
    sliced('done'),
    french,
    updated({ tags: ['new'] }),
  ],
  ['it came into the audience by a change', 'changed_since', sliced('done'), updated({ tags: ['new'] })],
  [
    'it came into an audience that was empty',
    'changed_since',
    sent({ devices: 0 }),
    updated({ tags: ['new'] }),
  ],
  [
    'it was registered later',
    'device_younger',
    sliced('done'),
    registered({ push_token: 'cd'.repeat(32) }, LATER),
  ],
  [
    'it was erased',
    'device_erased',
    sliced('done'),
    async () => eraseDevice(database.db, app.appId, deviceId, () => LATER),
  ],
  ['there is no such device', 'device_unknown', sliced('done'), async () => (deviceId = randomUUID())],
  ['its outcome is no longer kept', 'outcome_not_kept', sent({ pruned_at: LATER, devices: 1, accepted: 1 })],
  // Not accepted
  [
    'it had no token, which was retired before',
    'no_token token_retired',
    withOutcome('no_token'),
    retired('Unregistered', REGISTERED),
  ],
  [
    'its token is unknown in this environment',
    'no_token token_set_aside',
    withOutcome('no_token'),
    retired('BadDeviceToken', REGISTERED),
  ],
  ['another device took its token', 'no_token token_moved', withOutcome('no_token'), tokenTaken],
  ['it had no token, and has one now', 'no_token token_is_back', withOutcome('no_token')],
  [
    'its token was dead',
    'token_refused no_token',
    withOutcome('unregistered', 'Unregistered'),
    retired('Unregistered', SENT),
  ],
  [
    'its token was dead, and it has another one now',
    'token_refused token_is_back',
    withOutcome('unregistered', 'Unregistered'),
    retired('Unregistered', SENT),
    updated({ push_token: '12'.repeat(32) }),
  ],
  ['Apple refused the push', 'refused', withOutcome('rejected', 'PayloadTooLarge')],
  [
    'Apple refused the credentials',
    'credentials_refused',
    withOutcome('rejected', 'InvalidProviderToken', refused),
  ],
  [
    'there were no credentials, and are none',
    'no_credentials no_credentials',
    withOutcome('rejected', 'no_credentials'),
    takeCredentials,
  ],
  ['the pause was longer than its time', 'route_paused', withOutcome('rejected', 'route_paused')],
  ['its time was over', 'expired', withOutcome('rejected', 'expired')],
  ['the gateway never answered', 'not_answered', withOutcome('ambiguous', 'answer_timeout')],
  ['the outcome could not be saved', 'failed', withOutcome('ambiguous', 'not_saved')],
  ['the push stopped its process', 'failed', withOutcome('ambiguous', 'stopped_the_process')],
  // Accepted
  ['Apple accepted it', 'accepted', withOutcome('accepted')],
  ['the device opened it', 'opened accepted', opened],
  [
    'the token died afterwards',
    'accepted token_retired',
    withOutcome('accepted'),
    retired('Unregistered', LATER),
  ],
  [
    'the user has switched notifications off',
    'accepted notifications_disabled',
    withOutcome('accepted'),
    updated({ notifications_allowed: 'Disabled' }),
  ],
  ['it shows nothing', 'accepted nothing_to_show', accepted({ payload: { content_available: true } })],
  [
    'it had little time, low priority and a collapse key',
    'accepted time_to_live low_priority replaced',
    accepted(hasty),
  ],
  ['the Android app draws it', 'accepted app_draws', withOutcome('accepted'), android],
  ['no text could be encrypted for it', 'accepted fallback_text', encrypted],
  ['it has another key than its text was encrypted for', 'accepted fallback_text', encrypted, otherKey],
  // Left out
  ['it was outside its moment', 'left_out', withOutcome('dropped', 'no_time_zone')],
  ['its wave is not due yet', 'waits_for_wave', inWave({})],
  ['quiet hours hold it', 'held', inWave({ quiet })],
  ['its user had enough of the group', 'capped', withOutcome('capped')],
  [
    'Android draws it',
    'accepted',
    accepted({ payload: { alert: 'Hi' }, android_presentation: 'system' }),
    android,
  ],
];

describe('A device', () => {
  test.each(cases)(
    'a device did not get a notification, because %s',
    async (_why, codes, send, ...before) => {
      for (const step of before) await step();
      const { causes } = await explain(await send());
      expect(causes.map(({ code }) => code).join(' ')).toBe(codes);
      for (const { sentence } of causes) expect(sentence).toMatch(/^[A-Z].*\.$/);
    },
  );

  test('the cases show every cause', () => {
    const shown = new Set(cases.flatMap(([, codes]) => codes.split(' ')));
    expect(causeCodes.filter((code) => !shown.has(code))).toEqual([]);
  });
});

describe('An explanation', () => {
  test('an explanation has the outcome, times and the answer of each filter', async () => {
    await french();
    const id = await withOutcome('unregistered', 'Unregistered')();
    expect(await explain(id)).toMatchObject({
      outcome: 'unregistered',
      causes: [
        {
          code: 'token_refused',
          at: SENT.toISOString(),
          sentence: expect.stringMatching(
            /^Apple reported the push token dead \(Unregistered\)\. The app was removed/,
          ),
        },
        { code: 'token_is_back', at: REGISTERED.toISOString() },
      ],
      filters: [{ filter: { name: 'locale' }, value: 'en_GB', matches: false }],
    });
  });

  test.each([
    [{ name: 'locale', criteria: ['fr_FR'] }, 'locale. Wanted is fr_FR; the device has en_GB.'],
    [{ name: 'app_version', criteria: [{ gte: '2.0' }] }, 'Wanted is at least 2.0; the device has 1.9.'],
    [
      { name: 'tags', criteria: ['beta', 'news'], not_filter: true },
      'Wanted is not beta or news; the device has beta, it.',
    ],
    [
      { name: 'badge', criteria: [1, 2, 3, 4, 5] },
      'Wanted is 1 or 2 or 3 or one of 2 others; the device has none.',
    ],
    [{ name: 'events.bought', criteria: [{ gte: 2 }] }, 'Wanted is at least 2; the device has none.'],
    [
      { name: 'custom.integer.visits', criteria: [{ gt: 41, lte: 50 }] },
      'more than 41 and at most 50; the device has 41.',
    ],
    [
      { name: 'location', criteria: [{ point: { latitude: 51, longitude: 0 }, distance: 5, unit: 'km' }] },
      'Wanted is within 5 km of 51, 0; the device has 48.5, 2.25.',
    ],
    [
      { name: 'user_id', criteria: ['ada'] },
      'It was addressed to another user (user_id); this device has ben.',
    ],
    [
      { name: 'device_id', criteria: [randomUUID(), randomUUID()] },
      'addressed to 2 other devices (device_id).',
    ],
    [
      { name: 'user_email', criteria: ['ada@example.com'] },
      'another e-mail address (user_email); this device has no e-mail address.',
    ],
  ])('an explanation says what the filter %j wants and what the device has', async (filter, words) => {
    const location = { latitude: 48.5, longitude: 2.25 };
    const custom = { visits: { type: 'integer', value: 41 } };
    const own = { app_version: '1.9', tags: ['beta', 'it'], user_id: 'ben', location, custom };
    await updated(own, REGISTERED)();
    await only(filter)();
    const { causes } = await explain(await sliced('done')());
    expect(causes[0]).toMatchObject({ code: 'not_in_audience', sentence: expect.stringContaining(words) });
    expect(causes[0]?.sentence).not.toContain('ada');
  });

  test('the explanation of a token in the wrong environment says what to do', async () => {
    await retired('BadDeviceToken', REGISTERED)();
    const { causes } = await explain(await withOutcome('no_token')());
    expect(causes[1]?.sentence).toContain('flag the device as development');
  });

  test('the explanation of another app’s notification is not found', async () => {
    const id = await withOutcome('accepted')();
    app = await insertAppWithAudience(database.db);
    await expect(explain(id)).rejects.toMatchObject({ code: 'not_found' });
  });
});
