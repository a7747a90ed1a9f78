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
  await giveCredentials('apns');
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

const android = async (): Promise<void> => {
  deviceId = await register({ platform: 'Android', push_token: 'android-token' });
  await giveCredentials('fcm');
};

async function giveCredentials(gateway: 'apns' | 'fcm'): Promise<string> {
  const version = randomUUID();
  const row = { app_id: app.appId, gateway, sealed: Buffer.alloc(1), version, updated_at: REGISTERED };
  await database.db.insertInto('gateway_credentials').values(row).execute();
  return version;
}

async function takeCredentials(): Promise<void> {
  await database.db.deleteFrom('gateway_credentials').where('app_id', '=', app.appId).execute();
}

async function update(attributes: object, at = LATER): Promise<void> {
  const change = parseUpdateBody({ device: attributes });
  await updateDevice(database.db, tokenKeys, app.appId, deviceId, change, () => at);
}

async function retire(reason: string, at: Date): Promise<void> {
  const token = { appId: app.appId, deviceId, pushToken: TOKEN, deadSince: null, reason };
  expect(await retireTokens(database.db, tokenKeys, [token], at)).toBe(1);
}

/** The audience selects locales. */
async function only(locale: string): Promise<void> {
  await database.db
    .updateTable('audiences')
    .set({ filters: JSON.stringify([{ name: 'locale', criteria: [locale], not_filter: false }]) })
    .where('app_id', '=', app.appId)
    .execute();
}

type Values = NonNullable<Parameters<typeof insertNotification>[2]>;

const content = (notification: object): Values => ({ body: JSON.stringify({ to: '*', ...notification }) });

async function insertSent(values: Values = {}): Promise<string> {
  const times = { created_at: SENT, due_at: SENT, started_at: SENT, ended_at: SENT };
  return insertNotification(database.db, app, { state: 'sent', ...times, ...values });
}

async function withOutcome(
  kind: Outcome['kind'],
  reason: string | null = null,
  values: Values = {},
): Promise<string> {
  const outcome = { kind, reason, atMs: SENT.getTime() };
  return insertSent({ outcomes: packOutcomes(new Map([[deviceId, outcome]])), [kind]: 1, ...values });
}

/** A notification whose slice has this state. */
async function sliced(state: 'waiting' | 'done', values: Values = {}): Promise<string> {
  const id = await insertSent(values);
  await insertSlices(database.db, { appId: app.appId, notificationId: id }, cutIdSpace(1), SENT);
  await database.db
    .updateTable('delivery_slices')
    .set({ state, outcomes: state === 'done' ? packOutcomes(new Map()) : null })
    .where('notification_id', '=', id)
    .execute();
  return id;
}

const explain = async (notificationId: string) =>
  explainDelivery(database.db, { appId: app.appId, notificationId, deviceId, now: NOW });

const KEY_ID = 'A'.repeat(43);
const HEADER = { alg: 'ECDH-ES', enc: 'A256GCM', epk: { kty: 'EC', crv: 'P-256' } };
const JWE = `${Buffer.from(JSON.stringify(HEADER)).toString('base64url')}..${'A'.repeat(16)}.AAAA.${'A'.repeat(22)}`;

const sending: Values = { state: 'sending', ended_at: null };
const canceled: Values = { state: 'canceled' };

/** A notification whose only wave is not due yet. */
async function inWave(moment: object): Promise<string> {
  const stored = JSON.stringify({ dueAt: null, spreadMs: 0, ...moment });
  const id = await insertSent({ ...sending, moment: stored, started_at: null });
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
}

type Case = [why: string, prepare: () => Promise<string>, codes: readonly (typeof causeCodes)[number][]];

