import { randomBytes, createSecretKey, generateKeyPairSync } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  type KeyEnvironment,
  listCredentialVersions,
  putApnsCredentials,
} from '../../src/apps/credentials/store.ts';
import { openGateways, type Gateways } from '../../src/delivery/send/open-gateways.ts';
import type { Gateway } from '../../src/gateways/gateway.ts';
import type { Route } from '../../src/route.ts';
import { observeNothing } from '../../src/observe.ts';
import { insertApp, useTestDatabase } from '../support/database.ts';
import { countStatements } from '../support/statements.ts';

const database = useTestDatabase();
const secret = { current: createSecretKey(randomBytes(32)) };
const clock = (): Date => new Date('2026-11-20T12:00:00.000Z');

function openCounted(db = database.db): { gateways: Gateways; opened: string[]; closed: string[] } {
  const opened: string[] = [];
  const closed: string[] = [];
  const gateway = (route: Route, id: string): Gateway => {
    opened.push(`${route} ${id}`);
    return {
      route,
      compile: () => async () => ({ kind: 'accepted' }),
      whenReady: () => undefined,
      whenSent: async () => undefined,
      close: async () => void closed.push(`${route} ${id}`),
    };
  };
  const gateways = openGateways({
    db,
    secret,
    clock,
    observe: observeNothing,
    fcmPushesPerMinute: 600_000,
    open: {
      apns: ({ route, token }) => gateway(route, keyIdOf(token.current())),
      fcm: ({ project_id: projectId }) => gateway('fcm', projectId),
      webPush: ({ publicKey }) => gateway('web_push', publicKey),
    },
  });
  return { gateways, opened, closed };
}

/** Which key a provider token was signed with. */
function keyIdOf(token: string): string {
  const [header = ''] = token.split('.');
  return String(Object(JSON.parse(Buffer.from(header, 'base64url').toString())).kid);
}

async function putKey(appId: string, keyId: string, environment: KeyEnvironment = 'all'): Promise<void> {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  await putApnsCredentials(
    database.db,
    secret,
    { appId, keyId, teamId: 'TEAM000001', privateKey: pem, environment },
    clock,
  );
}

/** Where one key is good for both of Apple's environments. */
const both = (keyId: string): string[] => [`apns_production ${keyId}`, `apns_sandbox ${keyId}`];

test('a gateway is opened once per app, even for concurrent slices', async () => {
  const { id: appId, bundleId } = await insertApp(database.db);
  await putKey(appId, 'FIRST00001');
  const { gateways, opened, closed } = openCounted();
  const found = await Promise.all(
    Array.from({ length: 10 }, async () => gateways.forApp({ appId, bundleId })),
  );
  expect(opened).toEqual(both('FIRST00001'));
  expect(new Set(found.map(({ apns_production: production }) => production)).size).toBe(1);
  await gateways.close();
  expect(closed).toEqual(both('FIRST00001'));
});

test('versions of credentials that the caller has just read are not read again', async () => {
  const { id: appId, bundleId } = await insertApp(database.db);
  await putKey(appId, 'FIRST00001');
  const counted = countStatements(database.db);
  const { gateways, opened, closed } = openCounted(counted.db);
  const first = await gateways.forApp({ appId, bundleId });
  const before = await listCredentialVersions(database.db, appId);
  const asked = counted.count();
  expect(await gateways.forApp({ appId, bundleId }, before)).toBe(first);
  expect(counted.count()).toBe(asked);

  await putKey(appId, 'SECOND0001');
  const after = await listCredentialVersions(database.db, appId);
  const second = await gateways.forApp({ appId, bundleId }, after);
  // Somebody who read before the replacement comes late: what is open stays open.
  expect(await gateways.forApp({ appId, bundleId }, before)).toMatchObject(second);
  expect(opened).toEqual([...both('FIRST00001'), ...both('SECOND0001')]);
  expect(closed).toEqual(both('FIRST00001'));
  await gateways.close();
});

test('replaced credentials take effect without a restart, and the old gateway is closed', async () => {
  const { id: appId, bundleId } = await insertApp(database.db);
  const { gateways, opened, closed } = openCounted();
  expect(await gateways.forApp({ appId, bundleId })).toEqual({});
  await putKey(appId, 'FIRST00001');
  await gateways.forApp({ appId, bundleId });
  await putKey(appId, 'SECOND0001');
  const { apns_production: production } = await gateways.forApp({ appId, bundleId });
  expect(production?.credentialsAccepted).toBe(false);
  expect(opened).toEqual([...both('FIRST00001'), ...both('SECOND0001')]);
  expect(closed).toEqual(both('FIRST00001'));
  await gateways.close();
});

test('a key for one environment is used only there, and the other gateways stay open', async () => {
  const { id: appId, bundleId } = await insertApp(database.db);
  const { gateways, opened, closed } = openCounted();
  await putKey(appId, 'SANDBOX001', 'sandbox');
  expect(Object.keys(await gateways.forApp({ appId, bundleId }))).toEqual(['apns_sandbox']);
  await putKey(appId, 'PRODUCT001', 'production');
  await gateways.forApp({ appId, bundleId });
  expect(opened).toEqual(['apns_sandbox SANDBOX001', 'apns_production PRODUCT001']);
  await putKey(appId, 'SANDBOX002', 'sandbox');
  await gateways.forApp({ appId, bundleId });
  expect(closed).toEqual(['apns_sandbox SANDBOX001']);
  await putKey(appId, 'FORBOTH001');
  await gateways.forApp({ appId, bundleId });
  expect(opened.slice(2)).toEqual(['apns_sandbox SANDBOX002', ...both('FORBOTH001')]);
  await gateways.close();
});
