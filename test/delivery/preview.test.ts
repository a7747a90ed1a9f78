/** The compiled bytes of a preview are those that the gateways receive. */
import { randomBytes } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { systemClock } from '../../src/clock.ts';
import { setAndroid } from '../../src/apps/android-settings.ts';
import { buildServer } from '../../src/http/server.ts';
import { observeNothing as observe } from '../../src/observe.ts';
import { type ReceivedPush, type Simulator, startSimulator } from '@carillon/simulator';
import { callServer, type Reply } from '../http/api.ts';
import { useTestDatabase } from '../support/database.ts';
import { testSecret as secret } from '../support/secret.ts';
import { createSimulatedApp, type SimulatedApp } from '../support/simulated-app.ts';
import { startTestWorker, type TestWorker } from '../support/worker.ts';

const database = useTestDatabase();
const FID = 'cAbCdEfGhIjKlMnOpQrStU';
const IOS_TOKEN = randomBytes(32).toString('hex');
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

let simulator: Simulator;
let worker: TestWorker;
let server: FastifyInstance;
let app: SimulatedApp;
/** Stands still in a test, so that a preview and a creation are due at the same time. */
let now: Date;

beforeEach(() => {
  now = systemClock();
});

beforeAll(async () => {
  now = systemClock();
  const { db } = database;
  simulator = await startSimulator();
  simulator.google.registerInstallation(FID);
  worker = startTestWorker({ db, secret, simulator });
  server = buildServer({ db, queue: worker.queue, clock: () => now, secret, observe });
  app = await createSimulatedApp(db, secret, simulator);
  await setAndroid(db, app.id, { icon: 'ic_push', color: '#aa0000' }, systemClock);
  const devices = [
    { platform: 'iOS', push_token: IOS_TOKEN },
    { platform: 'Android', push_token: ANDROID_TOKEN },
    { platform: 'Android', push_token: FID, push_token_type: 'fid' },
  ];
  for (const device of devices) await call('POST /v6/devices', { device });
});

afterAll(async () => {
  await server.close();
  await worker.close();
  await simulator.close();
});

async function call(address: string, body: object | string): Promise<Reply> {
  const sent = typeof body === 'string' ? { raw: body } : { body };
  const reply = await callServer(server, address, { key: app.key, ...sent });
  expect(reply.status, JSON.stringify(reply.body)).toBeLessThan(300);
  return reply;
}

const previewed = z.object({
  refusal: z.null(),
  compiled: z.object({
    notification_id: z.string(),
    apns: z.object({ bytes: z.number(), headers: z.record(z.string(), z.string()), body: z.string() }),
    fcm: z.object({ body: z.string(), body_fid: z.string() }),
  }),
});

/** @returns the push that each device received */
async function received(nid: string): Promise<Record<'ios' | 'token' | 'fid', ReceivedPush>> {
  return vi.waitFor(
    () => {
      const [[ios], [token], [fid]] = [
        simulator.received({ nid, token: IOS_TOKEN }),
        simulator.received({ nid, token: ANDROID_TOKEN }),
        simulator.received({ nid, token: FID }),
      ];
      if (ios === undefined || token === undefined || fid === undefined)
        throw new Error('not all have it yet');
      return { ios, token, fid };
    },
    { timeout: 30_000 },
  );
}

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
    const { compiled } = previewed.parse((await call('POST /v6/notifications/preview', body)).body);
    const created = await call('POST /v6/notifications', body);
    const { id } = z.object({ id: z.string() }).parse(created.body);
    const { ios, token, fid } = await received(id);
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
