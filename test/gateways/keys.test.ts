import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { openProviderToken, type ProviderToken } from '../../src/gateways/apns/provider-token.ts';

const minuteMs = 60_000;
const { privateKey } = generateKeyPairSync('ec', {
  namedCurve: 'prime256v1',
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});
const credentials = { keyId: 'KEY1234567', teamId: 'TEAM123456', privateKey };

function read(part: string): unknown {
  return JSON.parse(Buffer.from(part, 'base64url').toString());
}

describe('the provider token', () => {
  const start = Date.parse('2026-11-21T10:05:00.500Z');

  function open() {
    const time = { ms: start };
    return { token: openProviderToken(credentials, () => new Date(time.ms)), time };
  }

  test('the provider token is an ES256 JWT that the public key verifies', () => {
    const { token } = open();
    const [header = '', claims = '', signature = ''] = token.current().split('.');
    expect(read(header)).toEqual({ alg: 'ES256', kid: 'KEY1234567' });
    expect(read(claims)).toEqual({ iss: 'TEAM123456', iat: expect.any(Number) });
    const key = { key: createPublicKey(privateKey), dsaEncoding: 'ieee-p1363' as const };
    const signed = Buffer.from(`${header}.${claims}`);
    expect(verify('sha256', signed, key, Buffer.from(signature, 'base64url'))).toBe(true);
  });

  test.each([0, 7, 25, 29])(
    'a provider token first used in minute %i of a slot lasts at least 20 minutes, issued 1 to 51 minutes ago',
    (minutes) => {
      const { token, time } = open();
      const from = start + minutes * minuteMs;
      time.ms = from;
      let last = token.current();
      let changedAt = from;
      let changes = 0;
      for (; time.ms < from + 600 * minuteMs; time.ms += minuteMs) {
        const next = token.current();
        if (next !== last) {
          expect(time.ms - changedAt).toBeGreaterThanOrEqual(20 * minuteMs);
          [last, changedAt] = [next, time.ms];
          changes++;
        }
        const { iat } = z.object({ iat: z.number() }).parse(read(next.split('.')[1] ?? ''));
        expect(time.ms / 1000 - iat).toBeGreaterThanOrEqual(60);
        expect(time.ms / 1000 - iat).toBeLessThanOrEqual(51 * 60);
      }
      expect(changes).toBeGreaterThanOrEqual(18);
    },
  );

  test('the provider token is the same for every worker and every app of the team, after a restart too', () => {
    const first = open();
    for (let minute = 0; minute < 120; minute++) {
      const later = open();
      later.time.ms = first.time.ms += minuteMs;
      expect(later.token.current()).toBe(first.token.current());
    }
  });

  test('the provider token is minted again once when Apple calls it expired, then not for 20 minutes', () => {
    const { token, time } = open();
    const first = token.current();
    time.ms += minuteMs;
    expect(token.refused(first, 'ExpiredProviderToken')).toBe(true);
    const second = token.current();
    expect(second).not.toBe(first);

    expect(token.refused(first, 'ExpiredProviderToken')).toBe(true); // a late answer to the first: nothing is minted for it
    expect(token.current()).toBe(second);

    time.ms += 19 * minuteMs;
    expect(token.refused(second, 'ExpiredProviderToken')).toBe(false);
    expect(token.current()).toBe(second);
    time.ms += minuteMs;
    expect(token.refused(second, 'ExpiredProviderToken')).toBe(true);
    expect(token.current()).not.toBe(second);
  });

  test('a provider token of a clock that was ahead is not used after it is set back, and a new one is minted', () => {
    const { token, time } = open();
    const right = token.current();
    time.ms += 2 * 3_600_000;
    const ahead = token.current();
    expect(ahead).not.toBe(right);
    expect(token.refused(ahead, 'ExpiredProviderToken')).toBe(true);
    const replaced = token.current();
    time.ms -= 2 * 3_600_000;
    expect(token.current()).toBe(right);
    expect(token.refused(right, 'ExpiredProviderToken')).toBe(true);
    expect([right, ahead, replaced]).not.toContain(token.current());
  });
});

/** Apple, which refuses tokens after an hour and takes one new token of a team in twenty minutes. */
function openApple(time: { ms: number }, behindMinutes: number) {
  const known = new Set<string>();
  let lastMs = -Infinity;
  return (bearer: string): string | undefined => {
    const { iat } = z.object({ iat: z.number() }).parse(read(bearer.split('.')[1] ?? ''));
    if (time.ms + behindMinutes * minuteMs - iat * 1000 > 60 * minuteMs) return 'ExpiredProviderToken';
    if (known.has(bearer)) return undefined;
    if (time.ms - lastMs < 20 * minuteMs) return 'TooManyProviderTokenUpdates';
    known.add(bearer);
    lastMs = time.ms;
    return undefined;
  };
}

