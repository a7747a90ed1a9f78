import { afterAll, beforeAll, expect, test } from 'vitest';
import { putApnsCredentials, putFcmCredentials } from '../../src/apps/credentials/store.ts';
import { systemClock } from '../../src/clock.ts';
import { readReadiness } from '../../src/delivery/routes/readiness.ts';
import { type Simulator, startSimulator } from '@carillon/simulator';
import { insertApp, useTestDatabase } from '../support/database.ts';
import { testSecret } from '../support/secret.ts';
import { insertDevices, newAppleId, newServiceAccount } from '../support/simulated-app.ts';

const database = useTestDatabase();
let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(async () => simulator.close());

const NOTHING = { has_devices: false, has_credentials: false, is_proven: false, pause: null };

async function routesOf(appId: string) {
  return (await readReadiness(database.db, appId)).app.routes;
}

function appleKey(bundleId: string) {
  const key = simulator.apple.createKey({ teamId: newAppleId(), keyId: newAppleId(), bundleId });
  return { keyId: key.keyId, teamId: key.teamId, privateKey: key.privateKeyPem };
}

test('a new app has no route with devices or credentials', async () => {
  const { id, bundleId } = await insertApp(database.db);
  expect(await readReadiness(database.db, id)).toEqual({
    app: {
      bundle_id: bundleId,
      name: 'Test app',
      routes: [
        { route: 'apns_production', ...NOTHING },
        { route: 'apns_sandbox', ...NOTHING },
        { route: 'fcm', ...NOTHING },
        { route: 'web_push', ...NOTHING },
      ],
    },
  });
});

test('readiness shows the devices and credentials of an app on their routes, and none of other apps', async () => {
  const { id, bundleId } = await insertApp(database.db);
  const other = await insertApp(database.db);
  await insertDevices(database.db, id, 1); // n = 1: an Android device
  await putApnsCredentials(
    database.db,
    testSecret,
    { appId: id, environment: 'sandbox', ...appleKey(bundleId) },
    systemClock,
  );
  expect(await routesOf(id)).toEqual([
    { route: 'apns_production', ...NOTHING },
    { route: 'apns_sandbox', ...NOTHING, has_credentials: true },
    { route: 'fcm', ...NOTHING, has_devices: true },
    { route: 'web_push', ...NOTHING },
  ]);
  await insertDevices(database.db, other.id, 12); // both platforms, some of them for development
  const serviceAccount = JSON.stringify(newServiceAccount(simulator, 'readiness'));
  await putFcmCredentials(database.db, testSecret, { appId: other.id, serviceAccount }, systemClock);
  expect(await routesOf(other.id)).toEqual([
    { route: 'apns_production', ...NOTHING, has_devices: true },
    { route: 'apns_sandbox', ...NOTHING, has_devices: true },
    { route: 'fcm', ...NOTHING, has_devices: true, has_credentials: true },
    { route: 'web_push', ...NOTHING },
  ]);
  expect((await routesOf(id)).at(0)).toEqual({ route: 'apns_production', ...NOTHING });
});

test('the pause of a route is shown with its reason', async () => {
  const { id, bundleId } = await insertApp(database.db);
  await putApnsCredentials(database.db, testSecret, { appId: id, ...appleKey(bundleId) }, systemClock);
  const { version } = await database.db
    .selectFrom('gateway_credentials')
    .select('version')
    .where('app_id', '=', id)
    .executeTakeFirstOrThrow();
  const since = new Date('2026-11-01T10:00:00Z');
  await database.db
    .insertInto('route_states')
    .values({
      app_id: id,
      route: 'apns_production',
      version,
      proven_at: since,
      pause: 'credentials',
      pause_reason: 'Apple refuses the key.',
      paused_at: since,
    })
    .execute();
  expect((await routesOf(id)).at(0)).toEqual({
    route: 'apns_production',
    has_devices: false,
    has_credentials: true,
    is_proven: true,
    pause: { cause: 'credentials', reason: 'Apple refuses the key.', since: since.toISOString() },
  });
});
