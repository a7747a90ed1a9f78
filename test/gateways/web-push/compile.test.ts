import { describe, expect, test } from 'vitest';
import { topicOf, webPushHeaders, webPushText } from '../../../src/gateways/web-push/compile-web-push.ts';
import { webPushVerdict } from '../../../src/gateways/web-push/web-push-verdict.ts';
import type { Payload } from '../../../src/gateways/payload.ts';

const notificationId = '0d7c1b9e-6f51-4d5e-9a53-5a2f0b6f8c11';

function textOf(payload: Payload, rest = {}, url: string | null = null): unknown {
  return JSON.parse(webPushText({ notificationId, payload, ...rest }, url));
}

describe('the text for browsers', () => {
  test('one JSON has what Safari shows by itself and what a service worker reads', () => {
    const payload = {
      title: 'Order 4711',
      alert: 'It is on its way.',
      image: 'https://example.com/parcel.png',
      icon: 'https://example.com/icon.png',
      url: 'https://example.com/orders/4711',
      badge: 3,
      collapse_key: 'order-4711',
      sound: 'ping.caf',
      actions: [
        { action: 'track', title: 'Track', url: 'https://example.com/track' },
        { action: 'later', title: 'Later' },
      ],
      order: { id: 4711 },
    };
    expect(textOf(payload, { receiptLimit: 100 })).toEqual({
      web_push: 8030,
      notification: {
        title: 'Order 4711',
        body: 'It is on its way.',
        navigate: 'https://example.com/orders/4711',
        tag: 'order-4711',
        renotify: true,
        image: 'https://example.com/parcel.png',
        icon: 'https://example.com/icon.png',
        actions: [
          { action: 'track', title: 'Track', navigate: 'https://example.com/track' },
          { action: 'later', title: 'Later', navigate: 'https://example.com/orders/4711' },
        ],
        data: { order: { id: 4711 } },
        app_badge: 3,
      },
      mutable: true,
      app_badge: 3,
      _nid: notificationId,
      _rcpt: 100,
    });
  });

  test('a push of one text has it as its title, and leads to the address of the app', () => {
    expect(textOf({ alert: 'Hello' }, {}, 'https://example.com/')).toEqual({
      web_push: 8030,
      notification: { title: 'Hello', navigate: 'https://example.com/', tag: notificationId, data: {} },
      _nid: notificationId,
    });
  });

  test('addresses that are not https, and actions that no browser takes, are left out', () => {
    const payload = {
      alert: 'Hello',
      url: 'javascript:alert(1)',
      icon: '/icon.png',
      image: 7,
      actions: [{ title: 'Reply' }],
    };
    expect(textOf(payload)).toEqual({
      web_push: 8030,
      notification: { title: 'Hello', tag: notificationId, data: {} },
      _nid: notificationId,
    });
  });

  test.each([
    ['order-4711', 'order-4711'],
    ['a', expect.stringMatching(/^[\w-]{32}$/)],
    ['collie-update', expect.stringMatching(/^[\w-]{32}$/)],
    ['with spaces', expect.stringMatching(/^[\w-]{32}$/)],
    ['x'.repeat(33), expect.stringMatching(/^[\w-]{32}$/)],
    ['ü', expect.stringMatching(/^[\w-]{32}$/)],
  ])('the collapse key %s becomes a topic that every service takes', (key, expected) => {
    expect(topicOf(key)).toEqual(expected);
  });

  test('the headers say how urgent a push is; only a collapse key makes a topic', () => {
    const shared = ['content-encoding', 'aes128gcm', 'content-type', 'application/octet-stream', 'urgency'];
    expect(webPushHeaders({ payload: { alert: 'a' }, priority: 'normal' })).toEqual([...shared, 'normal']);
    expect(webPushHeaders({ payload: { alert: 'a', collapse_key: 'k2' }, priority: 'high' })).toEqual([
      ...shared,
      'high',
      'topic',
      'k2',
    ]);
  });
});

const now = (): Date => new Date('2026-11-28T10:00:00Z');
const retry = (reason: string, afterMs: number | null) => ({
  kind: 'retry',
  reason,
  afterMs,
  scope: 'device',
});

describe('verdicts of push services', () => {
  test.each([
    [200, {}, '', { kind: 'accepted' }],
    [201, { location: 'https://x.example/m/1' }, '', { kind: 'accepted' }],
    [202, {}, '', { kind: 'accepted' }],
    [404, {}, '', { kind: 'unregistered', reason: 'subscription_unknown', deadSince: null }],
    [410, {}, '{"reason":"Unregistered"}', { kind: 'unregistered', reason: 'Unregistered', deadSince: null }],
    [410, {}, '<html>', { kind: 'unregistered', reason: 'subscription_gone', deadSince: null }],
    [400, {}, '{"reason":"BadWebPushTopic"}', { kind: 'rejected', reason: 'BadWebPushTopic' }],
    [400, {}, '{"reason":"VapidPkHashMismatch"}', { kind: 'rejected', reason: 'VapidPkHashMismatch' }],
    [403, {}, '{"reason":"BadJwtToken"}', { kind: 'credentials_refused', reason: 'BadJwtToken' }],
    [401, {}, '{"code":401,"errno":109,"message":"…"}', { kind: 'rejected', reason: 'wrong_vapid_key' }],
    [403, {}, 'the VAPID credentials do not correspond', { kind: 'rejected', reason: 'wrong_vapid_key' }],
    [413, {}, '', { kind: 'rejected', reason: 'too_large' }],
    [429, {}, '', retry('HTTP 429', null)],
    [429, { 'retry-after': '7' }, '', retry('HTTP 429', 7_000)],
    [406, { 'retry-after': '60' }, '', retry('HTTP 406', 60_000)],
    [406, {}, '', { kind: 'rejected', reason: 'HTTP 406' }],
    [500, {}, '', retry('HTTP 500', null)],
    [503, { 'retry-after': 'Sat, 28 Nov 2026 10:00:30 GMT' }, '', retry('HTTP 503', 30_000)],
    [302, { location: 'https://127.0.0.1/' }, '', { kind: 'rejected', reason: 'HTTP 302' }],
  ] as const)('status %i with %j and %s is judged', (status, headers, body, expected) => {
    expect(webPushVerdict({ kind: 'answered', status, headers, body }, now)).toEqual(expected);
  });
});
