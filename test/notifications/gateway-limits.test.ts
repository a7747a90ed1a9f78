import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PushMessage } from '../../src/gateways/gateway.ts';
import type { Payload } from '../../src/gateways/payload.ts';
import { mayBeTooLarge, refuseTooLarge } from '../../src/notifications/gateway-limits.ts';

function messageOf(payload: Payload): PushMessage {
  return {
    notificationId: '0b9c7f1e-52b4-4f0a-9d6f-3f2c51a7f5aa',
    payload,
    priority: 'high',
    timeToLiveSeconds: 60,
    dueAt: new Date('2026-11-21T10:00:00Z'),
  };
}

/** The bytes that each gateway's format adds to an alert's text; see the sizes asserted below. */
const APNS_AROUND_ALERT = Buffer.byteLength(
  '{"aps":{"alert":""},"_nid":"0b9c7f1e-52b4-4f0a-9d6f-3f2c51a7f5aa"}',
);
const FCM_AROUND_ALERT = Buffer.byteLength('alert_nid0b9c7f1e-52b4-4f0a-9d6f-3f2c51a7f5aa');

test('a text that Android draws itself counts twice for FCM: as data and as its notification', () => {
  const android = { icon: 'ic', color: '#aa0000' };
  const id = '0b9c7f1e-52b4-4f0a-9d6f-3f2c51a7f5aa';
  const around =
    `alert_nid${id}` +
    ['body', 'iconic', 'color#aa0000', `tag${id}`].map((field) => `gcm.notification.${field}`).join('');
  const fitting = 'a'.repeat((4_096 - around.length) / 2);
  expect(() => refuseTooLarge({ ...messageOf({ alert: fitting }), android })).not.toThrow();
  expect(() => refuseTooLarge({ ...messageOf({ alert: `${fitting}a` }), android })).toThrow(
    expect.objectContaining({ code: 'payload_too_large', message: expect.stringContaining('for FCM') }),
  );
  expect(() => refuseTooLarge(messageOf({ alert: `${fitting}a` }))).not.toThrow();
});

test.each([
  ['a', 1],
  ['é', 2],
  ['漢', 3],
  ['🔔', 4],
])(
  'a payload of 4,096 bytes in UTF-8 passes, and one more %s is refused with gateway and size',
  (character, bytes) => {
    const room = 4_096 - APNS_AROUND_ALERT;
    const fitting = character.repeat(Math.floor(room / bytes));
    expect(() => refuseTooLarge(messageOf({ alert: fitting }))).not.toThrow();
    expect(() => refuseTooLarge(messageOf({ alert: fitting + character }))).toThrow(
      expect.objectContaining({
        code: 'payload_too_large',
        message: `The compiled payload has ${4_096 - (room % bytes) + bytes} bytes for APNs; at most 4096 are allowed.`,
      }),
    );
  },
);

test('a payload that only FCM would refuse is refused', () => {
  // The collapse key travels as a header to Apple and as data to Google.
  const collapse_key = 'k'.repeat(64);
  const room = 4_096 - FCM_AROUND_ALERT - Buffer.byteLength('collapse_key') - 64;
  const fits = messageOf({ alert: 'a'.repeat(room), collapse_key });
  expect(() => refuseTooLarge(fits)).not.toThrow();
  expect(() => refuseTooLarge(messageOf({ alert: 'a'.repeat(room + 1), collapse_key }))).toThrow(
    'The compiled payload has 4097 bytes for FCM; at most 4096 are allowed.',
  );
});

test('a payload that both would refuse is refused with both sizes', () => {
  expect(() => refuseTooLarge(messageOf({ alert: 'a'.repeat(5_000) }))).toThrow(
    expect.objectContaining({
      message: expect.stringMatching(
        /^The compiled payload has 50\d\d bytes for APNs and 50\d\d bytes for FCM;/,
      ),
      details: [{ path: 'notification.payload' }, { path: 'notification.payload' }].map((detail) =>
        expect.objectContaining(detail),
      ),
    }),
  );
});

test('a payload that is not measured fits both gateways', () => {
  const text = fc.tuple(fc.string({ unit: 'binary', minLength: 1, maxLength: 4 }), fc.nat(1_000));
  const texts = fc.dictionary(
    fc.constantFrom('alert', 'title', 'subtitle', 'sound', 'category', 'collapse_key', 'own'),
    text.map(([unit, times]) => unit.repeat(times)),
    { minKeys: 1 },
  );
  const flags = fc.constantFrom(
    {},
    { badge: 2_147_483_647, content_available: true, mutable_content: true },
    { interruption_level: 'time-sensitive', relevance_score: 0.57, nested: [{ a: '"\\"' }] },
  );
  fc.assert(
    fc.property(texts, flags, (known, more) => {
      const message = messageOf({ ...known, ...more });
      fc.pre(!mayBeTooLarge(message, JSON.stringify({ to: '*', payload: message.payload })));
      expect(() => refuseTooLarge(message)).not.toThrow();
    }),
    // One in twenty is small enough not to be measured; a run that finds none of them fails.
    { numRuns: 100, maxSkipsPerRun: 200 },
  );
});

test('a payload is measured from 3,597 bytes on, and always if Android draws the push', () => {
  const message = messageOf({ alert: 'Hi' });
  expect(mayBeTooLarge(message, 'a'.repeat(3_596))).toBe(false);
  expect(mayBeTooLarge(message, 'a'.repeat(3_597))).toBe(true);
  expect(mayBeTooLarge({ ...message, android: { icon: null, color: null } }, '{}')).toBe(true);
});
