import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { apnsId, apnsPayloadBytes, compileApns } from '../../src/gateways/apns/compile-apns.ts';
import { compileFcm, fcmDataBytes } from '../../src/gateways/fcm/compile-fcm.ts';
import { type PushMessage, secondsLeft } from '../../src/gateways/gateway.ts';
import type { Payload } from '../../src/gateways/payload.ts';
import { parseJson } from '../../src/json/lossless.ts';

const notificationId = '0d7c1b9e-6f51-4d5e-9a53-5a2f0b6f8c11';
const dueAt = new Date('2026-11-21T10:00:00.900Z');
const dueAtSeconds = 1_795_255_200;

function message(payload: Payload, rest: Partial<PushMessage> = {}): PushMessage {
  return { notificationId, payload, priority: 'high', timeToLiveSeconds: 3600, dueAt, ...rest };
}

/** A payload as the API would parse it: what a double cannot hold stays raw. */
function parsed(json: string): Payload {
  return z.custom<Payload>().parse(parseJson(json));
}

function apnsJson(payload: Payload): string {
  return compileApns(message(payload), 'com.example.app').body.toString();
}

function apnsHeaders(payload: Payload, rest: Partial<PushMessage> = {}): Record<string, string> {
  const { headers } = compileApns(message(payload, rest), 'com.example.app');
  return Object.fromEntries(
    headers.flatMap((name, at) => (at % 2 === 0 ? [[name, headers[at + 1] ?? '']] : [])),
  );
}

interface FcmBody {
  message: {
    token: string;
    data: Record<string, string>;
    android: Record<string, string> & { notification?: Record<string, string> };
  };
}

function fcmBody(payload: Payload, rest: Partial<PushMessage> = {}): FcmBody {
  const whole = message(payload, rest);
  const { beforeToken, afterToken } = compileFcm(whole);
  const end = afterToken(secondsLeft(whole, whole.dueAt.getTime()));
  const body: FcmBody = JSON.parse(`${beforeToken.token}${JSON.stringify('the "token"')}${end}`);
  return body;
}

const nid = `"_nid":"${notificationId}"`;

/** A key that may be a custom key of any type. */
function isFree(key: string): boolean {
  return !['__proto__', 'aps', '_nid', 'collapse_key', 'alert', 'title', 'subtitle'].includes(key);
}

describe('each key of a payload', () => {
  // [payload, the JSON for APNs, the data for FCM]
  test.each<[string, string, Record<string, string>]>([
    ['{"alert":"Hi"}', `{"aps":{"alert":"Hi"},${nid}}`, { alert: 'Hi' }],
    [
      '{"alert":"Hi","title":"T"}',
      `{"aps":{"alert":{"title":"T","body":"Hi"}},${nid}}`,
      { alert: 'Hi', title: 'T' },
    ],
    [
      '{"alert":"Hi","title":"T","subtitle":"S"}',
      `{"aps":{"alert":{"title":"T","subtitle":"S","body":"Hi"}},${nid}}`,
      { alert: 'Hi', title: 'T', subtitle: 'S' },
    ],
    ['{"subtitle":"S"}', `{"aps":{"alert":{"subtitle":"S"}},${nid}}`, { subtitle: 'S' }],
    ['{"badge":0}', `{"aps":{"badge":0},${nid}}`, {}],
    ['{"badge":12345678901234567890}', `{"aps":{"badge":12345678901234567890},${nid}}`, {}],
    ['{"sound":"bell.caf"}', `{"aps":{"sound":"bell.caf"},${nid}}`, {}],
    ['{"collapse_key":"score"}', `{"aps":{},${nid}}`, { collapse_key: 'score' }],
    ['{"content_available":true}', `{"aps":{"content-available":1},${nid}}`, {}],
    ['{"content_available":false}', `{"aps":{},${nid}}`, {}],
    ['{"mutable_content":true}', `{"aps":{"mutable-content":1},${nid}}`, {}],
    ['{"mutable_content":false}', `{"aps":{},${nid}}`, {}],
    ['{"category":"invite"}', `{"aps":{"category":"invite"},${nid}}`, { category: 'invite' }],
    ['{"interruption_level":"critical"}', `{"aps":{"interruption-level":"critical"},${nid}}`, {}],
    ['{"relevance_score":0.57}', `{"aps":{"relevance-score":0.57},${nid}}`, {}],
    ['{"relevance_score":0}', `{"aps":{"relevance-score":0},${nid}}`, {}],
    ['{"_channel_id":"news"}', `{"aps":{},${nid}}`, { _channel_id: 'news' }],
    ['{"s":"text"}', `{"s":"text","aps":{},${nid}}`, { s: 'text' }],
    ['{"s":""}', `{"s":"","aps":{},${nid}}`, { s: '' }],
    ['{"n":7}', `{"n":7,"aps":{},${nid}}`, { n: '7' }],
    ['{"n":9007199254740993}', `{"n":9007199254740993,"aps":{},${nid}}`, { n: '9007199254740993' }],
    [
      '{"n":0.570000000000000001}',
      `{"n":0.570000000000000001,"aps":{},${nid}}`,
      { n: '0.570000000000000001' },
    ],
    ['{"b":true}', `{"b":true,"aps":{},${nid}}`, { b: 'true' }],
    ['{"z":null}', `{"z":null,"aps":{},${nid}}`, { z: 'null' }],
    ['{"o":{"a":[1,{"b":"c"}]}}', `{"o":{"a":[1,{"b":"c"}]},"aps":{},${nid}}`, { o: '{"a":[1,{"b":"c"}]}' }],
    [
      '{"o":{"id":9223372036854775807}}',
      `{"o":{"id":9223372036854775807},"aps":{},${nid}}`,
      { o: '{"id":9223372036854775807}' },
    ],
    ['{"größe":"日本 🎉"}', `{"größe":"日本 🎉","aps":{},${nid}}`, { größe: '日本 🎉' }],
    [
      '{"toJSON":"x","headers":"y"}',
      `{"toJSON":"x","headers":"y","aps":{},${nid}}`,
      { toJSON: 'x', headers: 'y' },
    ],
  ])('the payload %s goes out as it should', (json, apns, fcm) => {
    const payload = parsed(json);
    expect(apnsJson(payload)).toBe(apns);
    expect(fcmBody(payload).message.token).toBe('the "token"');
    expect(fcmBody(payload).message.data).toEqual({ ...fcm, _nid: notificationId });
  });
});

