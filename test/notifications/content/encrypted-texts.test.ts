/** What is refused of encrypted texts and of keys, with a word on what to change, and nothing stored. */
import { randomBytes, randomUUID } from 'node:crypto';
import { calculateJwkThumbprint, CompactEncrypt, exportJWK, generateKeyPair, type JWK } from 'jose';
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { useApi } from '../../http/api.ts';

const api = useApi();

let key: JWK;
let keyId: string;
let jwe: string;
/** A JWE of this many characters. */
let jweOf: (characters: number) => Promise<string>;

beforeAll(async () => {
  const { publicKey } = await generateKeyPair('ECDH-ES', { crv: 'P-256', extractable: true });
  key = await exportJWK(publicKey);
  keyId = await calculateJwkThumbprint(key);
  const encrypt = async (clear: string) =>
    new CompactEncrypt(Buffer.from(clear))
      .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A256GCM' })
      .encrypt(publicKey);
  jwe = await encrypt('{"title":"Anna"}');
  const overhead = (await encrypt('')).length;
  jweOf = async (characters) => encrypt('x'.repeat(Math.floor(((characters - overhead) * 3) / 4)));
});

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
/** The JWE with another header. */
function withHeader(change: object): string {
  const [header = '', ...rest] = jwe.split('.');
  const sent: unknown = JSON.parse(Buffer.from(header, 'base64url').toString());
  return [encoded({ ...Object(sent), ...change }), ...rest].join('.');
}
const withPart = (index: number, part: string) =>
  jwe
    .split('.')
    .map((each, at) => (at === index ? part : each))
    .join('.');

const payload = { title: 'Messages', alert: 'A new message' };

async function create(notification: object) {
  const before = await stored();
  const { status, body } = await api.call('POST /v6/notifications', { body: { notification } });
  expect(await stored()).toBe(before + (status === 201 ? 1 : 0));
  return { status, text: JSON.stringify(body) };
}

