import { beforeEach, describe, expect, test } from 'vitest';
import { type Client, requestHttp1 } from './client.ts';
import { PROJECT, useSimulator } from './harness.ts';

const harness = useSimulator();
let client: Client;
beforeEach(async () => {
  client = await harness.client(harness.simulator.urls.fcm);
});

const FCM_ERROR = 'type.googleapis.com/google.firebase.fcm.v1.FcmError';
const BAD_REQUEST = 'type.googleapis.com/google.rpc.BadRequest';
const INSTALLATION = 'cAbCdEfGhIjKlMnOpQrStU';

/** Data whose keys and values have this number of bytes. */
function dataOf(bytes: number): Record<string, string> {
  return { é: 'x'.repeat(bytes - 2) };
}

describe('accepted messages', () => {
  test.each<[string, object]>([
    ['data only', {}],
    ['no data at all', { data: {} }],
    ['high priority', { android: { priority: 'high' } }],
    ['normal priority in capitals', { android: { priority: 'NORMAL' } }],
    ['a ttl of 0', { android: { ttl: '0s' } }],
    ['a ttl of four weeks', { android: { ttl: '2419200s' } }],
    ['a ttl with a fraction', { android: { ttl: '3.5s' } }],
    ['a collapse key', { android: { collapse_key: 'news' } }],
    ['names in camelCase', { android: { collapseKey: 'news' } }],
    ['4,096 bytes of data', { data: dataOf(4096) }],
    [
      'a notification for Android to draw',
      {
        android: {
          notification: {
            title: 'T',
            body: 'B',
            icon: 'ic',
            color: '#AA00ff',
            sound: 's',
            tag: 't',
            channel_id: 'c',
            image: 'https://example.com/a.png',
          },
        },
      },
    ],
    ['one with names in camelCase', { android: { notification: { channelId: 'c', clickAction: 'a' } } }],
    [
      'every option of android',
      {
        android: {
          fcm_options: { analytics_label: 'a-Z0_9.~%' },
          direct_boot_ok: true,
          bandwidth_constrained_ok: true,
          restricted_satellite_ok: false,
          notification: { visibility: 'SECRET', notification_count: 0, proxy: 'DENY', click_action: 'a' },
        },
      },
    ],
    ['a key that merely ends in a reserved one', { data: { 'my.google.key': '1', fromage: '1' } }],
  ])('the simulated Google accepts %s', async (_name, message) => {
    const answer = await harness.pushGoogle(client, { message });
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.body)).toEqual({
      name: expect.stringMatching(`^projects/${PROJECT}/messages/[0-9]:[0-9]+%[0-9a-f]+$`),
    });
    expect(harness.simulator.counts().fcm).toMatchObject({ requests: 1, accepted: 1, errors: {} });
  });

  test('the simulated Google accepts HTTP/1.1 as well as HTTP/2', async () => {
    const accessToken = harness.simulator.google.createAccessToken({ projectId: PROJECT });
    const answer = await requestHttp1(
      `${harness.simulator.urls.fcm}/v1/projects/${PROJECT}/messages:send`,
      harness.simulator.caPem,
      { headers: { authorization: `Bearer ${accessToken}` }, body: '{"message":{"token":"device:two"}}' },
    );
    expect(answer).toMatchObject({ status: 200 });
    expect(harness.simulator.received()).toMatchObject([{ gateway: 'fcm', token: 'device:two', nid: null }]);
  });
});

test.each(['validate_only', 'validateOnly'])(
  'a message with %s is judged and not delivered',
  async (name) => {
    const validate = async (token: string) =>
      harness.pushGoogle(client, { body: JSON.stringify({ [name]: true, message: { token } }) });
    expect(await validate('device:one')).toMatchObject({
      status: 200,
      body: `{"name":"projects/${PROJECT}/messages/fake_message_id"}`,
    });
    expect(await validate('carillon.doctor')).toMatchObject({
      status: 400,
      body: expect.stringContaining('not a valid FCM registration token'),
    });
    expect(harness.simulator.received()).toEqual([]);
    expect(harness.simulator.counts().fcm).toMatchObject({ requests: 2, accepted: 0 });
  },
);

