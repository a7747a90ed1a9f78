import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ApiError } from '../../src/api/errors.ts';
import type { PushMessage } from '../../src/gateways/gateway.ts';
import { parseJson, stringifyJson } from '../../src/json/lossless.ts';
import { messageFrom, parseContent, sendingRulesFrom } from '../../src/notifications/message.ts';
import { parseRequest } from '../../src/notifications/request.ts';

const NOW = new Date('2026-11-21T10:00:00.000Z');
const AUDIENCE_ID = '0b9c7f1e-52b4-4f0a-9d6f-3f2c51a7f5aa';
const ROW = { id: AUDIENCE_ID, due_at: NOW };

function parse(text: string): ReturnType<typeof parseRequest> {
  return parseRequest(parseJson(text), NOW);
}

function withKeys(keys: string): string {
  return `{"notification":{"to":"*","payload":{"alert":"Hi"}${keys === '' ? '' : `,${keys}`}}}`;
}

function withTarget(to: string): string {
  return `{"notification":{"to":${to},"payload":{"alert":"Hi"}}}`;
}

function faultPaths(text: string): string[] {
  try {
    parse(text);
  } catch (error) {
    if (error instanceof ApiError && error.code === 'invalid_request') {
      return error.details.map((fault) => fault.path);
    }
    throw error;
  }
  return [];
}

describe('targets', () => {
  test.each([
    ['"*"', { kind: 'everyone' }],
    [`"${AUDIENCE_ID}"`, { kind: 'stored', audienceId: AUDIENCE_ID }],
    [`{"audience":"${AUDIENCE_ID}"}`, { kind: 'stored', audienceId: AUDIENCE_ID }],
    ['[{"name":"tags","criteria":["a"]}]', { kind: 'on_the_fly', filters: [{ name: 'tags' }] }],
    ['{"device_id":"any text"}', { kind: 'device_id', id: 'any text' }],
    ['{"user_id":"user-17"}', { kind: 'user_id', id: 'user-17' }],
    [
      '[{"name":"development","criteria":[true]}]',
      { kind: 'on_the_fly', filters: [{ name: 'development' }] },
    ],
  ])('a target may be %s', (to, target) => {
    expect(parse(withTarget(to)).target).toMatchObject(target);
  });

  test.each([
    ['null', 'notification.to'],
    ['5', 'notification.to'],
    ['true', 'notification.to'],
    ['12345678901234567890', 'notification.to'],
    ['[]', 'notification.to'],
    ['{}', 'notification.to'],
    ['{"device_id":"a","user_id":"b"}', 'notification.to'],
    ['{"device_id":5}', 'notification.to.device_id'],
    ['{"user_id":null}', 'notification.to.user_id'],
    ['{"user_id":"a","x":1}', 'notification.to.x'],
    ['{"audience":5}', 'notification.to.audience'],
    ['{"audience":null}', 'notification.to.audience'],
    [`{"audience":"${AUDIENCE_ID}","x":1}`, 'notification.to.x'],
    ['["*"]', 'notification.to[0]'],
    ['[{"name":"tags","criteria":[]}]', 'notification.to[0].criteria'],
    ['[{"name":"tags","criteria":["a"]},{"name":"tags","criteria":[1]}]', 'notification.to[1].criteria[0]'],
  ])('a target is never %s', (to, path) => {
    expect(faultPaths(withTarget(to))).toEqual([path]);
  });
});

describe('deliver_at', () => {
  test.each([
    ['2026-11-21T11:00:00Z', '2026-11-21T11:00:00.000Z'],
    ['2026-11-21T11:00:00.123+02:00', '2026-11-21T09:00:00.123Z'],
    ['2026-11-22T11:00:00', '2026-11-22T11:00:00.000Z'],
    ['2026-11-25', '2026-11-25T00:00:00.000Z'],
    ['2026-12-21T10:00:00.000Z', '2026-12-21T10:00:00.000Z'],
    ['2020-01-01T00:00:00Z', '2020-01-01T00:00:00.000Z'],
  ])('the deliver_at %s is %s', (written, moment) => {
    expect(parse(withKeys(`"deliver_at":"${written}"`)).deliverAt).toEqual(new Date(moment));
  });

  test.each([
    '"2026-12-21T10:00:00.001Z"',
    '"2027-11-21T10:00:00Z"',
    '"2026-02-30T10:00:00Z"',
    '"tomorrow"',
    '"now+1h"',
    '""',
    'null',
    '1795255200',
    '12345678901234567890',
    '{}',
  ])('the deliver_at of a request is never %s', (written) => {
    expect(faultPaths(withKeys(`"deliver_at":${written}`))).toEqual(['notification.deliver_at']);
  });

  test('the deliver_at is checked in a dry run too, which does not wait for it', () => {
    const inAnHour = '"dry_run":true,"deliver_at":"2026-11-21T11:00:00Z"';
    expect(parse(withKeys(inAnHour)).deliverAt).toBeNull();
    expect(faultPaths(withKeys('"dry_run":true,"deliver_at":"2027-11-21T10:00:00Z"'))).toEqual([
      'notification.deliver_at',
    ]);
  });

  test('the deliver_at is null if it is left out', () => {
    expect(parse(withKeys('')).deliverAt).toBeNull();
  });
});

