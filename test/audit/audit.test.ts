/** The audit log: entries are added with their change or not at all, never changed, and read back by filters. */
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { expect, test } from 'vitest';
import { createApiKey, revokeApiKey } from '../../src/apps/api-keys.ts';
import { putApnsCredentials } from '../../src/apps/credentials/store.ts';
import { type Author, commandLine } from '../../src/audit/author.ts';
import { auditListQuery, exportAudit, listAudit } from '../../src/audit/list.ts';
import { recordChange } from '../../src/audit/record.ts';
import { systemClock } from '../../src/clock.ts';
import type { Database } from '../../src/db/tables.ts';
import { everyoneAudience } from '../support/audiences.ts';
import { insertApp, useTestDatabase } from '../support/database.ts';
import { testSecret } from '../support/secret.ts';

const database = useTestDatabase();

const jo: Author = {
  by: { kind: 'user', id: randomUUID(), name: 'Jo' },
  address: '2001:db8::7',
  requestId: 'request-1',
};

function at(second: number) {
  return () => new Date(Date.UTC(2026, 10, 23, 12, 0, second));
}

async function listed(appId: string, query: Record<string, string> = {}) {
  return listAudit(database.db, appId, auditListQuery.parse(query), { isNamed: true });
}

async function addEntries(db: Kysely<Database>, appId: string, count: number): Promise<void> {
  for (let second = 0; second < count; second++) {
    const author = second % 2 === 0 ? jo : commandLine;
    const change = { appId, action: 'audience.deleted', objectId: `audience-${second}` } as const;
    await recordChange(db, author, change, at(second));
  }
}

test('an entry says who, what, before, after, from where and when', async () => {
  const { id: appId } = await insertApp(database.db);
  const change = { before: { state: 'sending' }, after: { state: 'canceled', accepted: 7 } };
  await recordChange(
    database.db,
    jo,
    { appId, action: 'notification.canceled', objectId: 'n', ...change },
    at(3),
  );
  expect((await listed(appId)).entries).toEqual([
    {
      id: expect.any(String),
      at: '2026-11-23T12:00:03.000Z',
      by: jo.by,
      action: 'notification.canceled',
      object_id: 'n',
      object_name: null,
      ...change,
      address: '2001:db8::7',
      request_id: 'request-1',
    },
  ]);
});

test('an entry has the name that its object has now, and none of an object that is gone', async () => {
  const { db } = database;
  const { id: appId } = await insertApp(db);
  const other = await insertApp(db);
  const audience = await everyoneAudience(db, appId, systemClock);
  const deviceId = randomUUID();
  const now = new Date();
  const device = { id: deviceId, platform: 'iOS', user_id: 'user-1', marketing_name: 'iPhone 17' } as const;
  await db
    .insertInto('devices')
    .values({ app_id: appId, created_at: now, registered_at: now, ...device })
    .execute();
  const changes = [
    { appId, action: 'device.registered', objectId: deviceId },
    { appId, action: 'audience.updated', objectId: audience.id },
    { appId, action: 'audience.deleted', objectId: randomUUID() },
    { appId: other.id, action: 'device.registered', objectId: deviceId },
  ] as const;
  for (const [second, change] of changes.entries()) await recordChange(db, jo, change, at(second));
  expect((await listed(appId)).entries.map(({ object_name: shown }) => shown)).toEqual([
    null,
    'All devices',
    'user-1 · iPhone 17',
  ]);
  expect((await listed(other.id)).entries.map(({ object_name: shown }) => shown)).toEqual([null]);
});

test.each([
  ['update', sql`update audit_log set by_name = 'somebody else'`],
  ['delete', sql`delete from audit_log`],
  ['truncate', sql`truncate audit_log`],
])('the table of the audit log refuses to %s', async (_what, statement) => {
  const { id: appId } = await insertApp(database.db);
  await addEntries(database.db, appId, 1);
  await expect(statement.execute(database.db)).rejects.toThrow('the audit log is append-only');
  expect((await listed(appId)).entries).toHaveLength(1);
});

test('a change that is rolled back leaves no entry', async () => {
  const { db } = database;
  const { id: appId } = await insertApp(db);
  const failing = db.transaction().execute(async (transaction) => {
    await createApiKey(transaction, { appId, scopes: ['read'] }, systemClock, jo);
    throw new Error('rolled back');
  });
  await expect(failing).rejects.toThrow('rolled back');
  expect((await listed(appId)).entries).toEqual([]);
});

