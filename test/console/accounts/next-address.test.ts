import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { nextAddress } from '../../../src/http/console/oidc.ts';
import { runs } from '../../support/runs.ts';

const CONSOLE = 'https://push.example.com/console/';

test.each([
  'devices',
  'apps/com.example/notifications?state=sent&text=a%2F%2Fb#top',
  'compose?filters=%5B%5D',
])('%s is an address within the console, to which a sign-in leads', (next) => {
  expect(nextAddress(next)).toBe(next);
});

test.each([
  null,
  '',
  '/devices',
  '//evil.example',
  'https://evil.example',
  'javascript:alert(1)',
  'a:b',
  String.raw`a\..\\evil.example`,
  'a//evil.example',
  'a\nb',
  'a\tb',
  'devices\u0000',
  ' devices',
  '../v6/notifications',
])('%j is no address within the console', (next) => {
  expect(nextAddress(next)).toBe('');
});

test('no text makes a browser leave the console’s host, whichever way it is joined', () => {
  const pieces = fc.constantFrom(
    '\t',
    '\n',
    ...String.raw`a / // \ : . .. ? # @ evil.example %2f`.split(' '),
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 8 }), (parts) => {
      const next = nextAddress(parts.join(''));
      expect(new URL(next, CONSOLE).host).toBe('push.example.com');
      expect(new URL(`${CONSOLE}${next}`).host).toBe('push.example.com');
    }),
    { numRuns: runs(2_000) },
  );
});