const cases: Case[] = [
  // Not sent
  [
    'it is scheduled',
    async () => insertSent({ state: 'scheduled', started_at: null, ended_at: null, due_at: LATER }),
    ['scheduled'],
  ],
  [
    'it is scheduled, and the device is outside its audience and without a token',
    async () => {
      await only('fr_FR');
      await retire('Unregistered', SENT);
      return insertSent({ state: 'scheduled', started_at: null, ended_at: null });
    },
    ['scheduled', 'not_in_audience', 'no_token', 'token_retired'],
  ],
  ['it was a dry run', async () => insertSent({ state: 'validated' }), ['dry_run']],
  [
    'it was canceled before it started',
    async () => insertSent({ ...canceled, started_at: null }),
    ['canceled'],
  ],
  ['it was canceled while it was sent', async () => sliced('waiting', canceled), ['canceled']],
  [
    'it failed as a whole',
    async () => insertSent({ state: 'failed', reason: 'max_recipients exceeded', devices: 1, rejected: 1 }),
    ['failed'],
  ],
  [
    'it refreshes a widget, and the app has registered no token for one',
    async () => sliced('done', content({ apns: { push_type: 'widgets' } })),
    ['no_named_token'],
  ],
  [
    'Apple reported the token of the widget dead',
    async () => withOutcome('unregistered', 'Unregistered', content({ apns: { push_type: 'widgets' } })),
    ['token_refused', 'no_named_token'],
  ],
  // In progress
  ['it is being sent', async () => sliced('waiting', sending), ['sending']],
  [
    'the route is paused',
    async () => {
      await takeCredentials();
      const version = await giveCredentials('apns');
      const pause = {
        pause: 'credentials' as const,
        pause_reason: 'refused (InvalidProviderToken)',
        paused_at: SENT,
      };
      const row = { app_id: app.appId, route: 'apns_production' as const, version, ...pause };
      await database.db.insertInto('route_states').values(row).execute();
      return sliced('waiting', sending);
    },
    ['route_paused', 'sending'],
  ],
  [
    'there are no credentials for the other environment',
    async () => {
      await takeCredentials();
      await update({ development: true });
      const row = { app_id: app.appId, gateway: 'apns' as const, environment: 'production' as const };
      const sealed = { sealed: Buffer.alloc(1), version: randomUUID(), updated_at: REGISTERED };
      await database.db
        .insertInto('gateway_credentials')
        .values({ ...row, ...sealed })
        .execute();
      return sliced('waiting', sending);
    },
    ['no_credentials', 'sending'],
  ],
  [
    'it is outside the audience of one that is being sent',
    async () => {
      await only('fr_FR');
      return sliced('waiting', sending);
    },
    ['not_in_audience', 'sending'],
  ],
  // Sent, but not to the device
  [
    'it is outside the audience, and does not allow notifications',
    async () => {
      await only('fr_FR');
      await update({ notifications_allowed: 'Disabled' }, REGISTERED);
      return sliced('done');
    },
    ['not_in_audience', 'notifications_disabled'],
  ],
  [
    'it is outside the audience now, after a change',
    async () => {
      await only('fr_FR');
      await update({ tags: ['new'] });
      return sliced('done');
    },
    ['not_in_audience', 'changed_since'],
  ],
  [
    'it came into the audience by a change',
    async () => {
      await update({ tags: ['new'] });
      return sliced('done');
    },
    ['changed_since'],
  ],
  [
    'it came into an audience that was empty',
    async () => {
      await update({ tags: ['new'] });
      return insertSent({ devices: 0 });
    },
    ['changed_since'],
  ],
  [
    'it was registered later',
    async () => {
      deviceId = await register({ push_token: 'cd'.repeat(32) }, LATER);
      return sliced('done');
    },
    ['device_younger'],
  ],
  [
    'it was erased',
    async () => {
      await eraseDevice(database.db, app.appId, deviceId, () => LATER);
      return sliced('done');
    },
    ['device_erased'],
  ],
  [
    'there is no such device',
    async () => {
      deviceId = randomUUID();
      return sliced('done');
    },
    ['device_unknown'],
  ],
  [
    'its outcome is no longer kept',
    async () => insertSent({ pruned_at: LATER, devices: 1, accepted: 1 }),
    ['outcome_not_kept'],
  ],
  // Not accepted
  [
    'it had no token, which was retired before',
    async () => {
      await retire('Unregistered', REGISTERED);
      return withOutcome('no_token');
    },
    ['no_token', 'token_retired'],
  ],
  [
    'its token is unknown in this environment',
    async () => {
      await retire('BadDeviceToken', REGISTERED);
      return withOutcome('no_token');
    },
    ['no_token', 'token_set_aside'],
  ],
  [
    'another device took its token',
    async () => {
      const first = deviceId;
      deviceId = await register({ push_token: 'ef'.repeat(32) });
      await update({ push_token: TOKEN });
      deviceId = first;
      return withOutcome('no_token');
    },
    ['no_token', 'token_moved'],
  ],
  ['it had no token, and has one now', async () => withOutcome('no_token'), ['no_token', 'token_is_back']],
  [
    'its token was dead',
    async () => {
      await retire('Unregistered', SENT);
      return withOutcome('unregistered', 'Unregistered');
    },
    ['token_refused', 'no_token'],
  ],
  [
    'its token was dead, and it has another one now',
    async () => {
      await retire('Unregistered', SENT);
      await update({ push_token: '12'.repeat(32) });
      return withOutcome('unregistered', 'Unregistered');
    },
    ['token_refused', 'token_is_back'],
  ],
  ['Apple refused the push', async () => withOutcome('rejected', 'PayloadTooLarge'), ['refused']],
  [
    'Apple refused the credentials',
    async () =>
      withOutcome('rejected', 'InvalidProviderToken', {
        refused: JSON.stringify({ apns_production: 'InvalidProviderToken' }),
      }),
    ['credentials_refused'],
  ],
  [
    'there were no credentials, and are none',
    async () => {
      await takeCredentials();
      return withOutcome('rejected', 'no_credentials');
    },
    ['no_credentials', 'no_credentials'],
  ],
  [
    'the pause was longer than its time',
    async () => withOutcome('rejected', 'route_paused'),
    ['route_paused'],
  ],
  ['its time was over', async () => withOutcome('rejected', 'expired'), ['expired']],
  ['the gateway never answered', async () => withOutcome('ambiguous', 'answer_timeout'), ['not_answered']],
  ['the outcome could not be saved', async () => withOutcome('ambiguous', 'not_saved'), ['failed']],
  ['the push stopped its process', async () => withOutcome('ambiguous', 'stopped_the_process'), ['failed']],
  // Accepted
  ['Apple accepted it', async () => withOutcome('accepted'), ['accepted']],
  [
    'the device opened it',
    async () => {
      const id = await withOutcome('accepted');
      await database.db
        .insertInto('opens')
        .values({ app_id: app.appId, notification_id: id, device_id: deviceId, opened_at: LATER })
        .execute();
      return id;
    },
    ['opened', 'accepted'],
  ],
  [
    'the token died afterwards',
    async () => {
      await retire('Unregistered', LATER);
      return withOutcome('accepted');
    },
    ['accepted', 'token_retired'],
  ],
  [
    'the user has switched notifications off',
    async () => {
      await update({ notifications_allowed: 'Disabled' });
      return withOutcome('accepted');
    },
    ['accepted', 'notifications_disabled'],
  ],
  [
    'it shows nothing',
    async () => withOutcome('accepted', null, content({ payload: { content_available: true } })),
    ['accepted', 'nothing_to_show'],
  ],
  [
    'it had little time, low priority and a collapse key',
    async () =>
      withOutcome(
        'accepted',
        null,
        content({ payload: { alert: 'Hi', collapse_key: 'score' }, time_to_live: 60, priority: 'normal' }),
      ),
    ['accepted', 'time_to_live', 'low_priority', 'replaced'],
  ],
  [
    'the Android app draws it',
    async () => {
      await android();
      return withOutcome('accepted');
    },
    ['accepted', 'app_draws'],
  ],
  [
    'no text could be encrypted for it',
    async () =>
      withOutcome(
        'accepted',
        null,
        content({ payload: { alert: 'Hi' }, encrypted_texts: { [KEY_ID]: JWE } }),
      ),
    ['accepted', 'fallback_text'],
  ],
  [
    'it has another key than its text was encrypted for',
    async () => {
      const { x, y } = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' });
      await update({ encryption_key: { kty: 'EC', crv: 'P-256', x, y } });
      return withOutcome(
        'accepted',
        null,
        content({ payload: { alert: 'Hi' }, encrypted_texts: { [KEY_ID]: JWE } }),
      );
    },
    ['accepted', 'fallback_text'],
  ],
  // Left out
  ['it was outside its moment', async () => withOutcome('dropped', 'no_time_zone'), ['left_out']],
  ['its wave is not due yet', async () => inWave({}), ['waits_for_wave']],
  [
    'quiet hours hold it',
    async () => inWave({ quiet: { from: '22:00', to: '08:00', no_time_zone: 'ignore' } }),
    ['held'],
  ],
  ['its user had enough of the group', async () => withOutcome('capped'), ['capped']],
  [
    'Android draws it',
    async () => {
      await android();
      return withOutcome(
        'accepted',
        null,
        content({ payload: { alert: 'Hi' }, android_presentation: 'system' }),
      );
    },
    ['accepted'],
  ],
];

