/** Texts that only the device reads: registered keys, ciphertext on its way, and what arrives. */
import { randomUUID } from 'node:crypto';
import {
  calculateJwkThumbprint,
  compactDecrypt,
  CompactEncrypt,
  type CryptoKey,
  exportJWK,
  generateKeyPair,
} from 'jose';
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Phone, textAt, useApiApp } from './api-app.ts';

const app = useApiApp();
const { call, ended, send } = app;
let applicationServerKey: string;

beforeAll(async () => {
  const credentials = { subject: 'mailto:push@example.com' };
  applicationServerKey = textAt(await call('PUT /v6/credentials/web_push', { credentials }), 'public_key');
});

interface Key {
  privateKey: CryptoKey;
  publicKey: CryptoKey;
  jwk: object;
  id: string;
}

async function makeKey(): Promise<Key> {
  const { privateKey, publicKey } = await generateKeyPair('ECDH-ES', { crv: 'P-256', extractable: true });
  const jwk = await exportJWK(publicKey);
  return { privateKey, publicKey, jwk, id: await calculateJwkThumbprint(jwk) };
}

async function encrypt(key: Key, texts: object, header: object = {}): Promise<string> {
  return new CompactEncrypt(Buffer.from(JSON.stringify(texts)))
    .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A256GCM', kid: key.id, ...header })
    .encrypt(key.publicKey);
}

async function opened(key: Key, jwe: string): Promise<unknown> {
  return JSON.parse(Buffer.from((await compactDecrypt(jwe, key.privateKey)).plaintext).toString());
}

async function register(platform: 'iOS' | 'Android' | 'Web', attributes: object = {}): Promise<Phone> {
  if (platform !== 'Web') return app.register(attributes, platform);
  const subscription = app.simulator.web.subscribe({ applicationServerKey });
  const { id, status } = await app.tryRegister({ platform, subscription, ...attributes });
  expect(status).toBe(201);
  return { id, token: subscription.endpoint };
}

const fallback = { title: 'Messages', alert: 'You have a new message.' };
const secretTexts = { title: 'Anna', alert: 'The vault is open at noon.' };

/** The JSON that the device got. */
function arrived(nid: string, token: string): unknown {
  const [push] = app.simulator.received({ nid, token });
  if (push === undefined) throw new Error('nothing has arrived');
  return JSON.parse(push.gateway === 'web_push' ? textAt(push, 'text') : push.body);
}

describe('a text for the key of a device', () => {
  test.each([
    ['iOS', ['_jwe'], { aps: { alert: { title: 'Messages', body: fallback.alert }, 'mutable-content': 1 } }],
    ['Android', ['message', 'data', '_jwe'], { message: { data: fallback } }],
    [
      'Web',
      ['notification', 'data', '_jwe'],
      { mutable: true, notification: { title: 'Messages', body: fallback.alert } },
    ],
  ] as const)('%s gets the ciphertext and the fallback, and opens it', async (platform, path, shape) => {
    const key = await makeKey();
    const device = await register(platform, { encryption_key: key.jwk });
    expect(await call(`GET /v6/devices/${device.id}`)).toMatchObject({
      device: { encryption_key: { ...key.jwk, kid: key.id } },
    });
    const jwe = await encrypt(key, secretTexts);
    const id = await send({
      to: { device_id: device.id },
      payload: fallback,
      encrypted_texts: { [key.id]: jwe },
    });
    expect(await ended(id)).toMatchObject({ accepted: 1 });
    const push = arrived(id, device.token);
    expect(push).toMatchObject(shape);
    expect(textAt(push, ...path)).toBe(jwe);
    expect(await opened(key, textAt(push, ...path))).toEqual(secretTexts);
  });

  test('a device without a key, or with another one, gets the fallback alone, and its explanation says why', async () => {
    const [key, other] = [await makeKey(), await makeKey()];
    const user_id = randomUUID();
    const without = await register('iOS', { user_id });
    const foreign = await register('Android', { user_id, encryption_key: other.jwk });
    const jwe = await encrypt(key, secretTexts);
    const notification = { to: { user_id }, payload: fallback, encrypted_texts: { [key.id]: jwe } };
    const id = await send(notification);
    expect(await ended(id)).toMatchObject({ accepted: 2 });
    for (const { token } of [without, foreign]) {
      expect(JSON.stringify(arrived(id, token))).not.toContain('_jwe');
      expect(JSON.stringify(arrived(id, token))).toContain(fallback.alert);
    }
    expect(arrived(id, without.token)).not.toHaveProperty(['aps', 'mutable-content']);
    const causes = async (device: string) =>
      JSON.stringify(await call(`GET /v6/notifications/${id}/deliveries/${device}/explanation`));
    expect(await causes(without.id)).toMatch(/fallback_text.*has no `encryption_key`/);
    expect(await causes(foreign.id)).toMatch(/fallback_text.*no entry/);
    const states = await Promise.all(
      [without, foreign].map(async ({ id: device_id }) => {
        const preview = await call('POST /v6/notifications/preview', { notification, device_id });
        return textAt(preview, 'compiled', 'device', 'encrypted_text');
      }),
    );
    expect(states).toEqual(['no_key', 'no_entry']);
  });

  test('Android gets data alone with a text to open, and draws the fallback of other devices', async () => {
    const key = await makeKey();
    const user_id = randomUUID();
    const able = await register('Android', { user_id, encryption_key: key.jwk });
    const other = await register('Android', { user_id });
    const id = await send({
      to: { user_id },
      payload: fallback,
      android_presentation: 'system',
      encrypted_texts: { [key.id]: await encrypt(key, secretTexts) },
    });
    await ended(id);
    expect(arrived(id, able.token)).not.toHaveProperty('message.android.notification');
    expect(arrived(id, other.token)).toHaveProperty('message.android.notification.title', 'Messages');
  });

  test('translations, templates and the counting badge apply to the fallback and leave the ciphertext alone', async () => {
    const key = await makeKey();
    const device = await register('iOS', {
      encryption_key: key.jwk,
      locale: 'fr_FR',
      app_version: '7.1',
      badge: 4,
    });
    const jwe = await encrypt(key, { title: '{{ device.app_version }}' });
    const id = await send({
      to: { device_id: device.id },
      payload: { title: 'Version {{ device.app_version }}', alert: 'New' },
      localized: { fr: { alert: 'Nouveau en {{ device.app_version }}' } },
      template: true,
      apns: { badge: '+1' },
      encrypted_texts: { [key.id]: jwe },
    });
    expect(await ended(id)).toMatchObject({ accepted: 1 });
    expect(arrived(id, device.token)).toMatchObject({
      aps: { alert: { title: 'Version 7.1', body: 'Nouveau en 7.1' }, badge: 5 },
      _jwe: jwe,
    });
  });

  test('the server never has the clear text: not in its tables, its replies, or its requests', async () => {
    const key = await makeKey();
    const device = await register('iOS', { encryption_key: key.jwk });
    const id = await send({
      to: { device_id: device.id },
      payload: fallback,
      encrypted_texts: { [key.id]: await encrypt(key, secretTexts) },
    });
    await ended(id);
    const { rows } = await sql<{ body: string }>`select body::text from notifications`.execute(app.db);
    const reply = await call(`GET /v6/notifications/${id}`);
    const everything = JSON.stringify([rows, reply, app.simulator.received({})]);
    expect(everything).toContain(fallback.alert);
    expect(everything).not.toContain('vault');
  });
});

