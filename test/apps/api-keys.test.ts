import { beforeAll, describe, expect, test, vi } from 'vitest';
import {
  authenticateKey,
  createApiKey,
  listApiKeys,
  parseScopes,
  revokeApiKey,
} from '../../src/apps/api-keys.ts';
import { insertApp, useTestDatabase } from '../support/database.ts';

const database = useTestDatabase();
const noon = new Date('2026-11-21T12:00:00.000Z');
const clock = () => noon;
let app: { id: string; bundleId: string };

beforeAll(async () => {
  app = await insertApp(database.db);
});

function secondsLater(seconds: number): Date {
  return new Date(noon.getTime() + seconds * 1000);
}

async function lastUsedAt(id: string): Promise<Date | null | undefined> {
  return (await listApiKeys(database.db)).find((key) => key.keyId === id)?.lastUsedAt;
}

test('stores no key, only its hash, and never lists it', async () => {
  const { id, key } = await createApiKey(database.db, { appId: app.id, scopes: ['read'] }, clock);
  expect(key).toMatch(/^carillon_[A-Za-z0-9_-]{43}$/);
  const row = await database.db
    .selectFrom('api_keys')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  const listed = await listApiKeys(database.db);
  expect(listed.map((one) => one.keyId)).toContain(id);
  for (const shown of [row, listed]) {
    expect(JSON.stringify(shown)).not.toContain(key.slice('carillon_'.length));
  }
});

describe('authenticateKey', () => {
  test('turns a key into its app and its scopes, with an empty user name or the bundle id', async () => {
    const scopes = ['write', 'register'] as const;
    const { id, key } = await createApiKey(database.db, { appId: app.id, scopes }, clock);
    for (const username of ['', app.bundleId]) {
      expect(await authenticateKey(database.db, { username, key }, clock)).toEqual({
        keyId: id,
        appId: app.id,
        bundleId: app.bundleId,
        scopes,
      });
    }
  });

  test('knows no other key and no other user name', async () => {
    const { key } = await createApiKey(database.db, { appId: app.id, scopes: ['read'] }, clock);
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
    for (const credentials of refused) {
      expect(await authenticateKey(database.db, credentials, clock)).toBeUndefined();
    }
  });

  test('knows a revoked key no more, from the next call on', async () => {
    const { id, key } = await createApiKey(database.db, { appId: app.id, scopes: ['read'] }, clock);
    expect(await revokeApiKey(database.db, id, clock)).toBe(true);
    expect(await authenticateKey(database.db, { username: '', key }, clock)).toBeUndefined();
    expect(await revokeApiKey(database.db, id, () => secondsLater(60))).toBe(true);
    const listed = (await listApiKeys(database.db)).find((one) => one.keyId === id);
    expect(listed?.revokedAt).toEqual(noon);
  });

  test('notes the last use, at most once a minute', async () => {
    const { id, key } = await createApiKey(database.db, { appId: app.id, scopes: ['read'] }, clock);
    expect(await lastUsedAt(id)).toBeNull();
    await authenticateKey(database.db, { username: '', key }, clock);
    await vi.waitFor(async () => expect(await lastUsedAt(id)).toEqual(noon));
    await authenticateKey(database.db, { username: '', key }, () => secondsLater(59));
    await authenticateKey(database.db, { username: '', key }, () => secondsLater(60));
    await vi.waitFor(async () => expect(await lastUsedAt(id)).toEqual(secondsLater(60)));
  });

  test('notes no use of a key that came with another user name', async () => {
    const { id, key } = await createApiKey(database.db, { appId: app.id, scopes: ['read'] }, clock);
    await authenticateKey(database.db, { username: 'someone', key }, clock);
    await authenticateKey(database.db, { username: '', key }, () => secondsLater(1));
    await vi.waitFor(async () => expect(await lastUsedAt(id)).toEqual(secondsLater(1)));
  });
});

test.each(['no-id', '00000000-0000-4000-8000-000000000000'])('revokes no key by the id %j', async (id) => {
  expect(await revokeApiKey(database.db, id, clock)).toBe(false);
});

test('reads scopes joined by commas, each once', () => {
  expect(parseScopes('write, read,write')).toEqual(['read', 'write']);
  expect(parseScopes('admin')).toEqual(['admin']);
});

test.each(['', ',', 'read,', 'root', 'Read', 'read write'])('refuses the scopes %j', (text) => {
  expect(() => parseScopes(text)).toThrow('scopes are any of read, write, register, admin');
});