describe('headers for APNs', () => {
  const alertHeaders = {
    'apns-topic': 'com.example.app',
    'apns-push-type': 'alert',
    'apns-priority': '10',
    'apns-expiration': String(dueAtSeconds + 3600),
    'apns-collapse-id': notificationId,
  };
  const background = { 'apns-push-type': 'background', 'apns-priority': '5' };

  test.each<[string, Payload, Partial<PushMessage>, Record<string, string>]>([
    ['an alert', { alert: 'Hi' }, {}, {}],
    ['normal priority', { alert: 'Hi' }, { priority: 'normal' }, { 'apns-priority': '5' }],
    ['no time to live', { alert: 'Hi' }, { timeToLiveSeconds: 0 }, { 'apns-expiration': '0' }],
    ['a collapse key', { collapse_key: 'score' }, {}, { 'apns-collapse-id': 'score' }],
    ['a key at the limit', { collapse_key: '~'.repeat(64) }, {}, { 'apns-collapse-id': '~'.repeat(64) }],
    ['a key with a space', { collapse_key: 'order 1' }, {}, { 'apns-collapse-id': 'order 1' }],
    ...['é'.repeat(32), '😀', '\u00ff', 'a\tb', 'a\u007f', ' a', 'a ', ' '].map(
      (key): [string, Payload, Partial<PushMessage>, Record<string, string>] => [
        `the key ${JSON.stringify(key)}, as its hash,`,
        { collapse_key: key },
        {},
        { 'apns-collapse-id': createHash('sha256').update(key).digest('hex') },
      ],
    ),
    ['a background push', { content_available: true }, {}, background],
    ['a background push of normal priority', { content_available: true }, { priority: 'normal' }, background],
    ['a background push with data', { content_available: true, id: 7 }, {}, background],
    ['content_available false', { content_available: false }, {}, {}],
    ['custom keys alone', { id: 7 }, {}, {}],
    ['content_available with an alert', { content_available: true, alert: '' }, {}, {}],
    ['content_available with a title', { content_available: true, title: 'T' }, {}, {}],
    ['content_available with a subtitle', { content_available: true, subtitle: 'S' }, {}, {}],
    ['content_available with a badge', { content_available: true, badge: 0 }, {}, {}],
    ['content_available with a sound', { content_available: true, sound: 's' }, {}, {}],
  ])('APNs gets the right headers: %s', (_name, payload, rest, differences) => {
    expect(apnsHeaders(payload, rest)).toEqual({ ...alertHeaders, ...differences });
  });
});

