import { beforeEach, describe, expect, test } from 'vitest';
import type { Client } from './client.ts';
import { TEAM, useSimulator } from './harness.ts';

const harness = useSimulator();
let client: Client;
beforeEach(async () => {
  client = await harness.client(harness.simulator.urls.apnsProduction);
});

const update = { timestamp: 1_795_262_400, event: 'update', 'content-state': { score: 1 } };
const start = { ...update, event: 'start', 'attributes-type': 'Match', attributes: { id: 7 } };
const activity = (aps: object, headers: object = {}) => ({
  headers: {
    'apns-push-type': 'liveactivity',
    'apns-topic': `${TEAM.bundleId}.push-type.liveactivity`,
    ...headers,
  },
  body: JSON.stringify({ aps }),
});
const ofType = (type: string, end: string, body: object) => ({
  headers: { 'apns-push-type': type, 'apns-topic': `${TEAM.bundleId}${end}` },
  body: JSON.stringify(body),
});
const changed = { aps: { 'content-changed': true } };
/** A VoIP push with this number of bytes. */
function voip(bytes: number) {
  const bare = JSON.stringify({ aps: {}, text: '' }).length;
  return ofType('voip', '.voip', { aps: {}, text: 'x'.repeat(bytes - bare) });
}

describe('accepted pushes', () => {
  test.each<[string, { headers: object; body: string }]>([
    ['the start of an activity', activity(start)],
    ['an update at priority 5', activity(update, { 'apns-priority': '5' })],
    ['an end with a date of dismissal', activity({ ...update, event: 'end', 'dismissal-date': 0 })],
    ['an end without content', activity({ timestamp: 1_795_262_400, event: 'end' })],
    ['a change of widgets', ofType('widgets', '.push-type.widgets', changed)],
    ['a change of controls', ofType('controls', '.push-type.controls', changed)],
    ['a request for the location', ofType('location', '.location-query', { aps: {} })],
    ['a complication', ofType('complication', '.complication', { aps: {}, score: 1 })],
    ['a change of files', ofType('fileprovider', '.pushkit.fileprovider', { aps: {} })],
    ['push to talk', ofType('pushtotalk', '.voip-ptt', { aps: {}, speaker: 'Ann' })],
    ['a VoIP push of 5,120 bytes', voip(5120)],
  ])('the simulated Apple accepts %s', async (_name, push) => {
    expect(await harness.pushApple(client, push)).toMatchObject({ status: 200, body: '' });
  });
});

describe('refused pushes', () => {
  test.each<[string, string, { headers: object; body: string }]>([
    ['an activity without a timestamp', 'InvalidPushType', activity({ ...update, timestamp: undefined })],
    [
      'an activity with a timestamp in milliseconds',
      'InvalidPushType',
      activity({ ...update, timestamp: 1_795_262_400_000 }),
    ],
    ['an activity without an event', 'InvalidPushType', activity({ ...update, event: undefined })],
    ['an activity with an unknown event', 'InvalidPushType', activity({ ...update, event: 'stop' })],
    ['an update without content', 'InvalidPushType', activity({ ...update, 'content-state': undefined })],
    ['a start without attributes', 'InvalidPushType', activity({ ...start, attributes: undefined })],
    [
      'a start without the type of its attributes',
      'InvalidPushType',
      activity({ ...start, 'attributes-type': undefined }),
    ],
    ['an activity at priority 1', 'BadPriority', activity(update, { 'apns-priority': '1' })],
    [
      'an activity to the topic of the app',
      'TopicDisallowed',
      activity(update, { 'apns-topic': TEAM.bundleId }),
    ],
    [
      'an alert to the topic of activities',
      'TopicDisallowed',
      activity({ alert: 'Hello' }, { 'apns-push-type': 'alert' }),
    ],
    [
      'an activity of over 4,096 bytes',
      'PayloadTooLarge',
      activity({ ...update, 'content-state': { text: 'x'.repeat(4096) } }),
    ],
    ['widgets to another topic', 'TopicDisallowed', ofType('widgets', '.push-type.controls', changed)],
    ['widgets without a change', 'InvalidPushType', ofType('widgets', '.push-type.widgets', { aps: {} })],
    ['a VoIP push of 5,121 bytes', 'PayloadTooLarge', voip(5121)],
    ['MDM, which is not sent by token', 'InvalidPushType', ofType('mdm', '', { aps: {}, mdm: 'magic' })],
  ])('the simulated Apple refuses %s', async (_name, reason, push) => {
    expect((await harness.pushApple(client, push)).body).toBe(JSON.stringify({ reason }));
    expect(harness.simulator.received()).toEqual([]);
  });
});
