import { createSecretKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import {
  listCredentialVersions,
  opensStoredCredentials,
  putApnsCredentials,
  putFcmCredentials,
  putVapidCredentials,
  readCredentials,
  resealCredentials,
} from '../../src/apps/credentials/store.ts';
import { readWebPushKey } from '../../src/apps/credentials/accept.ts';
import { makeVapidKey } from '../../src/gateways/web-push/vapid-key.ts';
import type { SecretKey } from '../../src/apps/seal.ts';
import { insertApp, useTestDatabase } from '../support/database.ts';

const database = useTestDatabase();
const secret = newSecret();
const noon = new Date('2026-11-21T12:00:00.000Z');
const clock = () => noon;
const pem = { type: 'pkcs8', format: 'pem' } as const;
const apnsKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export(pem).toString();
const rsaKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export(pem).toString();
const account = { project_id: 'shop', client_email: 'push@shop.example', private_key: rsaKey };
const serviceAccount = JSON.stringify({ type: 'service_account', ...account, private_key_id: 'extra' });

let appId: string;
beforeEach(async () => {
  await database.db.deleteFrom('gateway_credentials').execute();
  appId = (await insertApp(database.db)).id;
});

function putApns(changes: object = {}): Promise<void> {
  const credentials = { appId, keyId: 'ABC123DEFG', teamId: 'TEAM123456', privateKey: apnsKey, ...changes };
  return putApnsCredentials(database.db, secret, credentials, clock);
}

test('stored credentials are read back by gateway, in the listed version', async () => {
  expect(await readCredentials(database.db, secret, appId)).toEqual({});
  await putApns();
  await putFcmCredentials(database.db, secret, { appId, serviceAccount }, clock);
  const [apns, fcm] = await listCredentialVersions(database.db, appId);
  expect(await readCredentials(database.db, secret, appId)).toEqual({
    apns_production: {
      version: apns?.version,
      keyId: 'ABC123DEFG',
      teamId: 'TEAM123456',
      privateKey: apnsKey,
    },
    apns_sandbox: { version: apns?.version, keyId: 'ABC123DEFG', teamId: 'TEAM123456', privateKey: apnsKey },
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
  expect(after.apns_production?.keyId).toBe('NEWKEY9999');
  expect(after.apns_production?.version).not.toBe(before.apns_production?.version);
  expect(after.fcm).toEqual(before.fcm);
});

test('a key for one environment goes before the key for all, and a key for all replaces every other', async () => {
  await putApns({ keyId: 'SANDBOX001', environment: 'sandbox' });
  expect(await keyIds()).toEqual([undefined, 'SANDBOX001']);
  await putApns({ keyId: 'FORALL0001' });
  expect(await keyIds()).toEqual(['FORALL0001', 'FORALL0001']);
  await putApns({ keyId: 'SANDBOX002', environment: 'sandbox' });
  expect(await keyIds()).toEqual(['FORALL0001', 'SANDBOX002']);
  await putApns({ keyId: 'PRODUCT001', environment: 'production' });
  expect(await keyIds()).toEqual(['PRODUCT001', 'SANDBOX002']);
  await putApns({ keyId: 'FORALL0002' });
  expect(await keyIds()).toEqual(['FORALL0002', 'FORALL0002']);
});

test('a key for one environment is read in that environment alone, and is sealed again with the others', async () => {
  await putApns({ keyId: 'SANDBOX001', environment: 'sandbox' });
  const { current } = newSecret();
  expect(await resealCredentials(database.db, { current, previous: secret.current })).toBe(1);
  const { apns_sandbox: sandbox } = await readCredentials(database.db, { current }, appId);
  expect(sandbox?.keyId).toBe('SANDBOX001');
  await database.db
    .updateTable('gateway_credentials')
    .set({ environment: 'production' })
    .where('app_id', '=', appId)
    .execute();
  await expect(readCredentials(database.db, { current }, appId)).rejects.toThrow(/SECRET_KEY/);
});

test('nothing is stored in the clear, and another key or another app decrypts nothing', async () => {
  await putApns();
  const { sealed } = await database.db
    .selectFrom('gateway_credentials')
    .select('sealed')
    .where('app_id', '=', appId)
    .executeTakeFirstOrThrow();
  expect(sealed.includes('PRIVATE KEY')).toBe(false);
  await expect(readCredentials(database.db, newSecret(), appId)).rejects.toThrow(/SECRET_KEY/);
  const other = await insertApp(database.db);
  await database.db
    .insertInto('gateway_credentials')
    .values({ app_id: other.id, gateway: 'apns', sealed, version: appId, updated_at: noon })
    .execute();
  await expect(readCredentials(database.db, secret, other.id)).rejects.toThrow(/SECRET_KEY/);
});

test('credentials that cannot be decrypted leave those of another gateway usable', async () => {
  await putFcmCredentials(database.db, newSecret(), { appId, projectId: 'my-project' }, clock);
  await putVapidCredentials(
    database.db,
    secret,
    { appId, ...makeVapidKey(), subject: 'mailto:push@shop.example', url: null },
    clock,
  );
  const { public_key: publicKey } = await readWebPushKey({ db: database.db, secret }, appId);
  expect(publicKey).toMatch(/^[\w-]{87}$/);
  await expect(readCredentials(database.db, secret, appId)).rejects.toThrow(/SECRET_KEY/);
});

test.each([
  ['a text that is not a key', { privateKey: 'x' }, /not a private key/],
  ['a key of another kind', { privateKey: rsaKey }, /is an RSA key/],
  ['a key id that is none', { keyId: 'no/id' }, /key id/],
  ['a key id in small letters', { keyId: 'abc123defg' }, /key id/],
  ['a key id of nine characters', { keyId: 'ABC123DEF' }, /key id/],
  ['a team id of eleven characters', { teamId: 'TEAM1234567' }, /team id/],
  ['two ids and a key that are none', { keyId: 'x', teamId: 'y', privateKey: 'z' }, /key id.*team id.*PEM/],
  ['an empty team id', { teamId: '' }, /team id/],
])('bad credentials are refused with a sentence, and not stored: %s', async (_what, changes, message) => {
  await expect(putApns(changes)).rejects.toThrow(message);
  expect(await listCredentialVersions(database.db, appId)).toEqual([]);
});

test('a file that is not a service account is refused, and not stored', async () => {
  const put = putFcmCredentials(database.db, secret, { appId, serviceAccount: '{}' }, clock);
  await expect(put).rejects.toThrow(/service account/);
  expect(await listCredentialVersions(database.db, appId)).toEqual([]);
});

test('a new key decrypts values of the previous key, and alone all values once they are encrypted again', async () => {
  await putApns();
  await putFcmCredentials(database.db, secret, { appId, serviceAccount }, clock);
  const before = await readCredentials(database.db, secret, appId);
  const { current } = newSecret();
  const both = { current, previous: secret.current };
  expect(await readCredentials(database.db, both, appId)).toEqual(before);

  expect(await resealCredentials(database.db, both)).toBe(2);
  expect(await readCredentials(database.db, { current }, appId)).toEqual(before);
  expect(await readCredentials(database.db, both, appId)).toEqual(before);
  await expect(readCredentials(database.db, secret, appId)).rejects.toThrow(/SECRET_KEY/);
  expect(await resealCredentials(database.db, both)).toBe(2);
});

test('a new key changes nothing where neither key decrypts one of the values', async () => {
  await putApns();
  const stranger = await insertApp(database.db);
  const strange = { appId: stranger.id, serviceAccount };
  await putFcmCredentials(database.db, newSecret(), strange, clock);
  const both = { current: newSecret().current, previous: secret.current };
  const reseal = database.db
    .transaction()
    .execute(async (transaction) => resealCredentials(transaction, both));
  await expect(reseal).rejects.toThrow(/the sealed fcm credentials cannot be decrypted/);
  expect(await readCredentials(database.db, secret, appId)).toHaveProperty('apns_production');
});

test('a key that decrypts none of the stored values is wrong', async () => {
  const stranger = newSecret();
  expect(await opensStoredCredentials(database.db, stranger)).toBe(true);
  await putApns();
  expect(await opensStoredCredentials(database.db, secret)).toBe(true);
  expect(await opensStoredCredentials(database.db, stranger)).toBe(false);
  expect(
    await opensStoredCredentials(database.db, { current: stranger.current, previous: secret.current }),
  ).toBe(true);
  await putFcmCredentials(database.db, stranger, { appId, serviceAccount }, clock);
  expect(await opensStoredCredentials(database.db, stranger)).toBe(true);
});

test('every sealed column of the schema is sealed again by `secret rotate`', async () => {
  const { rows } = await sql<{ name: string }>`
    select table_name || '.' || column_name as name from information_schema.columns
    where table_schema = 'public' and column_name like '%sealed%' order by 1`.execute(database.db);
  expect(rows.map(({ name }) => name)).toEqual([
    'console_second_factors.sealed_secret',
    'gateway_credentials.sealed',
    'identity_keys.sealed',
    'token_keys.sealed',
    'webhooks.sealed_secret',
  ]);
});

function newSecret(): SecretKey {
  return { current: createSecretKey(randomBytes(32)) };
}

/** Of the keys for production and for the sandbox. */
async function keyIds(): Promise<(string | undefined)[]> {
  const credentials = await readCredentials(database.db, secret, appId);
  return [credentials.apns_production?.keyId, credentials.apns_sandbox?.keyId];
}
