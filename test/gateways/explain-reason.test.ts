import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { outcomeKinds } from '../../src/delivery/outcomes/packed.ts';
import { explainReason } from '../../src/gateways/explain-reason.ts';

const unknown = explainReason('rejected', 'NewWord');

test('every word of a gateway in docs/payload.md is explained', () => {
  const page = readFileSync('docs/payload.md', 'utf8');
  const table = page.slice(page.indexOf('| outcome | Apple | Google |'), page.indexOf('- **Unregistered.**'));
  const words = [...table.matchAll(/`([A-Z]\w+)`/g)].map(([, word = '']) => word);
  expect(words.length).toBeGreaterThan(12);
  expect(words.filter((word) => explainReason('rejected', word) === unknown)).toEqual([]);
});

test.each([
  ['rejected', 'expired', /time to live/],
  ['rejected', 'no_credentials', /has no credentials/],
  ['ambiguous', 'answer_timeout', /^No answer came in time\. The push had been written before/],
  ['rejected', 'connection_failed', /^The connection failed\. This lasted until/],
  ['rejected', 'HTTP 502', /proxy/],
  ['rejected', 'no apns_sandbox credentials', /^No apns_sandbox credentials\.$/],
  ['rejected', 'toString', /does not know it/],
  ['unregistered', 'Unregistered', /app was removed/],
  ['unregistered', 'INVALID_ARGUMENT', /malformed/],
  ['rejected', 'INVALID_ARGUMENT', /payload/],
  ['unregistered', 'NOT_FOUND', /was retired/],
  ['rejected', 'NOT_FOUND', /no such project.* token was kept/],
  ['rejected', 'BadEnvironmentKeyInToken', /other environment/],
  ['rejected', 'BadEnvironmentKeyIdInToken', /other environment/],
] as const)('the outcome %s with the reason %s is explained', (outcome, reason, explanation) => {
  expect(explainReason(outcome, reason)).toMatch(explanation);
});

test.each(outcomeKinds)('the outcome %s without a reason is explained in a sentence', (outcome) => {
  expect(explainReason(outcome, null)).toMatch(/^[A-Z].+\.$/);
});
