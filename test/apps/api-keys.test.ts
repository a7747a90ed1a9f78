import { createHash } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { createApiKey, listApiKeys, revokeApiKey } from '../../src/apps/api-keys.ts';
import { parseScopes } from '../../src/apps/scopes.ts';
import { insertApp, useTestDatabase } from '../support/database.ts';

const database = useTestDatabase();
const noon = new Date('2026-11-21T12:00:00.000Z');
const clock = () => noon;
let app: { id: string; bundleId: string };

beforeAll(async () => {
  app = await insertApp(database.db);
});

test('a key is stored as its hash alone, and no list has it', async () => {
  const { id, key } = await createApiKey(database.db, { appId: app.id, scopes: ['read'] }, clock);
  expect(key).toMatch(/^carillon_[A-Za-z0-9_-]{43}$/);
  expect(Buffer.from(key.slice('carillon_'.length), 'base64url')).toHaveLength(32);
  const row = await database.db
    .selectFrom('api_keys')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  expect(row.hash).toEqual(createHash('sha256').update(key).digest());
  const listed = await listApiKeys(database.db);
  expect(listed.map((one) => one.id)).toContain(id);
  for (const shown of [row, listed]) {
    expect(JSON.stringify(shown)).not.toContain(key.slice('carillon_'.length));
  }
});

test('keys have no bit in common but by chance', async () => {
  const made = Array.from({ length: 64 }, async () =>
    createApiKey(database.db, { appId: app.id, scopes: ['read'] }, clock),
  );
  const bytes = (await Promise.all(made)).map(({ key }) =>
    Buffer.from(key.slice('carillon_'.length), 'base64url'),
  );
  for (let bit = 0; bit < 256; bit++) {
    const set = bytes.filter((one) => ((one[bit >> 3] ?? 0) >> (bit & 7)) & 1).length;
    // Of 64 fair bits all are equal once in 2^63 runs.
    expect(set % 64, `bit ${bit}`).toBeGreaterThan(0);
  }
});

test('a revoked key keeps the time of its first revocation', async () => {
  const { id } = await createApiKey(database.db, { appId: app.id, scopes: ['read'] }, clock);
  expect(await revokeApiKey(database.db, id, clock)).toBe(true);
  expect(await revokeApiKey(database.db, id, () => new Date(noon.getTime() + 60_000))).toBe(true);
  const listed = (await listApiKeys(database.db)).find((one) => one.id === id);
  expect(listed?.revoked_at).toEqual(noon);
});

test.each(['no-id', '00000000-0000-4000-8000-000000000000'])('the id %j revokes no key', async (id) => {
  expect(await revokeApiKey(database.db, id, clock)).toBe(false);
});

test('scopes are joined by commas, and each counts once', () => {
  expect(parseScopes('write, read,write')).toEqual(['read', 'write']);
  expect(parseScopes('admin')).toEqual(['admin']);
});

test.each(['', ',', 'read,', 'root', 'Read', 'read write'])('the scopes %j are refused', (text) => {
  expect(() => parseScopes(text)).toThrow('scopes are any of read, write, register, admin');
});