describe('many devices', () => {
  test('a notification to many devices that share a key carries one entry, also on the clock of each device', async () => {
    const key = await makeKey();
    const tag = randomUUID();
    await Promise.all(
      Array.from({ length: 150 }, async (_, index) =>
        register(index % 2 === 0 ? 'iOS' : 'Android', {
          tags: [tag],
          time_zone: index % 3 === 0 ? 'Europe/Berlin' : 'Asia/Tokyo',
          ...(index % 5 !== 0 && { encryption_key: key.jwk }),
        }),
      ),
    );
    const jwe = await encrypt(key, secretTexts);
    const content = {
      to: [{ name: 'tags', criteria: [tag] }],
      payload: fallback,
      encrypted_texts: { [key.id]: jwe },
    };
    const withText = (nid: string) =>
      app.simulator
        .received({ nid })
        .filter(({ gateway, ...push }) => JSON.stringify({ gateway, push }).includes(jwe));
    const atOnce = await send(content);
    expect(await ended(atOnce)).toMatchObject({ accepted: 150 });
    expect(withText(atOnce)).toHaveLength(120);
    // It is later than this on the clocks of the devices, and earlier further west.
    const passed = new Date(Date.now() - 5 * 3_600_000).toISOString().slice(0, 19);
    const local = await send({
      ...content,
      deliver_at_local: { time: passed, no_time_zone: 'skip' },
    });
    expect(await ended(local)).toMatchObject({ accepted: 150 });
    expect(withText(local)).toHaveLength(120);
  });

  test('each notification of a batch has texts of its own', async () => {
    const keys = [await makeKey(), await makeKey()] as const;
    const devices = await Promise.all(keys.map(async ({ jwk }) => register('iOS', { encryption_key: jwk })));
    const notifications = await Promise.all(
      devices.map(async ({ id }, index) => ({
        to: { device_id: id },
        payload: fallback,
        encrypted_texts: {
          [keys[index]?.id ?? '']: await encrypt(keys[index] ?? keys[0], { title: `for ${index}` }),
        },
      })),
    );
    const items = notifications.map((notification) => ({ notification }));
    const body = await call('POST /v6/notifications/batch', items);
    const ids = [0, 1].map((index) => textAt(body, String(index), 'id'));
    for (const [index, key] of keys.entries()) {
      const id = ids[index] ?? '';
      await ended(id);
      const push = arrived(id, devices[index]?.token ?? '');
      expect(await opened(key, textAt(push, '_jwe'))).toEqual({ title: `for ${index}` });
    }
  });
});
