import { createDecipheriv, createECDH, ECDH, hkdfSync, randomBytes } from 'node:crypto';
import type { Worker } from 'node:worker_threads';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  type Encryption,
  type EncryptionOptions,
  openEncryption,
  TEXT_BYTES_MAX,
} from '../../../src/gateways/web-push/encrypt.ts';

/** RFC 8291, section 5 and appendix A. */
const RFC = {
  text: 'When I grow up, I want to be a watermelon',
  keys: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4.BTBZMqHH6r4Tts7J_aSIgg',
  privateKey: 'yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw',
  salt: 'DGv6ra1nlYgDCS1FRnbzlw',
  body:
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95b' +
    'Qpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
};
const FIXED = {
  privateKey: Buffer.from(RFC.privateKey, 'base64url'),
  salt: Buffer.from(RFC.salt, 'base64url'),
};
const TEXT = Buffer.from('text');
const OFF_CURVE = Buffer.alloc(65, 7).fill(4, 0, 1).toString('base64url');

interface Browser {
  keys: string;
  pair: ECDH;
  secret: Buffer;
}

function browser(): Browser {
  const pair = createECDH('prime256v1');
  const secret = randomBytes(16);
  return { keys: `${pair.generateKeys('base64url')}.${secret.toString('base64url')}`, pair, secret };
}

const browsers = (count: number): Browser[] => Array.from({ length: count }, browser);

/** As a browser does it, by Node's own HKDF. */
function decrypted(body: Buffer, { pair, secret }: Browser): string {
  const [salt, sender] = [body.subarray(0, 16), body.subarray(21, 86)];
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), pair.getPublicKey(), sender]);
  const material = Buffer.from(hkdfSync('sha256', pair.computeSecret(sender), secret, info, 32));
  const derive = (name: string, bytes: number): Buffer =>
    Buffer.from(hkdfSync('sha256', material, salt, `Content-Encoding: ${name}\0`, bytes));
  const decipher = createDecipheriv('aes-128-gcm', derive('aes128gcm', 16), derive('nonce', 12));
  decipher.setAuthTag(body.subarray(-16));
  return Buffer.concat([decipher.update(body.subarray(86, -16)), decipher.final()]).toString();
}

/** Derivations in this thread, each with the public key of its browser. */
const derivations = vi.spyOn(ECDH.prototype, 'computeSecret');
const derivedHere = (): string[] =>
  derivations.mock.calls.map(([key]) => Buffer.from(key).toString('base64url'));
const publicKeyOf = ({ keys }: Browser): string => keys.slice(0, keys.indexOf('.'));

const threads: Worker[] = [];
const onThread = (thread: Worker): void => void threads.push(thread);
beforeAll(() => void process.on('worker', onThread));
afterAll(() => void process.off('worker', onThread));

const opened: Encryption[] = [];
afterEach(async () => {
  for (const encryption of opened.splice(0)) await encryption.close();
  threads.length = 0;
  derivations.mockClear();
});

function open(options: Partial<EncryptionOptions> = {}): Encryption {
  const encryption = openEncryption({ now: () => 0, ...options });
  opened.push(encryption);
  return encryption;
}