test.each([
  '"time_to_live":0',
  '"time_to_live":2419200',
  '"time_to_live":60.0',
  '"priority":"high"',
  '"priority":"normal"',
  '"android_presentation":"system"',
  '"dry_run":true,"max_recipients":1',
  '"max_recipients":9007199254740991',
])('a request may have %s', (keys) => {
  expect(faultPaths(withKeys(keys))).toEqual([]);
});

describe('refused requests', () => {
  test.each([
    ['"time_to_live":-1', 'time_to_live'],
    ['"time_to_live":2419201', 'time_to_live'],
    ['"time_to_live":1.5', 'time_to_live'],
    ['"time_to_live":"60"', 'time_to_live'],
    ['"time_to_live":null', 'time_to_live'],
    ['"priority":"low"', 'priority'],
    ['"priority":10', 'priority'],
    ['"android_presentation":"both"', 'android_presentation'],
    ['"dry_run":"true"', 'dry_run'],
    ['"max_recipients":0', 'max_recipients'],
    ['"max_recipients":1.5', 'max_recipients'],
    ['"max_recipients":12345678901234567890', 'max_recipients'],
    ['"ttl":1', 'ttl'],
    ['"constructor":1', 'constructor'],
  ])('a request with %s is refused', (keys, key) => {
    expect(faultPaths(withKeys(keys))).toEqual([`notification.${key}`]);
  });

  test.each([
    ['null', ['']],
    ['[]', ['']],
    ['"*"', ['']],
    ['5', ['']],
    ['12345678901234567890', ['']],
    ['{}', ['notification']],
    ['{"notification":null}', ['notification']],
    ['{"notification":[]}', ['notification']],
    ['{"notification":12345678901234567890}', ['notification']],
    ['{"notification":"x","more":1}', ['notification', 'more']],
    ['{"notification":{}}', ['notification.to', 'notification.payload']],
    ['{"to":"*","payload":{"alert":"Hi"}}', ['notification', 'to', 'payload']],
  ])('a request with the body %s is refused', (text, paths) => {
    expect(faultPaths(text)).toEqual(paths);
  });

  test('a request is refused for every fault of the whole body at once', () => {
    const text =
      '{"more":1,"notification":{"to":[{"name":"nope","criteria":["x"]}],"payload":{"badge":-1,"from":1},"deliver_at":"soon","priority":1,"x":2}}';
    expect(faultPaths(text).sort()).toEqual([
      'more',
      'notification.deliver_at',
      'notification.payload.badge',
      'notification.payload.from',
      'notification.priority',
      'notification.to[0].name',
      'notification.x',
    ]);
  });
});

test('a body of a mebibyte full of faults is refused with the first hundred', () => {
  const keys = Array.from({ length: 65_000 }, (_, index) => `"google${index.toString(36)}":1`).join();
  const body = `{"notification":{"to":"*","payload":{${keys}}}}`;
  expect(faultPaths(body)).toHaveLength(100);
  expect(faultPaths(`{"notification":{${keys}}}`)).toHaveLength(100);
});

test('any JSON is either a request or one error with faults', () => {
  const keys = ['to', 'payload', 'deliver_at', 'time_to_live', 'priority', 'dry_run', 'max_recipients', 'x'];
  const notification = fc.dictionary(fc.constantFrom(...keys), fc.jsonValue());
  const body = fc.oneof(fc.jsonValue(), fc.record({ notification }), notification);
  fc.assert(
    fc.property(body, (value) => {
      try {
        expect(parseRequest(value, NOW).notification).toBeDefined();
      } catch (error) {
        expect(error).toMatchObject({ code: 'invalid_request', status: 422 });
        expect(error).toHaveProperty('details[0].message');
      }
    }),
    { numRuns: 500 },
  );
});

test.each([
  ['{"alert":"Hi","relevance_score":0.50}', ''],
  ['{"b":1e3,"a":[12345678901234567890,0.1234567890123456789,-0],"10":1,"2":null}', ''],
  ['{"x":{"y":"\\u00e9"}}', ',"priority":"normal","time_to_live":0'],
  ['{"x":1}', ',"dry_run":true,"max_recipients":7,"deliver_at":"2026-11-21T11:00:00Z"'],
])('a request with payload %s%s makes the same message as its stored text', (payload, keys) => {
  const { content, notification } = parse(`{"notification":{"to":"*","payload":${payload}${keys}}}`);
  const stored = parseContent(stringifyJson(notification));
  expect(stringifyJson(messageFrom(ROW, content))).toBe(stringifyJson(messageFrom(ROW, stored)));
  expect(sendingRulesFrom(content)).toEqual(sendingRulesFrom(stored));
});

function messageOf(body: string): PushMessage {
  return messageFrom(ROW, parseContent(body));
}

test('a message has the id, the payload, the due time and the options of the request', () => {
  expect(
    messageOf('{"to":"*","payload":{"alert":"Hi","badge":2,"x":[1]},"priority":"normal","time_to_live":60}'),
  ).toEqual({
    notificationId: AUDIENCE_ID,
    payload: { alert: 'Hi', badge: 2, x: [1] },
    priority: 'normal',
    timeToLiveSeconds: 60,
    dueAt: NOW,
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
