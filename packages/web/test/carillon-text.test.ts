/** The script of the browser, run in Node: it opens what a stranger (jose) has encrypted, and nothing else. */
import { readFileSync } from 'node:fs';
import { runInThisContext } from 'node:vm';
import { CompactEncrypt, importJWK, type JWK } from 'jose';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

interface CarillonText {
  publicKey: () => Promise<JWK>;
  open: (message: unknown) => Promise<unknown>;
  deriveKey: (privateKey: unknown, header: object, enc: string, bits: number) => Promise<Uint8Array>;
}

const source = readFileSync(new URL('../src/carillon-text.js', import.meta.url), 'utf8');
const script = z
  .custom<(self: object, indexedDB: object) => void>((value) => typeof value === 'function')
  .parse(runInThisContext(`(function (self, indexedDB) {${source}\n})`));

/** A request of IndexedDB that succeeds. */
const request = (result: () => unknown) => {
  const made: { result?: unknown; onsuccess?: () => void } = {};
  setImmediate(() => {
    made.result = result();
    made.onsuccess?.();
  });
  return made;
};

/** As much of IndexedDB as the script uses: one store, whose requests succeed and whose transactions then complete. */
function storeOf(values: Map<string, unknown>) {
  const transaction = () => {
    const made: { oncomplete?: () => void; objectStore: () => object } = {
      objectStore: () => ({
        get: (key: string) => request(() => values.get(key)),
        put: (value: unknown, key: string) => values.set(key, value),
      }),
    };
    setImmediate(() => setImmediate(() => made.oncomplete?.()));
    return made;
  };
  const database = { transaction, createObjectStore: () => undefined, close: () => undefined };
  return { open: () => request(() => database) };
}

/** A browser that has loaded the script. @param kept what its IndexedDB holds */
function browser(kept = new Map<string, unknown>()): CarillonText {
  const self: { carillonText?: CarillonText } = {};
  script(self, storeOf(kept));
  if (self.carillonText === undefined) throw new Error('the script has set nothing');
  return self.carillonText;
}

async function encrypt(key: JWK, texts: unknown, header: object = {}): Promise<string> {
  return new CompactEncrypt(Buffer.from(JSON.stringify(texts)))
    .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A256GCM', ...header })
    .encrypt(await importJWK(key, 'ECDH-ES'));
}

const pushWith = (jwe: unknown) => ({
  web_push: 8030,
  mutable: true,
  notification: { title: 'Messages', body: 'A new message', tag: 'n', data: { order: 7, _jwe: jwe } },
  _nid: 'n',
});

/** The JWE with another first character in one of its parts. */
const changed = (jwe: string, index: number) => {
  const parts = jwe.split('.');
  const part = parts[index] ?? '';
  parts[index] = (part.startsWith('A') ? 'B' : 'A') + part.slice(1);
  return parts.join('.');
};
describe('the script for encrypted texts', () => {
  test('a text that jose has encrypted for its public key replaces the fallback', async () => {
    const { publicKey, open } = browser();
    const jwe = await encrypt(await publicKey(), { title: 'Anna', alert: 'Zwölf Uhr ☕', room: 4 });
    expect(await open(pushWith(jwe))).toEqual({
      web_push: 8030,
      mutable: true,
      notification: { title: 'Anna', body: 'Zwölf Uhr ☕', tag: 'n', data: { order: 7, room: 4 } },
      _nid: 'n',
    });
  });

  test('an alert alone becomes the title, as in a push that is not encrypted', async () => {
    const { publicKey, open } = browser();
    const jwe = await encrypt(await publicKey(), { alert: 'Noon' }, { apu: 'QWxpY2U', apv: 'Qm9i' });
    expect(await open(pushWith(jwe))).toMatchObject({ notification: { title: 'Noon', body: undefined } });
  });

  test('the pair outlives the page, its private key cannot be exported, and the public key has no private part', async () => {
    const kept = new Map<string, unknown>();
    const first = await browser(kept).publicKey();
    expect(await browser(kept).publicKey()).toEqual(first);
    expect(Object.keys(first)).toEqual(['kty', 'crv', 'x', 'y']);
    expect(kept.get('pair')).toMatchObject({ privateKey: { extractable: false } });
    const jwe = await encrypt(first, { title: 'Later' });
    expect(await browser(kept).open(pushWith(jwe))).toMatchObject({ notification: { title: 'Later' } });
  });

  test('a page and a worker that make the pair at the same time keep the same one', async () => {
    const kept = new Map<string, unknown>();
    const [page, worker] = await Promise.all([browser(kept).publicKey(), browser(kept).publicKey()]);
    expect(page).toEqual(worker);
  });

  test.each<[string, (jwe: string, other: string) => unknown]>([
    ['text for another key', (_jwe, other) => other],
    ['changed initialization vector', (jwe) => changed(jwe, 2)],
    ['changed ciphertext', (jwe) => changed(jwe, 3)],
    ['changed tag', (jwe) => changed(jwe, 4)],
    ['changed header', (jwe) => changed(jwe, 0)],
    ['missing tag', (jwe) => jwe.slice(0, jwe.lastIndexOf('.'))],
    ['value that is no JWE', () => 'x'],
    ['number', () => 7],
  ])('a %s leaves the fallback as it is', async (_name, make) => {
    const [own, stranger] = [browser(), browser()];
    const jwe = await encrypt(await own.publicKey(), { title: 'Anna' });
    const other = await encrypt(await stranger.publicKey(), { title: 'Eve' });
    const push = pushWith(make(jwe, other));
    expect(await own.open(push)).toBe(push);
  });

  test.each([[{}], [{ notification: { title: 'Plain', data: {} } }], [null], ['text']])(
    'a push without an encrypted text, %j, comes back as it is',
    async (message) => {
      expect(await browser().open(message)).toBe(message);
    },
  );

  test('the derived key is that of RFC 7518, appendix C', async () => {
    // Bob's key, and the header that Alice sends.
    const bob = {
      kty: 'EC',
      crv: 'P-256',
      x: 'weNJy2HscCSM6AEDTDg04biOvhFhyyWvOHQfeF_PxMQ',
      y: 'e8lnCO-AlStT-NJVX-crhB7QRYhiix03illJOVAOyck',
      d: 'VEmDZpDXXK8p8N0Cndsxs924q6nS1RXFASRl6BfUqdw',
    };
    const epk = {
      kty: 'EC',
      crv: 'P-256',
      x: 'gI0GAILBdu7T53akrFmMyGcsF3n5dO7MmwNBHKW5SV0',
      y: 'SLW_xSffzlPWrHEVI30DHM_4egVwt3NQqeUD7nMFpps',
    };
    const privateKey = await crypto.subtle.importKey(
      'jwk',
      bob,
      { name: 'ECDH', namedCurve: 'P-256' },
      false,
      ['deriveBits'],
    );
    const header = { epk, apu: 'QWxpY2U', apv: 'Qm9i' };
    const key = await browser().deriveKey(privateKey, header, 'A128GCM', 128);
    expect(Buffer.from(key).toString('base64url')).toBe('VqqN6vgjbSBcIijNcacQGg');
  });
});