test('a change whose entry cannot be written is not made', async () => {
  const { db } = database;
  const { id: appId } = await insertApp(db);
  const author = { ...jo, by: { ...jo.by, name: 'unstorable \0' } };
  await expect(createApiKey(db, { appId, scopes: ['read'] }, systemClock, author)).rejects.toThrow();
  expect(await db.selectFrom('api_keys').select('id').where('app_id', '=', appId).execute()).toEqual([]);
});

test('a key that is revoked twice makes one entry', async () => {
  const { db } = database;
  const { id: appId } = await insertApp(db);
  const { id } = await createApiKey(db, { appId, scopes: ['read', 'write'], name: 'back end' }, systemClock);
  for (let time = 0; time < 2; time++) {
    expect(await revokeApiKey(db, id, systemClock, { appId, author: jo })).toBe(true);
  }
  expect((await listed(appId)).entries).toMatchObject([
    {
      action: 'key.revoked',
      object_id: id,
      before: { name: 'back end', scopes: ['read', 'write'] },
      after: null,
    },
  ]);
});

test('credentials are recorded without their secrets', async () => {
  const { db } = database;
  const { id: appId } = await insertApp(db);
  const pem = { type: 'pkcs8', format: 'pem' } as const;
  const privateKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export(pem).toString();
  const key = { appId, keyId: 'ABCDEFGHIJ', teamId: 'KLMNOPQRST', privateKey };
  await putApnsCredentials(db, testSecret, key, at(1), jo);
  await putApnsCredentials(db, testSecret, { ...key, environment: 'sandbox' }, at(2), jo);
  await putApnsCredentials(db, testSecret, key, at(3), jo);
  const { entries } = await listed(appId);
  expect(entries).toMatchObject([
    {
      action: 'credentials.set',
      object_id: 'apns',
      before: {
        replaced: [
          { environment: 'all', stored_at: '2026-11-23T12:00:01.000Z' },
          { environment: 'sandbox', stored_at: '2026-11-23T12:00:02.000Z' },
        ],
      },
      after: { environment: 'all', key_id: 'ABCDEFGHIJ', team_id: 'KLMNOPQRST' },
    },
    { object_id: 'apns_sandbox', before: null },
    { object_id: 'apns', before: null },
  ]);
  expect(JSON.stringify(entries)).not.toContain('PRIVATE');
});

test('pages of entries are continued by their cursor, and no entry of another app is in them', async () => {
  const { db } = database;
  const { id: appId } = await insertApp(db);
  const { id: otherAppId } = await insertApp(db);
  await addEntries(db, appId, 7);
  await addEntries(db, otherAppId, 1);
  const seen: (string | null)[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: Awaited<ReturnType<typeof listed>> = await listed(appId, {
      per: '3',
      ...(cursor !== '' && { cursor }),
    });
    seen.push(...page.entries.map(({ object_id: id }) => id));
    ({ cursor } = page.meta);
  }
  expect(seen).toEqual([6, 5, 4, 3, 2, 1, 0].map((second) => `audience-${second}`));
});

test.each<[string, Record<string, string>, number[]]>([
  ['by', { by: jo.by.id }, [4, 2, 0]],
  ['by the command line', { by: 'command_line' }, [3, 1]],
  ['action', { action: 'key.created' }, []],
  ['object', { object: 'audience-3' }, [3]],
  ['time', { from: '2026-11-23T12:00:01Z', to: '2026-11-23T12:00:03Z' }, [2, 1]],
  ['all of them', { by: jo.by.id, action: 'audience.deleted', from: '2026-11-23T12:00:01Z' }, [4, 2]],
])('entries are found by %s, in pages and in the export', async (_what, query, seconds) => {
  const { id: appId } = await insertApp(database.db);
  await addEntries(database.db, appId, 5);
  const { entries } = await listed(appId, query);
  expect(entries.map(({ object_id: id }) => id)).toEqual(seconds.map((second) => `audience-${second}`));
  const { per: _per, cursor: _cursor, ...filter } = auditListQuery.parse(query);
  const exported = (await Array.fromAsync(exportAudit(database.db, appId, filter))).join('');
  expect(exported).toBe(entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
});

test('an export has every entry once, also the entries of the same moment', async () => {
  const { db } = database;
  const { id: appId } = await insertApp(db);
  await sql`
    insert into audit_log (app_id, id, at, by_kind, by_id, action, object_id)
    select ${appId}::uuid, gen_random_uuid(), timestamptz '2026-11-23' + n / 300 * interval '1 second',
      'key', 'k', 'key.created', 'object ' || n
    from generate_series(1, 1201) as n`.execute(db);
  const lines = (await Array.fromAsync(exportAudit(db, appId, {}))).join('').trimEnd().split('\n');
  expect(new Set(lines).size).toBe(1201);
});
