import * as fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { readNotification } from '../../src/notifications/look-up/read.ts';
import { notificationStats } from '../../src/notifications/look-up/stats.ts';
import { useTestDatabase } from '../support/database.ts';
import { type AppWithAudience, insertAppWithAudience, insertNotification } from './rows.ts';

const database = useTestDatabase();
const clock = (): Date => new Date('2026-11-21T10:00:08Z');
const LATER = new Date('2026-11-21T10:00:09Z');
let app: AppWithAudience;

beforeAll(async () => {
  app = await insertAppWithAudience(database.db);
});

test('the reply has the state, times and counters', async () => {
  const counters = { devices: 10, accepted: 3, rejected: 1, unregistered: 1, no_token: 1, ambiguous: 1 };
  const started = { state: 'sending', started_at: new Date('2026-11-21T10:00:01Z') } as const;
  const id = await insertNotification(database.db, app, { ...started, ...counters });
  expect(await readNotification(database.db, app.appId, id, clock)).toEqual({
    id,
    created_at: '2026-11-21T10:00:00.123Z',
    state: 'sending',
    reason: null,
    due_at: '2026-11-21T10:00:00.123Z',
    started_at: '2026-11-21T10:00:01.000Z',
    ended_at: null,
    to: { id: app.audienceId, type: 'Audience', name: 'Test audience' },
    made_by: null,
    notification: { to: '*', payload: { alert: 'Hi' } },
    ...counters,
    dropped: 0,
    expired: 0,
    capped: 0,
    left_out: 0,
    pending: 3,
    held: 0,
    estimated_seconds_left: 3, // seven devices took seven seconds
  });
});

test.each<[string, Parameters<typeof insertNotification>[2], number | null]>([
  ['is the rate since the start, applied to those pending', { devices: 1_000, accepted: 10 }, 693],
  ['is rounded up to whole seconds', { devices: 701, accepted: 700 }, 1],
  ['counts every outcome as progress', { devices: 14, rejected: 3, ambiguous: 1, no_token: 3 }, 7],
  ['is 0 when only the end is not yet recorded', { devices: 5, accepted: 5 }, 0],
  ['is null before the first outcome', { devices: 5 }, null],
  ['is null before sending has begun', { devices: 5, accepted: 1, started_at: null }, null],
  ['is null if the clock that started it is ahead', { devices: 5, accepted: 1, started_at: LATER }, null],
  ['is null for a scheduled notification', { devices: 5, state: 'scheduled' }, null],
  ['is null for one that has ended', { devices: 5, accepted: 5, state: 'sent' }, null],
  ['is null for one that was canceled', { devices: 5, accepted: 1, state: 'canceled' }, null],
])('the time left %s', async (_promise, values, expected) => {
  const id = await insertNotification(database.db, app, {
    state: 'sending',
    started_at: new Date('2026-11-21T10:00:01Z'),
    ...values,
  });
  const { estimated_seconds_left: left } = await readNotification(database.db, app.appId, id, clock);
  expect(left).toBe(expected);
});

test('the reply has the reason why a notification failed', async () => {
  const id = await insertNotification(database.db, app, { state: 'failed', reason: 'no credentials' });
  expect(await readNotification(database.db, app.appId, id, clock)).toMatchObject({
    state: 'failed',
    reason: 'no credentials',
  });
});

test('the outcomes and the pending devices always add up to the devices', async () => {
  const count = fc.nat({ max: 5_000_000_000 });
  const counters = fc.record({
    devices: count,
    accepted: count,
    rejected: count,
    unregistered: count,
    no_token: count,
    ambiguous: count,
  });
  await fc.assert(
    fc.asyncProperty(counters, async (values) => {
      const id = await insertNotification(database.db, app, { state: 'sending', ...values });
      const record = await readNotification(database.db, app.appId, id, clock);
      const { accepted, rejected, unregistered, no_token, ambiguous, pending } = record;
      expect(accepted + rejected + unregistered + no_token + ambiguous + pending).toBe(record.devices);
      expect(pending).toBeGreaterThanOrEqual(0);
      expect(record.devices).toBeGreaterThanOrEqual(values.devices);
    }),
    { numRuns: 25 },
  );
});

test('the statistics have the text, the time and the counters of a notification', async () => {
  const id = await insertNotification(database.db, app, {
    state: 'sent',
    started_at: new Date('2026-11-21T10:00:05Z'),
    devices: 14,
    accepted: 5,
    rejected: 2,
    unregistered: 1,
    no_token: 3,
    ambiguous: 3,
  });
  expect(await notificationStats(database.db, app.appId, id)).toEqual({
    id,
    audience_id: app.audienceId,
    push_text: 'Hi',
    published_time: '2026-11-21T10:00:05.000Z',
    direct_opens: 0,
    opens: 0,
    pushes_succeeded: 5,
    pushes_rejected: 3,
  });
});

test('the published time is the due time until sending begins; a push without alert has no text', async () => {
  const id = await insertNotification(database.db, app, {
    body: '{"to":"*","payload":{"content_available":true}}',
    due_at: new Date('2026-12-01T00:00:00Z'),
  });
  expect(await notificationStats(database.db, app.appId, id)).toMatchObject({
    push_text: null,
    published_time: '2026-12-01T00:00:00.000Z',
  });
});
