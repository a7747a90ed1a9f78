import { createECDH, createPublicKey, randomBytes, verify } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { hostFault, NO_OTHER_HOSTS, parseWebPushHosts } from '../../../src/gateways/web-push/hosts.ts';
import {
  endpointFault,
  isPublicKey,
  isSecret,
  joinedKeys,
} from '../../../src/gateways/web-push/subscription.ts';
import { openVapid } from '../../../src/gateways/web-push/vapid.ts';
import { checkVapidSubject, makeVapidKey, readVapidKey } from '../../../src/gateways/web-push/vapid-key.ts';

describe('endpoints', () => {
  test.each([
    'https://fcm.googleapis.com/fcm/send/abc:APA91',
    'https://jmt17.google.com/fcm/send/abc',
    'https://updates.push.services.mozilla.com/wpush/v2/gAAAA',
    'https://web.push.apple.com/QGuQyavXutnMcD',
    'https://wns2-par02p.notify.windows.com/w/?token=BQYAAAD%2bx%2fy',
  ])('%s is allowed', (endpoint) => {
    expect(endpointFault(endpoint) ?? hostFault(endpoint, NO_OTHER_HOSTS)).toBeUndefined();
  });

  test.each([
    ['http://fcm.googleapis.com/x', /https/],
    ['https://user:secret@fcm.googleapis.com/x', /user or a password/],
    ['https://fcm.googleapis.com/x#y', /fragment/],
    ['https://permanently-removed.invalid/fcm/send/x', /do not register/],
    ['https://fcm.googleapis.com/a b', /address that the browser gave/],
    ['https://FCM.googleapis.com/x', /as the browser gave it/],
    ['https://fcm.googleapis.com:443/x', /as the browser gave it/],
    [String.raw`https:\\fcm.googleapis.com\y`, /as the browser gave it/],
    ['https://fcm.googleapis.com', /as the browser gave it/],
    ['https://fcm.googleapis.com?x', /as the browser gave it/],
    [`https://fcm.googleapis.com/${'x'.repeat(2048)}`, /2048/],
    ['not an address', /address/],
    ['', /address/],
    ['file:///etc/passwd', /https/],
  ])('the endpoint %s is refused', (endpoint, expected) => {
    expect(endpointFault(endpoint)).toMatch(expected);
  });

  test.each([
    'https://127.0.0.1/x',
    'https://[::1]/x',
    'https://169.254.169.254/latest/meta-data',
    'https://localhost/x',
    'https://fcm.googleapis.com:8443/x',
    'https://fcm.googleapis.com.evil.example/x',
    'https://evilpush.apple.com/x',
    'https://push.apple.com.evil.example/x',
    'https://notify.windows.com/x',
    'https://push.example.com/x',
  ])('the host of %s is not called', (endpoint) => {
    expect(hostFault(endpoint, NO_OTHER_HOSTS)).toMatch(/no push service of a browser.*WEB_PUSH_HOSTS/);
  });

  test.each([
    [
      'push.example.com',
      ['https://push.example.com/x'],
      ['https://a.push.example.com/x', 'https://push.example.com:444/x'],
    ],
    ['127.0.0.1:8443', ['https://127.0.0.1:8443/x'], ['https://127.0.0.1/x', 'https://127.0.0.1:8444/x']],
    [
      '*.example.com',
      ['https://a.example.com/x', 'https://a.b.example.com/x'],
      ['https://example.com/x', 'https://aexample.com/x'],
    ],
    ['*', ['https://anything.example/x'], ['https://10.0.0.1/x', 'https://[fd00::1]/x']],
  ])('WEB_PUSH_HOSTS=%s allows what it names and nothing else', (text, allowed, refused) => {
    const hosts = parseWebPushHosts(text) ?? NO_OTHER_HOSTS;
    expect(allowed.filter((endpoint) => hostFault(endpoint, hosts) !== undefined)).toEqual([]);
    expect(refused.filter((endpoint) => hostFault(endpoint, hosts) === undefined)).toEqual([]);
  });

  test.each(['https://push.example.com', 'push.example.com/x', 'a b', '-'])(
    'WEB_PUSH_HOSTS=%s is no list of names',
    (text) => {
      expect(parseWebPushHosts(text)).toBeUndefined();
    },
  );
});