/** @returns the refusals of one push: 2 if it is to be tried later */
function refusalsOf(token: ProviderToken, judge: ReturnType<typeof openApple>): 0 | 1 | 2 {
  const bearer = token.current();
  const reason = judge(bearer);
  if (reason === undefined) return 0;
  return token.refused(bearer, reason) && judge(token.current()) === undefined ? 1 : 2;
}

/**
 * Pushes of each process, every ten seconds, for two hours.
 * @returns when one was refused twice, in minutes since the start
 */
function sendFor(behindMinutes: number, startMinute: number): number[] {
  const start = Date.parse('2026-11-21T10:00:00Z') + startMinute * minuteMs;
  const time = { ms: start };
  const judge = openApple(time, behindMinutes);
  const processes = [0, 1, 2].map((place) => ({
    token: openProviderToken(credentials, () => new Date(time.ms + place * 900)),
    fromMs: start + place * 37 * 1000,
  }));
  const refusedAt: number[] = [];
  for (; time.ms < start + 120 * minuteMs; time.ms += 10_000) {
    for (const { token } of processes.filter(({ fromMs }) => fromMs <= time.ms)) {
      if (refusalsOf(token, judge) === 2) refusedAt.push((time.ms - start) / minuteMs);
    }
  }
  return refusedAt;
}

describe('the provider tokens of three processes whose clock is behind', () => {
  const starts = [1.5, 11, 20, 25, 29];

  test.each([5, 9, 15, 20, 29])(
    'a clock that is %i minutes behind costs no push once the first two tokens are over',
    (behindMinutes) => {
      for (const startMinute of starts) {
        const late = sendFor(behindMinutes, startMinute).filter((minute) => minute > 40);
        expect({ startMinute, late }).toEqual({ startMinute, late: [] });
      }
    },
  );

  test('a clock that is 35 minutes behind delays fewer than a quarter of the pushes of the second hour', () => {
    for (const startMinute of starts) {
      const refused = sendFor(35, startMinute).filter((minute) => minute >= 60).length;
      expect({ startMinute, isFew: refused < 270 }).toEqual({ startMinute, isFew: true });
    }
  });
});

describe('the provider tokens of two processes around the change of slots', () => {
  const TOO_MANY = 'TooManyProviderTokenUpdates';
  const change = Date.parse('2026-11-21T10:31:00Z');

  /** Two processes of a team, and Apple, which takes one new token of a team in twenty minutes. */
  function openTeam() {
    const time = { ms: change - 6_000 };
    const open = () => openProviderToken(credentials, () => new Date(time.ms));
    const judge = openApple(time, 0);
    const send = (token: ProviderToken): number => refusalsOf(token, judge);
    return { time, open, send };
  }

  test('a process that starts just after the change goes back to the token that the others keep', () => {
    const { time, open, send } = openTeam();
    const [first, second] = [open(), open()];
    expect(send(first)).toBe(0);
    time.ms = change + 5_000;
    expect(send(second)).toBe(1);
    for (; time.ms < change + 180 * minuteMs; time.ms += 10_000) {
      expect([send(first), send(second)]).toEqual([0, 0]);
    }
  });

  test.each([1, 10, 19])(
    'a process goes back if its first push is %i minutes after the change',
    (minutes) => {
      const { time, open, send } = openTeam();
      const first = open();
      expect(send(first)).toBe(0);
      time.ms = change + minutes * minuteMs;
      const second = open();
      expect([send(first), send(second), send(second)]).toEqual([0, 1, 0]);
    },
  );

  test('a process does not go back a second time, or to a token of another hour', () => {
    const { time, open } = openTeam();
    time.ms = change + minuteMs;
    const token = open();
    const right = token.current();
    expect(token.refused(right, TOO_MANY)).toBe(true);
    const before = token.current();
    expect(token.refused(before, TOO_MANY)).toBe(false);
    expect(token.refused(right, TOO_MANY)).toBe(true); // a late answer to the first
    expect(token.current()).toBe(before);
    time.ms = change + 21 * minuteMs;
    expect(token.current()).toBe(right);
    expect(token.refused(right, TOO_MANY)).toBe(false);
    expect(token.current()).toBe(right);
  });

  test.each(['InvalidProviderToken', 'TooManyRequests', undefined])(
    'a refusal with the reason %s changes no token',
    (reason) => {
      const { open } = openTeam();
      const token = open();
      const before = token.current();
      expect(token.refused(before, reason)).toBe(false);
      expect(token.current()).toBe(before);
    },
  );
});
