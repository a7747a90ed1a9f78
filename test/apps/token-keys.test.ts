import { createSecretKey, randomBytes } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import type { SecretKey } from '../../src/apps/seal.ts';
import { openTokenKeys, opensTokenKeys, resealTokenKeys, type TokenKey } from '../../src/apps/token-keys.ts';
import { insertApp, useTestDatabase } from '../support/database.ts';

const database = useTestDatabase();
const TOKEN = 'a-push-token';

let appId: string;
let secret: SecretKey;
beforeEach(async () => {
  await database.db.deleteFrom('token_keys').execute();
  appId = (await insertApp(database.db)).id;
  secret = newSecret();
});

function newSecret(): SecretKey {
  return { current: createSecretKey(randomBytes(32)) };
}

/** As a process that has just started. */
async function keyOf(app: string, sealedWith = secret): Promise<TokenKey> {
  return openTokenKeys(database.db, sealedWith).of(app);
}

test('processes that make the key of an app at once end with one', async () => {
  const keys = await Promise.all(Array.from({ length: 10 }, async () => keyOf(appId)));
  const hashes = new Set(keys.map((key) => key.hash(TOKEN).toString('hex')));
  expect(hashes.size).toBe(1);
  for (const key of keys) expect(keys[0]?.decrypt(key.encrypt(TOKEN))).toBe(TOKEN);
});

test('two apps hash and encrypt a token by keys that have nothing to do with each other', async () => {
  const [ours, theirs] = [await keyOf(appId), await keyOf((await insertApp(database.db)).id)];
  expect(ours.hash(TOKEN)).not.toEqual(theirs.hash(TOKEN));
  expect(() => theirs.decrypt(ours.encrypt(TOKEN))).toThrow(/cannot be decrypted/);
});

test('the token key stays the same where SECRET_KEY is replaced', async () => {
  const before = await keyOf(appId);
  const encrypted = before.encrypt(TOKEN);
  const { current } = newSecret();
  const both = { current, previous: secret.current };
  expect((await keyOf(appId, both)).hash(TOKEN)).toEqual(before.hash(TOKEN));
  expect(await resealTokenKeys(database.db, both)).toBe(1);
  const after = await keyOf(appId, { current });
  expect(after.hash(TOKEN)).toEqual(before.hash(TOKEN));
  expect(after.decrypt(encrypted)).toBe(TOKEN);
  await expect(keyOf(appId)).rejects.toThrow(/SECRET_KEY/);
});

test('a SECRET_KEY that decrypts none of the token keys is recognised', async () => {
  expect(await opensTokenKeys(database.db, newSecret())).toBe(true);
  await keyOf(appId);
  expect(await opensTokenKeys(database.db, secret)).toBe(true);
  expect(await opensTokenKeys(database.db, newSecret())).toBe(false);
});

test('a look-up of a token key that failed is made again', async () => {
  await keyOf(appId);
  const stranger = openTokenKeys(database.db, newSecret());
  await expect(stranger.of(appId)).rejects.toThrow(/SECRET_KEY/);
  await database.db.deleteFrom('token_keys').execute();
  expect((await stranger.of(appId)).hash(TOKEN)).toHaveLength(32);
});
