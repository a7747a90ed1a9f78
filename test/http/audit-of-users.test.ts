/** Every change by a user of the console is in the audit log, whatever keys do without a trace. */
import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { auditListReply } from '../../src/audit/list.ts';
import { systemClock } from '../../src/clock.ts';
import { repeatOf } from '../../src/http/call.ts';
import { everyCall } from '../../src/http/calls/every-call.ts';
import { type Browser, insertUser, openBrowser } from '../console/browser.ts';
import { useApi } from './api.ts';

const api = useApi();
let browser: Browser;
let userId: string;

beforeAll(async () => {
  userId = await insertUser(api.db, systemClock, { name: 'Ada', roles: { [api.app.id]: 'admin' } });
  browser = openBrowser(api.server);
  expect((await browser.signIn('Ada')).status).toBeLessThan(300);
});

/** Makes a call as the user, and returns the newest entry. */
async function entryOf(address: string, body?: unknown) {
  const { status, body: reply, headers } = await browser.call(address, { app: api.app.id, body });
  expect(status, JSON.stringify(reply)).toBeLessThan(300);
  const { body: log } = await api.call('GET /v6/audit?per=1');
  const [entry] = auditListReply.parse(log).entries;
  expect(entry).toMatchObject({
    by: { kind: 'user', id: userId, name: 'Ada' },
    request_id: headers['x-request-id'],
  });
  return { entry, reply };
}

const withId = z.object({ id: z.string() });

test('the audit log records each call of a user, also calls that are too frequent to record for keys', async () => {
  const device = { platform: 'Android', push_token: 'token-of-a-user', user_id: 'ada@example.com' };
  const registered = await entryOf('POST /v6/devices', { device });
  const { id } = z.object({ device: withId }).parse(registered.reply).device;
  expect(registered.entry).toMatchObject({ action: 'device.registered', object_id: id });

  const events = { events: [{ name: 'purchase' }] };
  expect(await entryOf(`POST /v6/devices/${id}/events`, events)).toMatchObject({
    entry: { action: 'device.events_reported', object_id: id },
  });
  const custom = { plan: { type: 'string', value: 'gold' } };
  const changed = await entryOf('PUT /v6/users/ada@example.com', { user: { custom } });
  expect(changed.entry).toMatchObject({ action: 'users.updated', object_id: null });

  const sent = await entryOf('POST /v6/notifications', {
    notification: { to: { device_id: id }, payload: { alert: 'hello' } },
  });
  expect(sent.entry).toMatchObject({
    action: 'notification.created',
    object_id: withId.parse(sent.reply).id,
  });
  const filters = [{ name: 'locale', criteria: ['en_GB'] }];
  const made = await entryOf('POST /v6/audiences', { audience: { name: 'Britons', filters } });
  expect(made.entry).toMatchObject({
    action: 'audience.created',
    object_id: z.object({ audience: withId }).parse(made.reply).audience.id,
  });
  // What objects are called is read with the list, by those who may read it elsewhere.
  const { body: named } = await api.call('GET /v6/audit');
  expect(JSON.stringify(named)).toMatch(/hello/);
  expect(JSON.stringify(named)).not.toMatch(/token-of-a-user|gold/);
  const { body: log } = await api.call('GET /v6/audit', { key: api.app.keys.admin });
  expect(auditListReply.parse(log).entries).toHaveLength(5);
  expect(JSON.stringify(log)).not.toMatch(/example\.com|token-of-a-user|hello|gold|Britons/);
});

test('a refused call leaves no entry', async () => {
  const { body: before } = await api.call('GET /v6/audit?per=1');
  const { status } = await browser.call('POST /v6/notifications', { app: api.app.id, body: {} });
  expect(status).toBe(422);
  expect((await api.call('GET /v6/audit?per=1')).body).toEqual(before);
});

/** Their handlers record the change in its own transaction, for keys as well, or only for users. */
const recordedByHandler = [
  'cancelNotification',
  'editAudience',
  'deleteAudience',
  'updateDevice',
  'eraseDevice',
  'importDevices',
  'createChannel',
  'deleteChannel',
  'createWebhook',
  'deleteWebhook',
  'testWebhook',
  'sendWebhookDeliveryAgain',
  'createKey',
  'revokeKey',
  'storeApnsCredentials',
  'storeFcmCredentials',
  'storeWebPushCredentials',
  'removeApnsCredentials',
  'removeFcmCredentials',
  'removeWebPushCredentials',
  'setIdentity',
  'storeIdentityKey',
  'removeIdentityKey',
  'resumeRoute',
  'setFrequencyCaps',
  'setQuietHours',
  'inviteConsoleUser',
  'changeConsoleUser',
  'removeConsoleUser',
  'inviteConsoleUserAgain',
  'endConsoleUserSessions',
  'resetConsoleUserSecondFactor',
];

test('no call that changes something is without a trace', () => {
  const changing = everyCall.filter((call) => repeatOf(call) !== 'reads');
  const said = everyCall.filter((call) => call.method === 'POST' && repeatOf(call) === 'reads');
  expect(said.filter(({ scopes }) => !scopes.includes('read')).map(({ id }) => id)).toEqual([]);
  const untraced = changing.filter(({ recordedAs }) => recordedAs === undefined).map(({ id }) => id);
  expect(untraced.toSorted()).toEqual(recordedByHandler.toSorted());
});
