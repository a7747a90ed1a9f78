import { createSecretKey, randomBytes } from 'node:crypto';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { seal, type SecretKey, unseal } from '../../src/apps/seal.ts';

const secret = newSecret();
const context = { appId: '8d3b3f0e-7f3c-4a52-9a3e-0d8d1a1d7f00', kind: 'apns' };

test('unseal gives back any text that was sealed', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      expect(unseal(secret, seal(secret, text, context), context)).toBe(text);
    }),
  );
});

test.each([
  ['another key', newSecret(), context],
  ['two other keys', { current: newSecret().current, previous: newSecret().current }, context],
  ['another app', secret, { ...context, appId: 'b6e5c0de-0000-4000-8000-000000000000' }],
  ['another kind', secret, { ...context, kind: 'fcm' }],
])('unseal refuses %s with a plain sentence', (_what, key, otherContext) => {
  const sealed = seal(secret, 'private', context);
  expect(() => unseal(key, sealed, otherContext)).toThrow(/cannot be decrypted with this SECRET_KEY/);
});

test('unseal refuses a sealed text with any bit turned, or cut anywhere', () => {
  const sealed = seal(secret, 'private', context);
  fc.assert(
    fc.property(fc.nat(sealed.length * 8 - 1), (bit) => {
      const altered = Buffer.from(sealed);
      altered[bit >> 3] = (altered[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(() => unseal(secret, altered, context)).toThrow(/sealed apns credentials/);
    }),
  );
  for (let length = 0; length < sealed.length; length++) {
    expect(() => unseal(secret, sealed.subarray(0, length), context)).toThrow(/sealed apns credentials/);
  }
});

test('the same text is sealed differently each time, and never in the clear', () => {
  const [first, second] = [seal(secret, 'private', context), seal(secret, 'private', context)];
  expect(first.equals(second)).toBe(false);
  expect(first.includes('private')).toBe(false);
});

test('the previous key still decrypts, and only the current key encrypts', () => {
  const next = { current: newSecret().current, previous: secret.current };
  expect(unseal(next, seal(secret, 'private', context), context)).toBe('private');
  const resealed = seal(next, 'private', context);
  expect(unseal({ current: next.current }, resealed, context)).toBe('private');
  expect(() => unseal(secret, resealed, context)).toThrow(/cannot be decrypted with this SECRET_KEY/);
});

function newSecret(): SecretKey {
  return { current: createSecretKey(randomBytes(32)) };
}
