/** What each role may do, tried with every call of the API. */
import { beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { type Role, ROLES, scopesOf as scopesOfRole } from '../../src/console/accounts/roles.ts';
import { useApi } from '../http/api.ts';
import { type DocumentedCall, documentedCalls, scopesOf } from '../http/openapi/document.ts';
import { digestOfEverything } from '../http/stored.ts';
import { type Browser, insertUser, openBrowser } from './browser.ts';

const api = useApi();
const browsers = new Map<Role, Browser>();

beforeAll(async () => {
  for (const role of ROLES) {
    await insertUser(api.db, systemClock, { name: role, roles: { [api.app.id]: role } });
    const browser = openBrowser(api.server);
    await browser.signIn(role);
    browsers.set(role, browser);
  }
});

/** With its own examples; a body of the wrong type shows that the role was accepted, before anything is done. */
async function send(role: Role, call: DocumentedCall) {
  return call.operation.requestBody === undefined
    ? sendBody(role, call, undefined)
    : sendBody(role, call, {}, { 'content-type': 'text/x-none' });
}

async function sendBody(role: Role, call: DocumentedCall, body: unknown, headers = {}) {
  const path = call.operation.parameters
    .filter((one) => one.in === 'path')
    .reduce((filled, { name, example }) => filled.replace(`{${name}}`, String(example)), call.path);
  const browser = browsers.get(role);
  if (browser === undefined) throw new Error('users sign in before the tests');
  return browser.call(`${call.method.toUpperCase()} ${path}`, { app: api.app.id, body, headers });
}

async function sendExample(role: Role, call: DocumentedCall) {
  return sendBody(role, call, call.operation.requestBody?.content['application/json']?.example);
}

test('each role has its permissions', () => {
  expect(ROLES.map((role) => [role, scopesOfRole(role)])).toEqual([
    ['viewer', ['read']],
    ['sender', ['read', 'write']],
    ['admin', ['read', 'write', 'register', 'admin']],
  ]);
});

const withScopes = documentedCalls.filter((call) => scopesOf(call).length > 0);

/** A webhook is sent everything that happens in the app; audiences follow from attributes and events. */
const ONLY_ADMINS = new Set([
  'post /v6/webhooks',
  'delete /v6/webhooks/{webhook_id}',
  'post /v6/webhooks/{webhook_id}/test',
  'post /v6/webhooks/{webhook_id}/deliveries/{delivery_id}/retry',
  'put /v6/users/{user_id}',
  'post /v6/users/{user_id}/events',
  'post /v6/devices/{device_id}/events',
]);

describe.each(ROLES)('A %s', (role) => {
  const own = scopesOfRole(role);

  test.each(withScopes)('a role gets what its permissions allow from $method $path', async (call) => {
    const isAllowed =
      scopesOf(call).some((scope) => own.some((each) => each === scope)) &&
      (role === 'admin' || !ONLY_ADMINS.has(`${call.method} ${call.path}`));
    const { status, body } = await send(role, call);
    if (isAllowed) expect([401, 403]).not.toContain(status);
    else expect({ status, body }).toMatchObject({ status: 403, body: { code: 'forbidden' } });
  });
});

test('a sender sends, cancels, makes, edits and deletes audiences, and changes nothing else', () => {
  const allowed = withScopes
    .filter((call) => scopesOf(call).includes('write') && !scopesOf(call).includes('read'))
    .map(({ method, path }) => `${method} ${path}`)
    .filter((name) => !ONLY_ADMINS.has(name));
  expect(allowed.toSorted()).toEqual([
    'delete /v6/audiences/{audience_id}',
    'post /v3/notifications',
    'post /v5/notifications',
    'post /v6/audiences',
    'post /v6/channels/{channel_id}/broadcasts',
    'post /v6/notifications',
    'post /v6/notifications/batch',
    'post /v6/notifications/{notification_id}/cancel',
    'put /v6/audiences/{audience_id}',
  ]);
});

/** These look at data and send a body because it is large or private; they store nothing. */
const READS_BY_POST = new Set(
  withScopes
    .filter((call) => call.method !== 'get' && scopesOf(call).includes('read'))
    .map(({ method, path }) => `${method} ${path}`),
);

test('a viewer changes nothing: each unsafe call is refused with its own example, and nothing is stored', async () => {
  const unsafe = withScopes.filter(
    ({ method, path }) => method !== 'get' && !READS_BY_POST.has(`${method} ${path}`),
  );
  expect(unsafe.length).toBeGreaterThan(20);
  const before = await digestOfEverything(api.db);
  for (const call of unsafe) {
    const { status } = await sendExample('viewer', call);
    expect({ path: call.path, status }).toEqual({ path: call.path, status: 403 });
  }
  expect(await digestOfEverything(api.db)).toEqual(before);
});

test('a viewer stores nothing by a body that it may send', async () => {
  const before = await digestOfEverything(api.db);
  for (const call of withScopes.filter(({ method, path }) => READS_BY_POST.has(`${method} ${path}`))) {
    await sendExample('viewer', call);
  }
  expect(await digestOfEverything(api.db)).toEqual(before);
});