describe('keys of subscriptions', () => {
  const point = createECDH('prime256v1').generateKeys();

  test('a point of P-256 is a public key, in base64 or base64url; other bytes are none', () => {
    expect([point.toString('base64url'), point.toString('base64')].map(isPublicKey)).toEqual([true, true]);
    const offCurve = Buffer.from(point);
    offCurve[64] = (offCurve[64] ?? 0) ^ 1;
    const compressed = createECDH('prime256v1').generateKeys('base64url', 'compressed');
    const other = [offCurve, randomBytes(65)].map((bytes) => bytes.toString('base64url'));
    const wrong = [...other, compressed, '', '=', 'ü'];
    expect(wrong.filter(isPublicKey)).toEqual([]);
  });

  test('16 bytes are a secret', () => {
    const lengths = [15, 16, 17].filter((length) => isSecret(randomBytes(length).toString('base64url')));
    expect(lengths).toEqual([16]);
  });

  test('keys are stored in base64url without padding', () => {
    const keys = { p256dh: point.toString('base64'), auth: Buffer.alloc(16, 255).toString('base64') };
    expect(joinedKeys(keys)).toBe(`${point.toString('base64url')}._____________________w`);
  });
});

describe('VAPID', () => {
  test('a token is signed for the origin, expires within 12 hours, and is kept for 6', () => {
    const key = makeVapidKey();
    let now = Date.parse('2026-11-28T10:00:00Z');
    const vapid = openVapid({ ...key, subject: 'mailto:push@example.com', url: null }, () => new Date(now));
    const first = vapid.authorizationFor('https://push.example.com:8443');
    const [, header = '', payload = '', signature = '', k = ''] =
      /^vapid t=(.+)\.(.+)\.(.+), k=(.+)$/.exec(first) ?? [];
    expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual({ typ: 'JWT', alg: 'ES256' });
    expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toEqual({
      aud: 'https://push.example.com:8443',
      exp: now / 1000 + 12 * 60 * 60,
      sub: 'mailto:push@example.com',
    });
    const bytes = Buffer.from(k, 'base64url');
    const [x = '', y = ''] = [bytes.subarray(1, 33), bytes.subarray(33)].map((half) =>
      half.toString('base64url'),
    );
    const publicKey = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' });
    const [signed, code] = [Buffer.from(`${header}.${payload}`), Buffer.from(signature, 'base64url')];
    const isSigned = verify('sha256', signed, { key: publicKey, dsaEncoding: 'ieee-p1363' }, code);
    expect({ isSigned, k }).toEqual({ isSigned: true, k: key.publicKey });
    now += 5 * 60 * 60_000;
    expect(vapid.authorizationFor('https://push.example.com:8443')).toBe(first);
    now += 60 * 60_000;
    expect(vapid.authorizationFor('https://push.example.com:8443')).not.toBe(first);
    expect(vapid.authorizationFor('https://other.example.com')).not.toBe(first);
  });

  test('a key of another service is read, and one that is none is refused without its text', () => {
    const key = makeVapidKey();
    expect(readVapidKey(`${key.privateKey}\n`, key.publicKey)).toEqual(key);
    expect(() => readVapidKey(key.privateKey, makeVapidKey().publicKey)).toThrow('does not belong');
    for (const wrong of [
      '',
      'abc',
      Buffer.alloc(32).toString('base64url'),
      Buffer.alloc(32, 255).toString('base64url'),
      '-----BEGIN',
    ]) {
      expect(() => readVapidKey(wrong)).toThrow(/^The private key (?:must be 32 bytes|is no private key)/);
    }
  });

  test.each(['mailto:push@example.com', 'https://example.com/contact'])('%s is a subject', (subject) => {
    expect(() => checkVapidSubject(subject)).not.toThrow();
  });

  test.each([
    'push@example.com',
    'mailto:',
    'mailto: a@b.example',
    'mailto:<a@b.example>',
    'mailto:a@localhost',
    'https://localhost',
    'http://example.com',
  ])('%s is no subject that every service takes', (subject) => {
    expect(() => checkVapidSubject(subject)).toThrow('The subject must be');
  });
});
