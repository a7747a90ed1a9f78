import { expect, test } from 'vitest';
import { readableReason, reasonSentence, statusReason } from '../../src/gateways/reason.ts';

test('a code of ours is shown as its sentence', () => {
  expect(readableReason('expired')).toBe('the time to live was over before the push could be sent');
  expect(readableReason('no_free_stream')).toBe(reasonSentence('no_free_stream'));
  expect(reasonSentence('no_free_stream')).toMatch(/ /);
});

test.each([
  ['BadDeviceToken'],
  ['UNREGISTERED'],
  [statusReason(502)],
  ['no apns_sandbox credentials'], // stored before reasons were codes
  ['toString'],
])('the reason %s is shown as it is', (reason) => {
  expect(readableReason(reason)).toBe(reason);
});
