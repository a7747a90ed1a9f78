/** What a notification may say for Apple alone, and how each mistake is refused. */
import { describe, expect, test } from 'vitest';
import { ApiError } from '../../src/api/errors.ts';
import { parseJson } from '../../src/json/lossless.ts';
import { messageFrom, parseContent } from '../../src/notifications/message.ts';
import { versionsOf } from '../../src/notifications/content/payload-versions.ts';
import { parseRequest } from '../../src/notifications/request.ts';
import { compileApns } from '../../src/gateways/apns/compile-apns.ts';
import { claimWishOf } from '../../src/notifications/intake/line.ts';

const now = new Date('2026-11-24T18:00:00.900Z');

/** The faults with which it is refused, as path and message; empty if it is accepted. */
function faultsOf(notification: object): string[] {
  try {
    parseRequest(parseJson(JSON.stringify({ notification: { to: '*', ...notification } })), now);
    return [];
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error.details.map(({ path, message }) => `${path.replace('notification.', '')}: ${message}`);
  }
}

function compiled(text: string): { headers: Record<string, string>; body: string } {
  const message = messageFrom(
    { id: '5f0c0c1e-6a52-4c1f-9d2b-0c9a51f2a7a4', due_at: now },
    parseContent(text),
  );
  const { headers, body } = compileApns(message, 'com.example.app');
  const pairs = headers.flatMap((name, index) => (index % 2 === 0 ? [[name, headers[index + 1]]] : []));
  return { headers: Object.fromEntries(pairs), body: body.toString() };
}

const alert = { payload: { alert: 'Hello' } };
const own = { payload: { a: 1 } };
const silent = { payload: { content_available: true } };
const atFive = { 'apns-priority': '5' };
const atTen = { 'apns-priority': '10' };
const update = { event: 'update', activity_id: 'order-4711', content_state: { stops: 1 } };
const start = { event: 'start', attributes_type: 'Order', attributes: {}, content_state: {} };

describe('The key apns', () => {
  test.each<[string, object]>([
    ['a priority of 1', { ...alert, apns: { headers: { 'apns-priority': '1' } } }],
    ['background, which the payload is', { ...silent, apns: { push_type: 'background' } }],
    ['widgets without a payload', { apns: { push_type: 'widgets' } }],
    [
      'the topic that the type demands',
      { apns: { push_type: 'controls', topic_suffix: '.push-type.controls' } },
    ],
    ['a location with and without a payload', { apns: { push_type: 'location' } }],
    ['push to talk', { payload: { speaker: 'Ann' }, apns: { push_type: 'pushtotalk' } }],
  ])('the key apns takes %s', (_what, notification) => {
    expect(faultsOf(notification)).toEqual([]);
  });

  test.each<[object, object, string]>([
    [
      alert,
      { push_type: 'mdm' },
      'push_type: must be one of alert, background, widgets, controls, location, complication, fileprovider, pushtotalk, voip',
    ],
    [
      alert,
      { push_type: 'background' },
      'push_type: needs a payload with content_available true and without alert, title, subtitle, badge and sound',
    ],
    [silent, { push_type: 'alert' }, 'push_type: must be background for a payload that only wakes the app'],
    [silent, { headers: atTen }, 'headers.apns-priority: must be "5" for a background push'],
    [
      own,
      { push_type: 'pushtotalk', headers: atFive },
      'headers.apns-priority: must be "10" for push_type pushtotalk',
    ],
    [
      {},
      { push_type: 'widgets', topic_suffix: '.widgets' },
      'topic_suffix: must be .push-type.widgets for push_type widgets',
    ],
    [alert, { topic_suffix: '.voip' }, 'topic_suffix: must be left out for push_type alert'],
    [alert, { token_name: 'a' }, 'token_name: needs a push_type with tokens of its own, such as widgets'],
    [alert, { headers: { 'apns-topic': 'a' } }, 'headers.apns-topic: is not a known key'],
    [
      alert,
      { headers: { 'apns-expiration': '1795262400000' } },
      'headers.apns-expiration: must be "0" or Unix seconds, as text',
    ],
  ])('next to %j, the key apns %j is refused with what to change', (others, apns, fault) => {
    expect(faultsOf({ ...others, apns })).toEqual([`apns.${fault}`]);
  });

  test.each<[object, string, string]>([
    [{ ...own, priority: 'normal' }, 'pushtotalk', 'priority: must be high for push_type pushtotalk'],
    [alert, 'widgets', 'payload: must be left out for push_type widgets'],
    [{ spread_over: 'PT5M' }, 'widgets', 'spread_over: must be left out for push_type widgets'],
    [{}, 'voip', 'payload: is required'],
  ])('the keys %j next to the push type %s are refused with what to change', (others, type, fault) => {
    expect(faultsOf({ ...others, apns: { push_type: type } })).toEqual([fault]);
  });
});

const FOUR_WEEKS = 1_795_543_200 + 2_419_200;
const HALF_A_DAY = 1_795_543_200 + 43_200;