describe('the android part for FCM', () => {
  test.each<[string, Payload, Partial<PushMessage>, unknown]>([
    ['high priority', { alert: 'Hi' }, {}, { priority: 'high', ttl: '3600s' }],
    ['normal priority', { alert: 'Hi' }, { priority: 'normal' }, { priority: 'normal', ttl: '3600s' }],
    ['no time to live', { alert: 'Hi' }, { timeToLiveSeconds: 0 }, { priority: 'high', ttl: '0s' }],
    ['a collapse key', { collapse_key: 'k' }, {}, { priority: 'high', ttl: '3600s', collapse_key: 'k' }],
  ])('the android part for FCM is right: %s', (_name, payload, rest, android) => {
    expect(fcmBody(payload, rest).message.android).toEqual(android);
  });
});

test.each([
  [-5_000, 3_600],
  [0, 3_600],
  [400, 3_600],
  [1_000, 3_599],
  [3_599_900, 1],
  [3_600_000, 0],
  [9_000_000, 0],
])('%i ms after the due time, the push to Google has a time to live of %i seconds', (sinceMs, seconds) => {
  const whole = message({ alert: 'Hi' });
  expect(secondsLeft(whole, whole.dueAt.getTime() + sinceMs)).toBe(seconds);
});

describe('a notification that Android draws', () => {
  const android = { icon: null, color: null };
  test.each<[string, Payload, Partial<PushMessage>, unknown]>([
    ['nothing where the app draws', { alert: 'Hi' }, {}, undefined],
    ['nothing without a text', { content_available: true, sound: 's' }, { android }, undefined],
    ['a text, replaced by its repeat', { alert: 'Hi' }, { android }, { body: 'Hi', tag: notificationId }],
    ['a title', { title: 'T' }, { android }, { title: 'T', tag: notificationId }],
    ['a collapse key', { alert: 'Hi', collapse_key: 'k' }, { android }, { body: 'Hi', tag: 'k' }],
    [
      'the icon and the color of the app',
      { alert: 'Hi' },
      { android: { icon: 'ic_push', color: '#aa0000' } },
      { body: 'Hi', icon: 'ic_push', color: '#aa0000', tag: notificationId },
    ],
    [
      'a channel, a sound and a picture',
      { alert: 'Hi', _channel_id: 'news', sound: 'bell.caf', image: 'https://example.com/a.png' },
      { android },
      {
        body: 'Hi',
        sound: 'bell.caf',
        tag: notificationId,
        channel_id: 'news',
        image: 'https://example.com/a.png',
      },
    ],
    [
      'no picture from elsewhere',
      { alert: 'Hi', image: 'a.png' },
      { android },
      { body: 'Hi', tag: notificationId },
    ],
  ])('a notification that Android draws has the right content: %s', (_name, payload, rest, notification) => {
    const { message: sent } = fcmBody(payload, rest);
    expect(sent.android.notification).toEqual(notification);
    expect(sent.data).toEqual(fcmBody(payload).message.data);
  });

  test('a picture reaches the app on each platform as it was sent', () => {
    const payload = { alert: 'Hi', image: 'https://example.com/a.png' };
    expect(fcmBody(payload).message.data).toMatchObject({ image: payload.image });
    expect(JSON.parse(apnsJson(payload))).toMatchObject({ image: payload.image });
  });
});

describe('sizes', () => {
  test('the size of a payload is counted in bytes of UTF-8', () => {
    const payload = { alert: '日本🎉' };
    expect(apnsPayloadBytes({ notificationId, payload })).toBe(
      Buffer.byteLength(`{"aps":{"alert":"日本🎉"},${nid}}`),
    );
    expect(fcmDataBytes({ notificationId, payload })).toBe('alert'.length + 10 + '_nid'.length + 36);
  });

  test('the size of any payload is the size of what is sent', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string().filter(isFree), fc.jsonValue()), (payload) => {
        expect(apnsPayloadBytes({ notificationId, payload })).toBe(Buffer.byteLength(apnsJson(payload)));
        const { data } = fcmBody(payload).message;
        const bytes = Object.entries(data).map(([key, value]) => Buffer.byteLength(key + value));
        expect(fcmDataBytes({ notificationId, payload })).toBe(bytes.reduce((sum, size) => sum + size, 0));
        expect(Object.values(data).every((value) => typeof value === 'string')).toBe(true);
      }),
    );
  });
});

describe('apns-id', () => {
  const deviceId = '7b4f1c52-13a5-4c0e-8e37-0d2f66f0a001';

  test('apns-id is a lower-case UUID, the same for the same push', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.uuid(), (notification, device) => {
        const id = apnsId(notification, device);
        expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/);
        expect(apnsId(notification, device)).toBe(id);
      }),
    );
  });

  test('apns-id differs between devices and between notifications', () => {
    const ids = [
      apnsId(notificationId, deviceId),
      apnsId(deviceId, notificationId),
      apnsId(notificationId, notificationId),
    ];
    expect(new Set(ids).size).toBe(3);
  });
});