test('the simulator keeps what Google accepted: headers, message, body, id and time', async () => {
  const body = JSON.stringify({ message: { token: 'device:one', data: { _nid: 'n7', alert: 'Héllo' } } });
  const answer = await harness.pushGoogle(client, { body });
  expect(harness.simulator.received({ nid: 'n7' })).toEqual([
    {
      gateway: 'fcm',
      projectId: PROJECT,
      token: 'device:one',
      name: JSON.parse(answer.body).name,
      headers: { authorization: expect.stringMatching(/^Bearer ya29\./), 'content-type': 'application/json' },
      body,
      message: { token: 'device:one', data: { _nid: 'n7', alert: 'Héllo' } },
      nid: 'n7',
      at: harness.now,
    },
  ]);
});

async function expectRefused(
  change: { message?: object; body?: string },
  field: string,
  description: RegExp,
): Promise<void> {
  const answer = await harness.pushGoogle(client, change);
  expect(answer.status).toBe(400);
  const { error } = JSON.parse(answer.body);
  expect(error).toMatchObject({ code: 400, status: 'INVALID_ARGUMENT' });
  const badRequest = error.details.find((detail: { '@type': string }) => detail['@type'] === BAD_REQUEST);
  expect(badRequest.fieldViolations).toEqual([{ field, description: expect.stringMatching(description) }]);
  expect(harness.simulator.counts().fcm).toMatchObject({ accepted: 0, errors: { INVALID_ARGUMENT: 1 } });
}