describe('the default priority and expiration of each push type', () => {
  test.each<[string, object, priority: number, expiration: number]>([
    ['alert', alert, 10, FOUR_WEEKS],
    ['alert without a text', own, 5, FOUR_WEEKS],
    ['background', silent, 5, FOUR_WEEKS],
    ['liveactivity', { live_activity: update }, 5, HALF_A_DAY],
    ['liveactivity with an alert', { live_activity: update, ...alert }, 10, HALF_A_DAY],
    ['location', { apns: { push_type: 'location' } }, 5, FOUR_WEEKS],
    ['widgets', { apns: { push_type: 'widgets' } }, 10, FOUR_WEEKS],
    ['controls', { apns: { push_type: 'controls' } }, 10, FOUR_WEEKS],
    ['complication', { ...own, apns: { push_type: 'complication' } }, 10, FOUR_WEEKS],
    ['fileprovider', { ...own, apns: { push_type: 'fileprovider' } }, 10, FOUR_WEEKS],
    ['voip', { ...own, apns: { push_type: 'voip' } }, 10, 0],
    ['pushtotalk', { ...own, apns: { push_type: 'pushtotalk' } }, 10, 0],
  ])(
    'a push has the priority and expiration that Apple asks for: %s',
    (type, notification, priority, expiration) => {
      const content = { to: '*', ...notification };
      expect(compiled(JSON.stringify(content)).headers).toMatchObject({
        'apns-push-type': type.replace(/ .*/, ''),
        'apns-priority': `${priority}`,
        'apns-expiration': `${expiration}`,
      });
      // Translations and variants have priorities of their own.
      const versions = versionsOf(parseContent(JSON.stringify(content)));
      if (type !== 'background') expect(versions[0].priority).toBe(priority === 10 ? 'high' : 'normal');
    },
  );

  test('the priority and time_to_live of the notification replace the defaults of the push type', () => {
    const call = { ...own, apns: { push_type: 'voip' }, priority: 'normal', time_to_live: 20, to: '*' };
    expect(compiled(JSON.stringify(call)).headers).toMatchObject({
      'apns-priority': '5',
      'apns-expiration': `${1_795_543_200 + 20}`,
    });
  });
});

describe('The key live_activity', () => {
  test.each<[string, object]>([
    ['an update without an alert', { live_activity: update }],
    ['an update with one', { live_activity: update, payload: { title: 'a', loc_key: 'B', sound: 'c' } }],
    [
      'an end without content',
      { live_activity: { event: 'end', activity_id: 'a', dismissal_date: '2026-11-24' } },
    ],
    ['a start that is scheduled', { ...alert, live_activity: start, deliver_at: '2026-11-25' }],
    ['a start for a channel', { ...alert, live_activity: { ...start, input_push_channel: 'dHN0LXNyY2g=' } }],
  ])('the key live_activity takes %s', (_what, notification) => {
    expect(faultsOf(notification)).toEqual([]);
  });

  test.each<[object, string]>([
    [{ event: 'stop' }, 'event: must be start, update or end'],
    [{ event: 'update', activity_id: 'a' }, 'content_state: must be an object'],
    [
      { ...update, content_state: JSON.rawJSON('1.000000000000000000001') },
      'content_state: must be an object',
    ],
    [
      { ...update, stale_date: '1795262400' },
      'stale_date: must be an ISO 8601 date-time, e.g. "2026-12-24T18:00:00Z"',
    ],
  ])('the activity %j is refused with what to change', (activity, fault) => {
    expect(faultsOf({ live_activity: activity })).toEqual([`live_activity.${fault}`]);
  });

  test.each<[object, object, string]>([
    [update, { deliver_at: '2026-11-25' }, 'deliver_at: must be left out for the update of a Live Activity'],
    [
      update,
      { to: [{ name: 'tags', criteria: ['a'] }] },
      'to: must be "*" or {"device_id": "…"} for the update of a Live Activity',
    ],
    [update, { payload: { badge: 1 } }, 'payload.badge: has no meaning in a Live Activity'],
    [start, {}, 'payload: must have an alert or a title: iOS starts a Live Activity with an alert'],
    [update, { time_to_live: 86_400 }, 'time_to_live: must be at most 43200 for a Live Activity'],
    [update, { apns: {} }, 'apns: must be left out for the update of a Live Activity'],
  ])('next to the activity %j, the keys %j are refused with what to change', (activity, others, fault) => {
    expect(faultsOf({ live_activity: activity, ...others })).toEqual([fault]);
  });

  test('the content of an activity keeps every digit of its numbers', () => {
    const state = '{"exact":12345678901234567890.25,"list":[1.10]}';
    const { body } = compiled(
      `{"live_activity":{"event":"update","activity_id":"a","content_state":${state}},"to":"*"}`,
    );
    expect(body).toContain('"exact":12345678901234567890.25');
  });

  test('an update of an activity expires after 12 hours, and its timestamp is its creation in seconds', () => {
    const { headers, body } = compiled(JSON.stringify({ to: '*', live_activity: update }));
    expect(headers).toMatchObject({ 'apns-expiration': `${1_795_543_200 + 43_200}` });
    expect(headers).not.toHaveProperty('apns-collapse-id');
    expect(JSON.parse(body).aps.timestamp).toBe(1_795_543_200);
  });
});

test('a push is claimed in the statement that stores it only if it goes to the token for alerts', () => {
  const target = { kind: 'device_id', id: '2a86153d-e332-49e6-83fd-646951a710e4' } as const;
  const wish = (notification: object) => claimWishOf(target, parseContent(JSON.stringify(notification)));
  expect(wish({ ...alert, apns: { headers: { 'apns-priority': '1' } } })).toBeDefined();
  expect(wish({ apns: { push_type: 'widgets' } })).toBeUndefined();
  expect(wish({ live_activity: update })).toBeUndefined();
});
