import { beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { createApiKey, listApiKeys, revokeApiKey } from '../../src/apps/api-keys.ts';
import { type Keyring, openKeyring } from '../../src/apps/keyring.ts';
import { KNOWN_FOR_MS } from '../../src/apps/recent-look-ups.ts';
import { insertApp, useTestDatabase } from '../support/database.ts';
import { countStatements } from '../support/statements.ts';
import { PATIENCE } from '../support/patience.ts';

const database = useTestDatabase();
const NOON_MS = Date.UTC(2026, 10, 21, 12);
let nowMs: number;
const clock = (): Date => new Date(nowMs);
let app: { id: string; bundleId: string };
let keyring: Keyring;
let statements: () => number;

beforeAll(async () => {
  app = await insertApp(database.db);
});

beforeEach(() => {
  nowMs = NOON_MS;
  const counted = countStatements(database.db);
  keyring = openKeyring({ db: counted.db, clock });
  statements = counted.count;
});

/** A key with a recent use, so that no test sees an update of it. */
async function usedKey(): Promise<{ id: string; key: string }> {
  const made = await createApiKey(database.db, { appId: app.id, scopes: ['read'] }, clock);
  await database.db
    .updateTable('api_keys')
    .set({ last_used_at: clock() })
    .where('id', '=', made.id)
    .execute();
  return made;
}

async function lastUsedMs(id: string): Promise<number | undefined> {
  return (await listApiKeys(database.db)).find((key) => key.id === id)?.last_used_at?.getTime();
}

test('a key is turned into its app and its scopes, with an empty user name or the bundle id', async () => {
  const scopes = ['write', 'register'] as const;
  const { id, key } = await createApiKey(database.db, { appId: app.id, scopes }, clock);
  for (const username of ['', app.bundleId]) {
    expect(await keyring.authenticate({ username, key })).toEqual({
      by: { kind: 'key', id, name: null },
      appId: app.id,
      android: { presentation: 'data', icon: null, color: null },
      quietHours: null,
      identity: 'off',
      bundleId: app.bundleId,
      scopes,
    });
  }
});

test('a wrong key or user name is refused, after a successful look-up too', async () => {
  const { key } = await usedKey();
  const other = await insertApp(database.db);
  const refused = [
    { username: other.bundleId, key },
    { username: app.bundleId.toUpperCase(), key },
    { username: app.id, key },
    { username: '', key: '' },
    { username: '', key: `${key}A` },
    { username: '', key: key.slice(0, -1) },
    { username: '', key: '\0' },
  ];
  for (const credentials of refused) expect(await keyring.authenticate(credentials)).toBeUndefined();
  expect(await keyring.authenticate({ username: '', key })).toBeDefined();
  for (const credentials of refused) expect(await keyring.authenticate(credentials)).toBeUndefined();
});

test('a key is looked up once for all calls of a moment, and again after it', async () => {
  const { key } = await usedKey();
  const call = async () => keyring.authenticate({ username: '', key });
  await Promise.all(Array.from({ length: 32 }, call));
  nowMs += KNOWN_FOR_MS - 1;
  await call();
  expect(statements()).toBe(1);
  nowMs += 1;
  await call();
  expect(statements()).toBe(2);
});

test('a revoked key is refused when its moment is over, and from the first call where it is unknown', async () => {
  const { id, key } = await usedKey();
  expect(await keyring.authenticate({ username: '', key })).toBeDefined();
  await revokeApiKey(database.db, id, clock);
  const newcomer = openKeyring({ db: database.db, clock });
  expect(await newcomer.authenticate({ username: '', key })).toBeUndefined();
  nowMs += KNOWN_FOR_MS;
  expect(await keyring.authenticate({ username: '', key })).toBeUndefined();
});

test('a key is not known for longer because the clock was set back', async () => {
  const { id, key } = await usedKey();
  await keyring.authenticate({ username: '', key });
  await revokeApiKey(database.db, id, clock);
  nowMs -= 3_600_000;
  expect(await keyring.authenticate({ username: '', key })).toBeUndefined();
});

test('a key that was unknown a moment ago counts from the moment it is made', async () => {
  const { key, id } = await usedKey();
  await revokeApiKey(database.db, id, clock);
  expect(await keyring.authenticate({ username: '', key })).toBeUndefined();
  await database.db.updateTable('api_keys').set({ revoked_at: null }).where('id', '=', id).execute();
  expect(await keyring.authenticate({ username: '', key })).toBeDefined();
});

test('a key is known again as soon as the database is back', async () => {
  const { key } = await usedKey();
  let isAway = true;
  const db = database.db.withPlugin({
    transformQuery: ({ node }) => {
      if (isAway) throw new Error('away');
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  const recovering = openKeyring({ db, clock });
  await expect(recovering.authenticate({ username: '', key })).rejects.toThrow('away');
  isAway = false;
  expect(await recovering.authenticate({ username: '', key })).toBeDefined();
});

test('the last use of a key is noted at most once a minute', async () => {
  const { id, key } = await createApiKey(database.db, { appId: app.id, scopes: ['read'] }, clock);
  expect(await lastUsedMs(id)).toBeUndefined();
  const callAt = async (seconds: number): Promise<void> => {
    nowMs = NOON_MS + seconds * 1_000;
    await keyring.authenticate({ username: '', key });
  };
  await callAt(0);
  await callAt(1);
  await vi.waitFor(async () => expect(await lastUsedMs(id)).toBe(NOON_MS), PATIENCE);
  await callAt(59);
  await callAt(60);
  await vi.waitFor(async () => expect(await lastUsedMs(id)).toBe(NOON_MS + 60_000), PATIENCE);
  // Two look-ups, each for the two calls of a moment, and two notes.
  expect(statements()).toBe(4);
});

test('the last use of a key is not noted for a call under another user name', async () => {
  const { id, key } = await createApiKey(database.db, { appId: app.id, scopes: ['read'] }, clock);
  await keyring.authenticate({ username: 'someone', key });
  nowMs += 1_000;
  await keyring.authenticate({ username: '', key });
  await vi.waitFor(async () => expect(await lastUsedMs(id)).toBe(NOON_MS + 1_000), PATIENCE);
});
