import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { parseJson } from '../../src/json/lossless.ts';
import { parseIdempotency } from '../../src/notifications/idempotency.ts';
import type { CreatedNotification } from '../../src/notifications/look-up/notification-reply.ts';
import type { Job } from '../../src/queue/job.ts';
import { useTestDatabase } from '../support/database.ts';
import { untilWaiting } from '../support/statements.ts';
import {
  type AppWithAudience,
  countRows,
  create as createIn,
  insertAppWithAudience,
  insertNotification,
} from './rows.ts';

const database = useTestDatabase();
const START_MS = Date.UTC(2026, 10, 21, 10);
const HOUR_MS = 3_600_000;
const BODY = '{"notification":{"to":[{"name":"tags","criteria":["a"]}],"payload":{"alert":"Hi","x":1.5}}}';
const OTHER = '{"notification":{"to":[{"name":"tags","criteria":["b"]}],"payload":{"alert":"Hi","x":1.5}}}';
let app: AppWithAudience;
let jobs: Job[];

beforeEach(async () => {
  app = await insertAppWithAudience(database.db);
  jobs = [];
});

async function create(body: string, idempotencyKey?: string, { appId = app.appId, atMs = START_MS } = {}) {
  const queue = { add: async (added: readonly Job[]) => void jobs.push(...added) };
  const request = { appId, body: parseJson(body), idempotencyKey };
  return createIn(database.db, request, { clock: () => new Date(atMs), queue });
}

function bodyHash(body: string): Buffer | null {
  return parseIdempotency('key', parseJson(body))?.bodyHash ?? null;
}

const count = async (table: 'notifications' | 'audiences') => countRows(database.db, table, app.appId);

test('fifty concurrent requests with one key create one notification and get equal responses', async () => {
  const responses = await Promise.all(Array.from({ length: 50 }, async () => create(BODY, 'race')));
  expect(responses).toEqual(Array.from({ length: 50 }, () => responses[0]));
  expect(await count('notifications')).toBe(1);
  expect(jobs).toHaveLength(1);
});

test('one of two bodies wins in fifty concurrent requests with one key, and the other stores no audience', async () => {
  const results = await Promise.allSettled(
    Array.from({ length: 50 }, async (_, index) => create(index % 2 === 0 ? BODY : OTHER, 'race')),
  );
  const created = results.filter((result) => result.status === 'fulfilled').map((result) => result.value);
  expect(created).toEqual(Array.from({ length: 25 }, () => created[0]));
  for (const result of results.filter((outcome) => outcome.status === 'rejected')) {
    expect(result.reason).toMatchObject({ code: 'idempotency_key_reused', status: 409 });
  }
  expect(await count('notifications')).toBe(1);
  expect(await count('audiences')).toBe(2); // the winner's, and the one that the test itself stored
});

test.each([
  ['commits', 1],
  ['rolls back', 0],
])('a second request waits for the first, which %s', async (_end, notificationsOfFirst) => {
  const first = randomUUID();
  const rollBack = new Error('rolled back');
  let second: Promise<CreatedNotification> | undefined;
  const running = database.db.transaction().execute(async (transaction) => {
    const key = { idempotency_key: 'key', body_hash: bodyHash(BODY), created_at: new Date(START_MS) };
    await insertNotification(transaction, app, { id: first, ...key });
    second = create(BODY, 'key');
    await untilWaiting(database.db);
    if (notificationsOfFirst === 0) throw rollBack;
  });
  await running.catch((error: unknown) => expect(error).toBe(rollBack));
  expect((await second)?.id === first).toBe(notificationsOfFirst === 1);
  expect(await count('notifications')).toBe(1);
});

test('the first response is repeated, whatever the state of the notification is now', async () => {
  const first = await create(BODY, 'key');
  await database.db
    .updateTable('notifications')
    .set({ state: 'sent', devices: 5, accepted: 5 })
    .where('id', '=', first.id)
    .execute();
  expect(await create(BODY, 'key', { atMs: START_MS + HOUR_MS })).toEqual(first);
  expect(jobs).toHaveLength(1);
});