describe('A device', () => {
  test.each(cases)('a device did not get a notification, because %s', async (_why, prepare, codes) => {
    const { causes } = await explain(await prepare());
    expect(causes.map(({ code }) => code)).toEqual(codes);
    for (const { sentence } of causes) expect(sentence).toMatch(/^[A-Z].*\.$/);
  });

  test('the cases show every cause', () => {
    const shown = new Set(cases.flatMap(([, , codes]) => codes));
    expect(causeCodes.filter((code) => !shown.has(code))).toEqual([]);
  });
});

describe('An explanation', () => {
  test('an explanation has the outcome, times and the answer of each filter', async () => {
    await only('fr_FR');
    const id = await withOutcome('unregistered', 'Unregistered');
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
    await update(
      {
        app_version: '1.9',
        tags: ['beta', 'it'],
        user_id: 'ben',
        location: { latitude: 48.5, longitude: 2.25 },
        custom: { visits: { type: 'integer', value: 41 } },
      },
      REGISTERED,
    );
    await database.db
      .updateTable('audiences')
      .set({ filters: JSON.stringify([{ not_filter: false, ...filter }]) })
      .where('app_id', '=', app.appId)
      .execute();
    const { causes } = await explain(await sliced('done'));
    expect(causes[0]).toMatchObject({ code: 'not_in_audience', sentence: expect.stringContaining(words) });
    expect(causes[0]?.sentence).not.toContain('ada');
  });

  test('the explanation of a token in the wrong environment says what to do', async () => {
    await retire('BadDeviceToken', REGISTERED);
    const { causes } = await explain(await withOutcome('no_token'));
    expect(causes[1]?.sentence).toContain('flag the device as development');
  });

  test('the explanation of another app’s notification is not found', async () => {
    const id = await withOutcome('accepted');
    app = await insertAppWithAudience(database.db);
    await expect(explain(id)).rejects.toMatchObject({ code: 'not_found' });
  });
});
