/** The compiled bytes of a preview are those that the gateways receive. */
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { setAndroid } from '../../src/apps/android-settings.ts';
import { systemClock } from '../../src/clock.ts';
import { useApiApp } from './api-app.ts';
import { newToken } from '../support/push-token.ts';

const FID = 'cAbCdEfGhIjKlMnOpQrStU';
const IOS_TOKEN = newToken();
const ANDROID_TOKEN = 'another-device:APA91bF-sample';

/** A payload with every key that the service knows. */
const KNOWN = JSON.stringify({
  alert: 'It is on its way.',
  title: 'Order 4711',
  subtitle: 'Two parcels',
  badge: 3,
  sound: 'ping.caf',
  collapse_key: 'order-4711',
  content_available: true,
  mutable_content: true,
  category: 'ORDER',
  interruption_level: 'time-sensitive',
  relevance_score: 0.75,
  image: 'https://example.com/parcel.png',
  _channel_id: 'orders',
  order: { id: 4711, items: ['tea', 'mugs'] },
});

/** Stands still in a test, so that a preview and a creation are due at the same time. */
let now = systemClock();
const app = useApiApp({ clock: () => now });

beforeAll(async () => {
  app.simulator.google.registerInstallation(FID);
  await setAndroid(app.db, app.app.id, { icon: 'ic_push', color: '#aa0000' }, systemClock);
  const devices = [
    { platform: 'iOS', push_token: IOS_TOKEN },
    { platform: 'Android', push_token: ANDROID_TOKEN },
    { platform: 'Android', push_token: FID, push_token_type: 'fid' },
  ];
  for (const device of devices) await app.call('POST /v6/devices', { device });
});

const previewed = z.object({
  refusal: z.null(),
  compiled: z.object({
    notification_id: z.string(),
    apns: z.object({ bytes: z.number(), headers: z.record(z.string(), z.string()), body: z.string() }),
    fcm: z.object({ body: z.string(), body_fid: z.string() }),
  }),
});

/** A push may leave within another second than the preview. */
function withoutTtl(body: string): string {
  return body.replace(/"ttl":"\d+s"/, '"ttl":""');
}

describe('each gateway receives the previewed push', () => {
  const rtl = '"title":"\u05e9\u05dc\u05d5\u05dd","alert":"\u202e\ud83d\udd14"';
  test.each([
    ['a text', '{"alert":"Hello"}', ''],
    ['right-to-left text and an emoji', `{${rtl}}`, ''],
    ['every known key', KNOWN, ',"time_to_live":3600,"priority":"normal"'],
    ['numbers with many digits', '{"alert":"x","id":12345678901234567890,"n":[0.570000000000000001]}', ''],
    ['a push drawn by Android', KNOWN, ',"android_presentation":"system"'],
    ['a push that only wakes the app', '{"content_available":true,"x":{"y":null}}', ''],
    ['a push that is tried once', '{"alert":"now","collapse_key":"\u00e9"}', ',"time_to_live":0'],
  ])('each gateway receives the previewed push: %s', async (_what, payload, options) => {
    const body = `{"notification":{"to":"*","payload":${payload}${options}}}`;
    now = systemClock();
    const { compiled } = previewed.parse(await app.call('POST /v6/notifications/preview', body));
    const { id } = z.object({ id: z.string() }).parse(await app.call('POST /v6/notifications', body));
    const ios = await app.received(id, IOS_TOKEN);
    const token = await app.received(id, ANDROID_TOKEN);
    const fid = await app.received(id, FID);
    const real = (text: string): string => text.replaceAll(compiled.notification_id, id);

    expect(ios.body).toBe(real(compiled.apns.body));
    expect(compiled.apns.bytes).toBe(Buffer.byteLength(ios.body));
    const headers = JSON.parse(real(JSON.stringify(compiled.apns.headers)));
    expect(ios.headers).toMatchObject(headers);
    expect(
      Object.keys(ios.headers)
        .filter((name) => name.startsWith('apns-'))
        .sort(),
    ).toEqual(['apns-id', ...Object.keys(compiled.apns.headers)].sort());
    expect(withoutTtl(token.body)).toBe(
      withoutTtl(real(compiled.fcm.body).replace('<push token>', ANDROID_TOKEN)),
    );
    expect(withoutTtl(fid.body)).toBe(withoutTtl(real(compiled.fcm.body_fid).replace('<push token>', FID)));
  });
});
