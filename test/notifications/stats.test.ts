import { beforeAll, expect, test } from 'vitest';
import { notificationStats } from '../../src/notifications/look-up/stats.ts';
import { useTestDatabase } from '../support/database.ts';
import { type AppWithAudience, insertAppWithAudience, insertNotification } from './rows.ts';

const database = useTestDatabase();
let app: AppWithAudience;

beforeAll(async () => {
  app = await insertAppWithAudience(database.db);
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