async function stored(): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*)::integer as n from notifications`.execute(api.db);
  return rows[0]?.n ?? 0;
}

function entry(value: unknown) {
  return { encrypted_texts: { [keyId]: value } };
}
function many(count: number) {
  const ids = Array.from({ length: count }, (_, index) => String(index).padStart(43, '0'));
  return { encrypted_texts: Object.fromEntries(ids.map((id) => [id, jwe])) };
}

const device = () => ({ platform: 'iOS', push_token: randomBytes(32).toString('hex') });

async function registered(attributes: object) {
  const { status, body } = await api.call('POST /v6/devices', {
    body: { device: { ...device(), ...attributes } },
  });
  return { status, body, id: String(Reflect.get(Object(Reflect.get(Object(body), 'device')), 'id')) };
}

describe('a notification with encrypted texts', () => {
  test.each<[string, () => object, RegExp]>([
    ['a list in place of an object', () => ({ encrypted_texts: [jwe] }), /must be an object/],
    ['a text in place of an object', () => ({ encrypted_texts: jwe }), /must be an object/],
    ['no entry', () => ({ encrypted_texts: {} }), /must have at least one entry/],
    ['1,001 entries', () => many(1_001), /must have at most 1000 entries/],
    ['a name that is no key id', () => ({ encrypted_texts: { anna: jwe } }), /not the id of a key/],
    ['a number as entry', () => entry(7), /must be a JWE in compact form/],
    ['the JSON form of a JWE', () => entry({ ciphertext: 'x' }), /must be a JWE in compact form/],
    ['a clear text', () => entry('Meet me at noon'), /must be a JWE in compact form/],
    ['a signed JWT', () => entry('eyJhbGciOiJFUzI1NiJ9.e30.c2lnbmF0dXJl'), /must be a JWE in compact form/],
    ['an encrypted key in the second part', () => entry(withPart(1, 'AAAA')), /must be a JWE in compact/],
    ['a short initialization vector', () => entry(withPart(2, 'AAAA')), /must be a JWE in compact form/],
    ['no ciphertext', () => entry(withPart(3, '')), /must be a JWE in compact form/],
    ['a short tag', () => entry(withPart(4, 'AAAA')), /must be a JWE in compact form/],
    ['a header that is no JSON', () => entry(withPart(0, 'AAAA')), /must begin with a header/],
    ['another alg', () => entry(withHeader({ alg: 'RSA-OAEP' })), /must have the alg ECDH-ES/],
    ['another enc', () => entry(withHeader({ enc: 'A128GCM' })), /the enc A256GCM/],
    ['no ephemeral key', () => entry(withHeader({ epk: undefined })), /ephemeral key of P-256/],
    [
      'an ephemeral key of X25519',
      () => entry(withHeader({ epk: { kty: 'OKP' } })),
      /ephemeral key of P-256/,
    ],
    ['compression', () => entry(withHeader({ zip: 'DEF' })), /must not have zip/],
    ['a party name', () => entry(withHeader({ apu: 'QQ' })), /must not have apu/],
    ['the kid of another key', () => entry(withHeader({ kid: 'x' })), /id of another key/],
    [
      'no text as fallback',
      () => ({ ...entry(jwe), payload: { order: 7 } }),
      /must have an alert or a title/,
    ],
    [
      'a translation without a text',
      () => ({ ...entry(jwe), localized: { fr: { title: null, alert: null, order: 7 } } }),
      /notification\.localized\.fr must have an alert/,
    ],
    [
      'a variant without a text',
      () => ({
        ...entry(jwe),
        variants: [
          { name: 'a', weight: 1 },
          { name: 'b', weight: 1, payload: { title: null, alert: null, order: 7 } },
        ],
      }),
      /variants\[1\]\.payload must have an alert/,
    ],
    ['a VoIP push', () => ({ ...entry(jwe), apns: { push_type: 'voip' } }), /cannot be sent with voip/],
    ['the key _jwe in its payload', () => ({ payload: { ...payload, _jwe: 'x' } }), /_jwe is a reserved key/],
  ])('%s is refused with a word on what to change, and nothing is stored', async (_name, make, sentence) => {
    const { status, text } = await create({ to: { user_id: 'anna' }, payload, ...make() });
    expect(text).toMatch(sentence);
    expect(status).toBe(422);
    expect(text).not.toContain(jwe);
  });

  test.each<[string, number, RegExp]>([
    ['longer than any push', 4_200, /has 4\d{3} characters; a push has room for 4096/],
    ['longer than the room that the fallback leaves', 4_000, /compiled with notification\.encrypted_texts/],
  ])('an entry that is %s is refused by its name', async (_name, characters, sentence) => {
    const long = await jweOf(characters);
    const other = 'A'.repeat(43);
    const { status, text } = await create({
      to: { user_id: 'anna' },
      payload,
      encrypted_texts: { [other]: jwe, [keyId]: long },
    });
    expect(status).toBe(422);
    expect(text).toMatch(sentence);
    expect(text).toContain(keyId);
    expect(text).not.toContain(other);
  });

  test('a long fallback for Android to draw is measured without the text as well', async () => {
    const long = { title: 'T', alert: 'x'.repeat(2_500) };
    const notification = {
      to: { user_id: 'anna' },
      payload: long,
      android_presentation: 'system',
      ...entry(jwe),
    };
    expect(await create(notification)).toMatchObject({
      status: 422,
      text: expect.stringContaining('notification.payload') as unknown,
    });
  });

  test('1,000 entries are taken', async () => {
    expect(await create({ to: { user_id: 'anna' }, payload, ...many(1_000) })).toMatchObject({ status: 201 });
  });
});

describe('a key of a device', () => {
  const bad: [string, () => unknown, RegExp][] = [
    ['a text', () => 'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcD', /must be a public key as JWK/],
    ['a key of RSA', () => ({ ...key, kty: 'RSA' }), /kty must be EC/],
    ['a key of P-384', () => ({ ...key, crv: 'P-384' }), /crv must be P-256/],
    ['a short coordinate', () => ({ ...key, x: 'AAAA' }), /x must be 32 bytes/],
    ['a missing coordinate', () => ({ kty: 'EC', crv: 'P-256', x: key.x }), /y must be 32 bytes/],
    ['a point off the curve', () => ({ ...key, x: key.y, y: key.x }), /must be a point of the curve/],
    ['a private key', () => ({ ...key, d: key.x }), /d must not be sent: it is the private key/],
    ['an unknown member', () => ({ ...key, color: 'red' }), /color/],
  ];

  test.each(bad)('%s is left out of a registration and named', async (_name, make, sentence) => {
    const { status, body } = await registered({ encryption_key: make(), locale: 'fr_FR' });
    expect(status).toBe(201);
    expect(body).toMatchObject({ device: { encryption_key: null, locale: 'fr_FR' } });
    const [fault] = Object(body).ignored;
    expect(fault.path).toContain('device.encryption_key');
    expect(`${fault.path} ${fault.message}`).toMatch(sentence);
  });

  test.each(bad)('%s in an update is refused, and the key stays', async (_name, make, sentence) => {
    const { id } = await registered({ encryption_key: key });
    const { status, body } = await api.call(`PUT /v6/devices/${id}`, {
      body: { device: { encryption_key: make() } },
    });
    expect(status).toBe(422);
    expect(JSON.stringify(body)).toMatch(sentence);
    const { body: read } = await api.call(`GET /v6/devices/${id}`);
    expect(read).toMatchObject({ device: { encryption_key: { kid: keyId } } });
  });

  test('a registered key has the thumbprint of RFC 7638 as its id, and can be sent back as it was read', async () => {
    const { id, body } = await registered({ encryption_key: { ...key, ext: true, key_ops: [] } });
    const { device: read } = Object(body);
    expect(read.encryption_key).toEqual({ kty: 'EC', crv: 'P-256', x: key.x, y: key.y, kid: keyId });
    const { status, body: same } = await api.call(`PUT /v6/devices/${id}`, { body: { device: read } });
    expect([status, Object(same).device.encryption_key]).toEqual([200, read.encryption_key]);
  });

  test('a registration without it keeps it, null removes it, and an import stores it', async () => {
    const token = randomBytes(32).toString('hex');
    const send = async (attributes: object) => {
      const body = { device: { platform: 'iOS', push_token: token, ...attributes } };
      return Object((await api.call('POST /v6/devices', { body })).body).device.encryption_key;
    };
    expect(await send({ encryption_key: key })).toMatchObject({ kid: keyId });
    expect(await send({ locale: 'de' })).toMatchObject({ kid: keyId });
    expect(await send({ encryption_key: null })).toBeNull();
    const user = randomUUID();
    const lines = [
      { platform: 'iOS', push_token: token, encryption_key: key, user_id: user },
      { ...device(), encryption_key: key, user_id: user },
    ];
    const raw = lines.map((line) => JSON.stringify(line)).join('\n');
    const imported = await api.call('POST /v6/devices/import', {
      raw,
      headers: { 'content-type': 'application/x-ndjson' },
    });
    expect(imported.status, JSON.stringify(imported.body)).toBe(200);
    const { rows } = await sql<{ encryption_key: string }>`
      select encryption_key from devices where user_id = ${user}`.execute(api.db);
    expect(rows).toEqual([{ encryption_key: `${key.x}.${key.y}` }, { encryption_key: `${key.x}.${key.y}` }]);
  });
});