describe('messages refused as INVALID_ARGUMENT', () => {
  test.each<[string, string, string, RegExp]>([
    ['a body that is not JSON', '', 'hello', /Invalid JSON/],
    ['a body that is no object', '', '[]', /Invalid value/],
    ['no message', 'message', '{}', /Invalid value/],
    ['a field next to the message', '', '{"message":{"token":"a"},"to":"b"}', /Unknown name "to"/],
    ['no recipient', 'message', '{"message":{}}', /Recipient of the message is not set/],
  ])(
    'the simulated Google refuses the request and names the field: %s',
    async (_name, field, body, description) => {
      await expectRefused({ body }, field, description);
    },
  );

  test.each<[string, string, object, RegExp]>([
    ['an unknown field of the message', 'message', { dta: {} }, /Unknown name "dta" at 'message'/],
    ['an unknown field of android', 'message.android', { android: { TTL: '1s' } }, /Unknown name "TTL"/],
    [
      'a label with a space',
      'message.android.fcm_options.analytics_label',
      { android: { fcm_options: { analytics_label: 'a b' } } },
      /Invalid analytics label/,
    ],
    [
      'an unknown option',
      'message.android.fcm_options',
      { android: { fcm_options: { label: 'a' } } },
      /Unknown name "label"/,
    ],
    [
      'a flag that is text',
      'message.android.bandwidth_constrained_ok',
      { android: { bandwidth_constrained_ok: 'true' } },
      /Invalid value/,
    ],
    [
      'a negative count',
      'message.android.notification.notification_count',
      { android: { notification: { notification_count: -1 } } },
      /Invalid value/,
    ],
    [
      'a visibility in lower case',
      'message.android.notification.visibility',
      { android: { notification: { visibility: 'private' } } },
      /Invalid value/,
    ],
    ['a token that is no string', 'message.token', { token: 7 }, /Invalid value/],
    ['a number in the data', 'message.data.badge', { data: { badge: 1 } }, /Invalid value/],
    ['an object in the data', 'message.data.o', { data: { o: {} } }, /Invalid value/],
    ['null in the data', 'message.data.o', { data: { o: null } }, /Invalid value/],
    ['the data key from', 'message.data', { data: { from: '1' } }, /payload key: from/],
    ['the data key message_type', 'message.data', { data: { message_type: '1' } }, /message_type/],
    ['a data key of Google', 'message.data', { data: { 'google.x': '1' } }, /google\.x/],
    ['a data key that starts with google', 'message.data', { data: { googles: '1' } }, /googles/],
    ['the data key gcm', 'message.data', { data: { gcm: '1' } }, /payload key: gcm/],
    ['a data key under gcm', 'message.data', { data: { 'gcm.n': '1' } }, /gcm\.n/],
    ['a data key that starts with gcm', 'message.data', { data: { gcm_x: '1' } }, /gcm_x/],
    [
      '4,096 bytes of data with a notification',
      'message.data',
      { data: dataOf(4096), android: { notification: { body: '' } } },
      /too big/,
    ],
    [
      'a color by name',
      'message.android.notification.color',
      { android: { notification: { color: 'red' } } },
      /Color must be in the form/,
    ],
    [
      'a picture without an address',
      'message.android.notification.image',
      { android: { notification: { image: 'cat.png' } } },
      /Image must be a URL/,
    ],
    [
      'an unknown field of the notification',
      'message.android.notification',
      { android: { notification: { alert: 'x' } } },
      /Unknown name "alert"/,
    ],
    ['4,097 bytes of data', 'message.data', { data: dataOf(4097) }, /too big/],
    ['an unknown priority', 'message.android.priority', { android: { priority: 'max' } }, /Invalid/],
    ['a ttl that is a number', 'message.android.ttl', { android: { ttl: 60 } }, /Invalid value/],
    ['a ttl without its s', 'message.android.ttl', { android: { ttl: '60' } }, /must end with 's'/],
    ['a negative ttl', 'message.android.ttl', { android: { ttl: '-1s' } }, /duration/],
    ['a ttl over four weeks', 'message.android.ttl', { android: { ttl: '2419201s' } }, /four weeks/],
    [
      'iPhones with a header that is not Apple’s',
      'message.apns.headers',
      { apns: { headers: { priority: '10' } } },
      /Unknown name "priority"/,
    ],
    [
      'iPhones with a priority that Apple does not have',
      'message.apns.headers.apns-priority',
      { apns: { headers: { 'apns-priority': 'high' } } },
      /Invalid value/,
    ],
    [
      'iPhones with a collapse id of over 64 bytes',
      'message.apns.headers.apns-collapse-id',
      { apns: { headers: { 'apns-collapse-id': 'x'.repeat(65) } } },
      /Invalid value/,
    ],
    [
      'iPhones with a payload that is no object',
      'message.apns.payload',
      { apns: { payload: 'Hi' } },
      /Invalid value/,
    ],
    ['iPhones with an unknown field', 'message.apns', { apns: { body: {} } }, /Unknown name "body"/],
    [
      'iPhones with over 4,096 bytes of payload',
      'message.apns',
      { apns: { payload: { k: 'x'.repeat(4_096) } } },
      /too big/,
    ],
    [
      'iPhones with a picture that makes it too large',
      'message.apns',
      { apns: { payload: { k: 'x'.repeat(4_080) }, fcm_options: { image: 'https://example.com/a.png' } } },
      /too big/,
    ],
    [
      'an installation id of another form',
      'message.fid',
      { token: undefined, fid: 'an-id' },
      /installation ID/i,
    ],
    ['an installation id together with a token', 'message', { fid: INSTALLATION }, /Invalid value/],
  ])(
    'the simulated Google refuses the message and names the field: %s',
    async (_name, field, message, description) => {
      await expectRefused({ message }, field, description);
    },
  );

  test('the simulated Google adds an FcmError of its own where FCM judged the message', async () => {
    const answer = await harness.pushGoogle(client, { message: { data: { from: 'x' } } });
    expect(JSON.parse(answer.body).error.details).toContainEqual({
      '@type': FCM_ERROR,
      errorCode: 'INVALID_ARGUMENT',
    });
  });

  test('the simulated Google names a malformed token in the message alone', async () => {
    const answer = await harness.pushGoogle(client, { message: { token: 'not a token' } });
    expect(JSON.parse(answer.body).error).toEqual({
      code: 400,
      message: 'The registration token is not a valid FCM registration token',
      status: 'INVALID_ARGUMENT',
      details: [{ '@type': FCM_ERROR, errorCode: 'INVALID_ARGUMENT' }],
    });
  });
});

