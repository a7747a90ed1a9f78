import { expect, test } from 'vitest';
import { newPassword, openPasswords } from '../../../src/console/accounts/passwords.ts';
import { judge } from '../../../src/api/parse.ts';

const passwords = openPasswords();
const unlimited = { refuse: () => undefined, countWrong: () => undefined };
const matches = async (password: string, hash: string | null | undefined) =>
  passwords.matches(password, hash, unlimited);

test('a hash keeps its parameters, has a salt of its own and matches its password alone', async () => {
  const [one, other] = await Promise.all([passwords.hash('a password'), passwords.hash('a password')]);
  expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  expect(other).not.toBe(one);
  expect(await matches('a password', one)).toBe(true);
  expect(await matches('a passwore', one)).toBe(false);
  expect(await matches('', one)).toBe(false);
});

test('a hash of another program, with other parameters, is understood', async () => {
  // By the reference implementation: echo -n password | argon2 somesalt -id -t 2 -k 256 -p 1 -l 32
  const hash = '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4';
  expect(await matches('password', hash)).toBe(true);
  expect(await matches('passwore', hash)).toBe(false);
});

test('the same text matches however its accents are encoded', async () => {
  const hash = await passwords.hash('caf\u00e9 caf\u00e9 caf\u00e9');
  expect(await matches('cafe\u0301 cafe\u0301 cafe\u0301', hash)).toBe(true);
});

test.each([null, undefined, '', 'plain', '$2b$10$abcdefghijklmnopqrstuv'])(
  'nothing matches the hash %j, and a password is hashed all the same',
  async (hash) => {
    const startedMs = performance.now();
    expect(await matches('wrong', hash)).toBe(false);
    // Two passes over 19 MiB take tens of milliseconds on any machine, and everything else less than one.
    expect(performance.now() - startedMs).toBeGreaterThan(5);
  },
);

test('a flood of passwords is refused instead of filling the memory', async () => {
  const flood = await Promise.allSettled(Array.from({ length: 60 }, async () => matches('wrong', null)));
  const refused = flood.filter(({ status }) => status === 'rejected');
  expect(refused).toHaveLength(60 - 34);
  expect(refused[0]).toMatchObject({ reason: { code: 'rate_limited', retryAfterSeconds: 2 } });
  expect(await matches('wrong', null)).toBe(false);
});

test.each([
  ['12 characters', 'abcdefghijkl', true],
  ['11 characters', 'abcdefghijk', false],
  ['a sentence with spaces', 'no rule about kinds of characters', true],
  ['256 characters', 'x'.repeat(256), true],
  ['257 characters', 'x'.repeat(257), false],
])('a new password is judged by its length alone: %s', (_what, password, isAccepted) => {
  expect(judge(newPassword, password).success).toBe(isAccepted);
});