describe('a body is the same', () => {
  test.each([
    ['{"notification":{"payload":{"x":1.5,"alert":"Hi"},"to":[{"criteria":["a"],"name":"tags"}]}}'],
    [` ${BODY.replaceAll(',', ' , ')}`],
    [BODY.replace('1.5', '1.50')],
  ])('a body is the same if only its formatting differs: %s', async (body) => {
    const first = await create(BODY, 'key');
    expect(await create(body, 'key')).toEqual(first);
  });

  test.each([
    ['a value', BODY.replace('Hi', 'Ho')],
    ['a key', BODY.replace('"x"', '"y"')],
    ['a target', OTHER],
    ['the order of a list', BODY.replace('["a"]', '["b","a"]')],
    ['one more option', BODY.replace('"payload"', '"dry_run":false,"payload"')],
    ['a type', BODY.replace('1.5', '"1.5"')],
  ])('a body is another one if it differs in %s', async (_, body) => {
    await create(BODY, 'key');
    await expect(create(body, 'key')).rejects.toMatchObject({ code: 'idempotency_key_reused' });
  });

  test('a body is another one if numbers differ by more digits than a double holds', async () => {
    await create(BODY.replace('1.5', '12345678901234567890'), 'key');
    await expect(create(BODY.replace('1.5', '12345678901234567891'), 'key')).rejects.toMatchObject({
      code: 'idempotency_key_reused',
    });
  });
});

test('a key is kept for 24 hours and is free afterwards', async () => {
  const first = await create(BODY, 'key');
  expect(await create(BODY, 'key', { atMs: START_MS + 24 * HOUR_MS - 1 })).toEqual(first);
  const second = await create(OTHER, 'key', { atMs: START_MS + 24 * HOUR_MS });
  expect(second.id).not.toBe(first.id);
  expect(await create(OTHER, 'key', { atMs: START_MS + 25 * HOUR_MS })).toEqual(second);
});

test('concurrent requests with a key that became free create one notification', async () => {
  const first = await create(BODY, 'key');
  const responses = await Promise.all(
    Array.from({ length: 20 }, async () => create(BODY, 'key', { atMs: START_MS + 30 * HOUR_MS })),
  );
  expect(new Set(responses.map(({ id }) => id)).size).toBe(1);
  expect(responses[0]?.id).not.toBe(first.id);
  expect(await count('notifications')).toBe(2);
});

test('a refused request does not use up its key', async () => {
  await expect(create(BODY.replace('"Hi"', '5'), 'key')).rejects.toMatchObject({ code: 'invalid_request' });
  const unknown = '{"notification":{"to":"unknown","payload":{"alert":"Hi"}}}';
  await expect(create(unknown, 'key')).rejects.toMatchObject({ code: 'not_found' });
  await expect(create(BODY, 'key')).resolves.toMatchObject({ state: 'scheduled' });
});

test('the keys of two apps are independent', async () => {
  const other = await insertAppWithAudience(database.db);
  const first = await create(BODY, 'key');
  const second = await create(OTHER, 'key', { appId: other.appId });
  expect(second.id).not.toBe(first.id);
});

test('every request without a key creates a notification', async () => {
  await Promise.all(Array.from({ length: 5 }, async () => create(BODY)));
  expect(await count('notifications')).toBe(5);
});

describe('a key', () => {
  test.each(['!', '~', 'k'.repeat(255), 'a-B_9:{}\'"$1'])('a key may be %s', async (key) => {
    const first = await create(BODY, key);
    expect(await create(BODY, key)).toEqual(first);
  });

  test.each(['', ' ', 'two words', 'a, b', 'tab\t', 'clé', 'k'.repeat(256), '\u007f'])(
    'a key may not be %j',
    async (key) => {
      await expect(create(BODY, key)).rejects.toMatchObject({ code: 'invalid_header', status: 400 });
      expect(await count('notifications')).toBe(0);
    },
  );
});