describe('the block for iPhones', () => {
  const headers = { 'apns-push-type': 'alert', 'apns-priority': '10', 'apns-expiration': '0' };

  test.each<[string, object]>([
    ['a payload alone', { payload: { aps: { alert: 'Hi' } } }],
    ['Apple’s headers', { headers, payload: { aps: {} } }],
    ['a picture', { payload: { aps: {} }, fcm_options: { image: 'https://example.com/a.png' } }],
    ['4,096 bytes of payload', { payload: { k: 'x'.repeat(4_096 - '{"k":""}'.length) } }],
  ])('FCM takes the block apns with %s', async (_what, apns) => {
    expect(await harness.pushGoogle(client, { message: { apns } })).toMatchObject({ status: 200 });
    expect(harness.simulator.received()).toMatchObject([{ message: { apns } }]);
  });
});

test('an installation id is unregistered until its installation is, and then takes the place of the token', async () => {
  const token = `${INSTALLATION}:APA91bF-sample`;
  const pushTo = async (recipient: object) => {
    const message = { token: undefined, ...recipient };
    const { status, body } = await harness.pushGoogle(client, { message });
    return { status, body: JSON.parse(body) };
  };
  const details = [{ '@type': FCM_ERROR, errorCode: 'UNREGISTERED' }];
  const error = { code: 404, message: 'NotRegistered', status: 'NOT_FOUND', details };
  expect(await pushTo({ token })).toMatchObject({ status: 200 });
  expect(await pushTo({ fid: INSTALLATION })).toEqual({ status: 404, body: { error } });
  expect(await pushTo({ token })).toMatchObject({ status: 200 });
  harness.simulator.google.registerInstallation(INSTALLATION);
  expect(await pushTo({ token })).toMatchObject({ status: 200 });
  expect(await pushTo({ fid: INSTALLATION })).toMatchObject({ status: 200 });
  expect(await pushTo({ token })).toEqual({ status: 404, body: { error } });
  expect(harness.simulator.received({ token: INSTALLATION })).toHaveLength(1);
});

const tokenOfOther = (): string => harness.simulator.google.createAccessToken({ projectId: 'other' });

describe('messages refused unread', () => {
  test.each<[string, number, string, () => string]>([
    ['no access token', 401, 'UNAUTHENTICATED', () => ''],
    ['an unknown access token', 401, 'UNAUTHENTICATED', () => 'Bearer ya29.unknown'],
    ["another project's access token", 403, 'PERMISSION_DENIED', () => `Bearer ${tokenOfOther()}`],
  ])(
    'the simulated Google refuses a message without looking at it: %s',
    async (_name, code, status, authorization) => {
      const headers = { authorization: authorization() };
      const answer = await harness.pushGoogle(client, { headers, body: 'hello' });
      expect(answer.status).toBe(code);
      expect(JSON.parse(answer.body)).toEqual({ error: { code, message: expect.any(String), status } });
      expect(harness.simulator.counts().fcm).toMatchObject({ accepted: 0, errors: { [status]: 1 } });
    },
  );

  test('the simulated Google refuses an access token after its hour', async () => {
    const token = harness.simulator.google.createAccessToken({ projectId: PROJECT });
    const headers = { authorization: `Bearer ${token}` };
    harness.advance(3_599_000);
    expect(await harness.pushGoogle(client, { headers })).toMatchObject({ status: 200 });
    harness.advance(1000);
    expect(await harness.pushGoogle(client, { headers })).toMatchObject({ status: 401 });
  });
});

test('an unknown address of the simulated Google is answered with a page', async () => {
  const answer = await harness.pushGoogle(client, { headers: { ':path': '/v1/projects/x/messages' } });
  expect(answer).toMatchObject({ status: 404, body: expect.stringContaining('<html') });
});

test('the simulated Google announces 100 streams per connection', () => {
  expect(client.session.remoteSettings.maxConcurrentStreams).toBe(100);
});
