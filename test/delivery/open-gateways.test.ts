import { randomBytes, createSecretKey, generateKeyPairSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { listCredentialVersions, putApnsCredentials } from '../../src/apps/credentials.ts';
import { openGateways, type Gateways } from '../../src/delivery/open-gateways.ts';
import type { Gateway } from '../../src/gateways/gateway.ts';
import { observeNothing } from '../../src/observe.ts';
import { insertApp, useTestDatabase } from '../support/database.ts';
import { countStatements } from '../support/statements.ts';

const database = useTestDatabase();
const secret = { current: createSecretKey(randomBytes(32)) };
const clock = (): Date => new Date('2026-11-20T12:00:00.000Z');

function openCounted(db = database.db): { gateways: Gateways; opened: string[]; closed: string[] } {
  const opened: string[] = [];
  const closed: string[] = [];
  const gateway = (name: 'apns' | 'fcm', keyId: string): Gateway => {
    opened.push(keyId);
    return {
      name,
      compile: () => async () => ({ kind: 'accepted' }),
      whenReady: () => undefined,
      whenSent: async () => undefined,
      close: async () => void closed.push(keyId),
    };
  };
  const gateways = openGateways({
    db,
    secret,
    clock,
    observe: observeNothing,
    fcmPushesPerMinute: 600_000,
    open: {
      apns: (_bundleId, { keyId }) => gateway('apns', keyId),
      fcm: ({ project_id: projectId }) => gateway('fcm', projectId),
    },
  });
  return { gateways, opened, closed };
}

async function putKey(appId: string, keyId: string): Promise<void> {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  await putApnsCredentials(
    database.db,
    secret,
    { appId, keyId, teamId: 'TEAM000001', privateKey: pem },
    clock,
  );
}

test('a gateway is opened once an app, however many slices ask at the same time', async () => {
  const { id: appId, bundleId } = await insertApp(database.db);
  await putKey(appId, 'FIRST00001');
  const { gateways, opened, closed } = openCounted();
  const found = await Promise.all(
    Array.from({ length: 10 }, async () => gateways.forApp({ appId, bundleId })),
  );
  expect(opened).toEqual(['FIRST00001']);
  expect(new Set(found.map(({ apns }) => apns)).size).toBe(1);
  await gateways.close();
  expect(closed).toEqual(['FIRST00001']);
});

test('nobody asks the database for what the caller has just read', async () => {
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
  expect((await gateways.forApp({ appId, bundleId }, before)).apns).toBe(second.apns);
  expect(opened).toEqual(['FIRST00001', 'SECOND0001']);
  expect(closed).toEqual(['FIRST00001']);
  await gateways.close();
});

test('replaced credentials are picked up without a restart, and the old gateway is closed', async () => {
  const { id: appId, bundleId } = await insertApp(database.db);
  const { gateways, opened, closed } = openCounted();
  expect(await gateways.forApp({ appId, bundleId })).toEqual({});
  await putKey(appId, 'FIRST00001');
  await gateways.forApp({ appId, bundleId });
  await putKey(appId, 'SECOND0001');
  const { apns } = await gateways.forApp({ appId, bundleId });
  expect(apns?.proven).toBe(false);
  expect(opened).toEqual(['FIRST00001', 'SECOND0001']);
  expect(closed).toEqual(['FIRST00001']);
  await gateways.close();
});