describe('encryption for browsers', () => {
  test('the example of RFC 8291 is encrypted to the body that the RFC has', async () => {
    const body = await open({ fixed: FIXED }).encrypt(RFC.keys, Buffer.from(RFC.text));
    expect(body.toString('base64url')).toBe(RFC.body);
  });

  test('a thousand bodies of the longest text have 4,096 bytes each, and a thousand salts', async () => {
    const { encrypt } = open();
    const { keys } = browser();
    const text = Buffer.alloc(TEXT_BYTES_MAX, 'a');
    const bodies = await Promise.all(Array.from({ length: 1_000 }, async () => encrypt(keys, text)));
    expect(new Set(bodies.map(({ length }) => length))).toEqual(new Set([4_096]));
    expect(new Set(bodies.map((body) => body.toString('hex', 0, 16)))).toHaveLength(1_000);
  });

  test.each([0, 1])('a public key that is not on the curve is refused, with %i threads', async (count) => {
    const keys = `${OFF_CURVE}.${randomBytes(16).toString('base64url')}`;
    const encrypting = (async () => open({ threads: count }).encrypt(keys, TEXT))();
    await expect(encrypting).rejects.toThrow(/key/i);
  });

  test('a key pair is kept for a day, however few browsers are kept, and then replaced', async () => {
    let now = 0;
    const { encrypt } = open({ now: () => now, keptMax: 1 });
    const [one, other] = [browser().keys, browser().keys];
    const publicKeyFor = async (keys: string): Promise<string> =>
      (await encrypt(keys, TEXT)).toString('hex', 21, 86);
    const first = await publicKeyFor(one);
    expect([await publicKeyFor(other), await publicKeyFor(one)]).toEqual([first, first]);
    now = 24 * 60 * 60_000;
    expect(await publicKeyFor(one)).not.toBe(first);
  });

  test('what is kept of a bulk send to more browsers than are kept serves the next one', async () => {
    const { encrypt } = open({ keptMax: 800 });
    const all = browsers(1_000);
    for (const { keys } of all) await encrypt(keys, TEXT);
    derivations.mockClear();
    const bodies = await Promise.all(all.map(async ({ keys }) => encrypt(keys, TEXT)));
    expect(derivedHere()).toEqual(all.slice(800).map(publicKeyOf));
    expect(all.map((each, index) => decrypted(bodies[index] ?? TEXT, each))).toEqual(
      all.map(() => 'text\x02'),
    );
  });
});

describe('threads that derive keys', () => {
  test('the browsers of a bulk send read what two threads and their owner have encrypted, and a second one', async () => {
    const { encrypt } = open({ threads: 2 });
    const all = browsers(300);
    for (const text of ['one', 'two']) {
      derivations.mockClear();
      const bodies = await Promise.all(all.map(async ({ keys }) => encrypt(keys, Buffer.from(text))));
      // Each thread takes 128 at once, and what is known is derived nowhere.
      expect(derivedHere()).toHaveLength(text === 'one' ? 300 - 2 * 128 : 0);
      const read = all.map((each, index) => decrypted(bodies[index] ?? TEXT, each));
      expect(read).toEqual(all.map(() => `${text}\x02`));
    }
    expect(threads).toHaveLength(2);
  });

  test('a thread makes the body of the RFC', async () => {
    const body = await open({ fixed: FIXED, threads: 1 }).encrypt(RFC.keys, Buffer.from(RFC.text));
    expect(body.toString('base64url')).toBe(RFC.body);
    expect(derivedHere()).toEqual([]);
  });

  test('a thread derives by the key pair of the new day', async () => {
    let now = 0;
    const { encrypt } = open({ now: () => now, threads: 1 });
    for (const day of [0, 1]) {
      now = day * 24 * 60 * 60_000;
      const one = browser();
      derivations.mockClear();
      const body = await encrypt(one.keys, TEXT);
      expect(derivedHere()).toEqual([]);
      expect(decrypted(body, one)).toBe('text\x02');
    }
  });

  test('what a thread owes when it ends is derived by its owner, once each, and so is everything after', async () => {
    const { encrypt } = open({ threads: 1 });
    await encrypt(browser().keys, TEXT);
    const all = browsers(20);
    const encrypting = all.map(async ({ keys }) => encrypt(keys, TEXT));
    await threads[0]?.terminate();
    const bodies = await Promise.all(encrypting);
    expect(derivedHere()).toEqual(all.map(publicKeyOf));
    expect(all.map((each, index) => decrypted(bodies[index] ?? TEXT, each))).toEqual(
      all.map(() => 'text\x02'),
    );
    const later = browser();
    expect(decrypted(await encrypt(later.keys, TEXT), later)).toBe('text\x02');
  });

  test('a thread starts with the first browser, and ends when the encryption is closed', async () => {
    const encryption = open({ threads: 1 });
    expect(threads).toEqual([]);
    await encryption.encrypt(browser().keys, TEXT);
    const ended = new Promise((resolve) => {
      threads[0]?.once('exit', resolve);
    });
    await encryption.close();
    await ended;
  });
});
