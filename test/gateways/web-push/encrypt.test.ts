import { createECDH, randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { openEncryption, TEXT_BYTES_MAX } from '../../../src/gateways/web-push/encrypt.ts';

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

function browser(): string {
  const pair = createECDH('prime256v1');
  return `${pair.generateKeys('base64url')}.${randomBytes(16).toString('base64url')}`;
}

describe('encryption for browsers', () => {
  test('the example of RFC 8291 is encrypted to the body that the RFC has', () => {
    const fixed = {
      privateKey: Buffer.from(RFC.privateKey, 'base64url'),
      salt: Buffer.from(RFC.salt, 'base64url'),
    };
    const body = openEncryption({ now: () => 0, fixed }).encrypt(RFC.keys, Buffer.from(RFC.text));
    expect(body.toString('base64url')).toBe(RFC.body);
  });

  test('two bodies of one text for one browser have different salts, and the longest text fits 4,096 bytes', () => {
    const { encrypt } = openEncryption({ now: () => 0 });
    const keys = browser();
    const bodies = [1, 2].map(() => encrypt(keys, Buffer.alloc(TEXT_BYTES_MAX, 'a')));
    expect(bodies.map(({ length }) => length)).toEqual([4096, 4096]);
    expect(new Set(bodies.map((body) => body.toString('hex', 0, 16)))).toHaveLength(2);
  });

  test('a public key that is not on the curve is refused', () => {
    const offCurve = Buffer.alloc(65, 7);
    offCurve[0] = 4;
    const keys = `${offCurve.toString('base64url')}.${randomBytes(16).toString('base64url')}`;
    expect(() => openEncryption({ now: () => 0 }).encrypt(keys, Buffer.from('text'))).toThrow(/key/i);
  });

  test('a key pair is kept for a day, however few browsers are kept, and then replaced', () => {
    let now = 0;
    const { encrypt } = openEncryption({ now: () => now, keptMax: 1 });
    const [one, other] = [browser(), browser()];
    const publicKeyFor = (keys: string): string => encrypt(keys, Buffer.from('text')).toString('hex', 21, 86);
    const first = publicKeyFor(one);
    expect([publicKeyFor(other), publicKeyFor(one)]).toEqual([first, first]);
    now = 24 * 60 * 60_000;
    expect(publicKeyFor(one)).not.toBe(first);
  });
});
