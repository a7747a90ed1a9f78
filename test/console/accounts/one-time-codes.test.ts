import { Secret } from 'otpauth';
import { describe, expect, test } from 'vitest';
import {
  hashOfRecoveryCode,
  newRecoveryCodes,
  newSecretOfCodes,
  stepOfCode,
} from '../../../src/console/accounts/second-factor.ts';

const SECRET = Secret.fromLatin1('12345678901234567890').base32;
const at = (seconds: number): Date => new Date(seconds * 1_000);

describe('codes of an authenticator app', () => {
  test.each([
    // RFC 4226, appendix D
    ...[755224, 287082, 359152, 969429, 338314, 254676, 287922, 162583, 399871, 520489].map(
      (code, step): [number, string] => [step * 30, String(code)],
    ),
    // RFC 6238, appendix B: the last six of eight digits
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ] as [number, string][])('the code of second %i is that of the RFC, %s', (seconds, code) => {
    expect(stepOfCode(SECRET, code, at(seconds))).toBe(Math.floor(seconds / 30));
  });

  test('a code counts for its own step and one on either side, since clocks of phones differ', () => {
    const steps = [0, 29, 30, 59, 60, 89, 90, 119, 120].map((s) => [s, stepOfCode(SECRET, '359152', at(s))]);
    expect(steps.filter(([, step]) => step !== undefined)).toEqual([
      [30, 2],
      [59, 2],
      [60, 2],
      [89, 2],
      [90, 2],
      [119, 2],
    ]);
  });
});

test('secrets and recovery codes are random, with 160 and 128 bits', () => {
  const secrets = Array.from({ length: 100 }, newSecretOfCodes);
  const codes = Array.from({ length: 10 }, () => newRecoveryCodes().codes).flat();
  expect([new Set(secrets).size, new Set(codes).size]).toEqual([100, 100]);
  for (const secret of secrets) expect(Secret.fromBase32(secret).bytes).toHaveLength(20);
  for (const code of codes) expect(code).toMatch(/^(?:[0-9a-f]{4}-){7}[0-9a-f]{4}$/);
});

test('a recovery code is the same however it is typed, and so is one of an earlier release', () => {
  const {
    codes: [code = ''],
    hashes,
  } = newRecoveryCodes();
  for (const typed of [code, code.toUpperCase(), code.replaceAll('-', ' ')])
    expect(hashOfRecoveryCode(typed)).toEqual(hashes[0]);
  expect(hashOfRecoveryCode('0123-4567-89AB-CDEF')).toEqual(hashOfRecoveryCode('0123456789abcdef'));
});
