import { describe, expect, test } from 'vitest';
import type { PushMessage } from '../../src/gateways/gateway.ts';
import { messageFrom, parseContent, sendingRulesFrom } from '../../src/notifications/message.ts';

const ID = '0b9c7f1e-52b4-4f0a-9d6f-3f2c51a7f5aa';
const DUE_AT = new Date('2026-11-21T10:00:00Z');
const ROW = { id: ID, due_at: DUE_AT };

function messageOf(body: string): PushMessage {
  return messageFrom(ROW, parseContent(body));
}

test('a message has the id, the payload, the due time and the options of the request', () => {
  expect(
    messageOf('{"to":"*","payload":{"alert":"Hi","badge":2,"x":[1]},"priority":"normal","time_to_live":60}'),
  ).toEqual({
    notificationId: ID,
    payload: { alert: 'Hi', badge: 2, x: [1] },
    priority: 'normal',
    timeToLiveSeconds: 60,
    dueAt: DUE_AT,
  });
});

describe('by default', () => {
  test.each([
    ['{"alert":"Hi"}', 'high'],
    ['{"title":"Hi"}', 'high'],
    ['{"alert":"Hi","content_available":true}', 'high'],
    ['{"content_available":true}', 'normal'],
    ['{"badge":1}', 'normal'],
    ['{"x":1}', 'normal'],
  ])('the priority of %s is %s by default', (payload, priority) => {
    expect(messageOf(`{"to":"*","payload":${payload}}`).priority).toBe(priority);
  });

  test('a notification is sent by default, to any number of devices', () => {
    expect(sendingRulesFrom(parseContent('{"to":"*","payload":{"x":1}}'))).toEqual({
      dryRun: false,
      group: null,
      ignoresOwnHours: false,
      maxRecipients: null,
    });
  });
});

test.each<[inApp: 'data' | 'system', inNotification: string, drawnBy: string]>([
  ['data', '', 'the app'],
  ['system', '', 'Android'],
  ['system', ',"android_presentation":"data"', 'the app'],
  ['data', ',"android_presentation":"system"', 'Android'],
])(
  'an app with %s and a notification with "%s" have their push drawn by %s',
  (presentation, said, drawnBy) => {
    const content = parseContent(`{"to":"*","payload":{"alert":"Hi"}${said}}`);
    const message = messageFrom(ROW, content, { presentation, icon: 'ic_push', color: null });
    expect(message.android).toEqual(drawnBy === 'Android' ? { icon: 'ic_push', color: null } : undefined);
  },
);
