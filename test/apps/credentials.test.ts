import { createSecretKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  listCredentialVersions,
  putApnsCredentials,
  putFcmCredentials,
  readCredentials,
} from '../../src/apps/credentials.ts';
import { insertApp, useTestDatabase } from '../support/database.ts';

const database = useTestDatabase();
const secret = createSecretKey(randomBytes(32));
const noon = new Date('2026-11-21T12:00:00.000Z');
const clock = () => noon;
const pem = { type: 'pkcs8', format: 'pem' } as const;
const apnsKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export(pem).toString();
const rsaKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export(pem).toString();
const account = { project_id: 'shop', client_email: 'push@shop.example', private_key: rsaKey };
const serviceAccount = JSON.stringify({ type: 'service_account', ...account, private_key_id: 'extra' });

let appId: string;
beforeEach(async () => {
  appId = (await insertApp(database.db)).id;
});

function putApns(changes: object = {}): Promise<void> {
  const credentials = { appId, keyId: 'ABC123DEFG', teamId: 'TEAM123456', privateKey: apnsKey, ...changes };
  return putApnsCredentials(database.db, secret, credentials, clock);
}

test('gives back what was put, for each gateway, in the version that is listed', async () => {
  expect(await readCredentials(database.db, secret, appId)).toEqual({});
  await putApns();
  await putFcmCredentials(database.db, secret, { appId, serviceAccount }, clock);
  const [apns, fcm] = await listCredentialVersions(database.db, appId);
  expect(await readCredentials(database.db, secret, appId)).toEqual({
    apns: { version: apns?.version, keyId: 'ABC123DEFG', teamId: 'TEAM123456', privateKey: apnsKey },
    fcm: { version: fcm?.version, ...account },
  });
  expect([apns?.gateway, fcm?.gateway]).toEqual(['apns', 'fcm']);
});

test('a replacement changes the version, and only that of its gateway', async () => {
  await putApns();
  await putFcmCredentials(database.db, secret, { appId, serviceAccount }, clock);
  const before = await readCredentials(database.db, secret, appId);
  await putApns({ keyId: 'NEWKEY9999' });
  const after = await readCredentials(database.db, secret, appId);
  expect(after.apns?.keyId).toBe('NEWKEY9999');
  expect(after.apns?.version).not.toBe(before.apns?.version);
  expect(after.fcm).toEqual(before.fcm);
});

test('stores nothing in the clear, and opens nothing with another key or in another app', async () => {
  await putApns();
  const { sealed } = await database.db
    .selectFrom('gateway_credentials')
    .select('sealed')
    .where('app_id', '=', appId)
    .executeTakeFirstOrThrow();
  expect(sealed.includes('PRIVATE KEY')).toBe(false);
  await expect(readCredentials(database.db, createSecretKey(randomBytes(32)), appId)).rejects.toThrow(
    /SECRET_KEY/,
  );
  const other = await insertApp(database.db);
  await database.db
    .insertInto('gateway_credentials')
    .values({ app_id: other.id, gateway: 'apns', sealed, version: appId, updated_at: noon })
    .execute();
  await expect(readCredentials(database.db, secret, other.id)).rejects.toThrow(/SECRET_KEY/);
});

describe('refuses with a sentence, and stores nothing', () => {
  test.each([
    ['a key that is no key', { privateKey: 'x' }, /not a private key/],
    ['a key of another kind', { privateKey: rsaKey }, /not an elliptic-curve key/],
    ['a key id that is none', { keyId: 'no/id' }, /key id/],
    ['an empty team id', { teamId: '' }, /team id/],
  ])('%s', async (_what, changes, message) => {
    await expect(putApns(changes)).rejects.toThrow(message);
    expect(await listCredentialVersions(database.db, appId)).toEqual([]);
  });

  test('a file that is no service account', async () => {
    const put = putFcmCredentials(database.db, secret, { appId, serviceAccount: '{}' }, clock);
    await expect(put).rejects.toThrow(/service account/);
    expect(await listCredentialVersions(database.db, appId)).toEqual([]);
  });
});
