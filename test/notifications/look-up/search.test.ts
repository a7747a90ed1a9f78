/** Searches in the list of notifications, by state, id and text. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { listNotifications, listQuery } from '../../../src/notifications/look-up/list.ts';
import { parseBy } from '../../../src/api/parse.ts';
import { tableReads } from '../../support/statements.ts';
import { type AppWithAudience, insertAppWithAudience, insertNotification } from '../rows.ts';
import { clock, START, useLists } from './lists.ts';

const { database, list, found, idsByPage, insertText, insertMany } = useLists();

describe('by state', () => {
  let app: AppWithAudience;
  const ids: Record<string, string> = {};

  beforeAll(async () => {
    app = await insertAppWithAudience(database.db);
    for (const state of ['scheduled', 'sending', 'sent', 'canceled', 'failed', 'validated'] as const) {
      ids[state] = await insertNotification(database.db, app, { state });
    }
  });

  test.each(['scheduled', 'sending', 'sent', 'canceled', 'failed', 'validated'])(
    'a search by state finds the notifications in state %s',
    async (state) => {
      expect(await found(app.appId, { state })).toEqual([ids[state]]);
    },
  );
});

describe('by id', () => {
  let app: AppWithAudience;
  let id: string;

  beforeAll(async () => {
    app = await insertAppWithAudience(database.db);
    id = await insertNotification(database.db, app, { id: `5f0c0c1e${randomUUID().slice(8)}` });
    await insertNotification(database.db, app, { id: `5f0c0c1f${randomUUID().slice(8)}` });
  });

  test.each([8, 9, 13, 14, 24, 35, 36])(
    'a search finds a notification by the first %d characters of its id',
    async (length) => {
      expect(await found(app.appId, { id: id.slice(0, length) })).toEqual([id]);
    },
  );

  test('a search finds an id in upper case, and together with other filters', async () => {
    expect(await found(app.appId, { id: id.toUpperCase(), state: 'scheduled' })).toEqual([id]);
    expect(await found(app.appId, { id, state: 'sent' })).toEqual([]);
  });

  test('a search by id finds all ids that begin alike, newest first, in pages', async () => {
    const other = await insertAppWithAudience(database.db);
    const at = [3, 1, 2];
    const rows = await Promise.all(
      at.map(async (seconds) =>
        insertNotification(database.db, other, {
          id: `0a0b0c0d${randomUUID().slice(8)}`,
          created_at: new Date(START + seconds * 1_000),
        }),
      ),
    );
    const first = await list(other.appId, { id: '0a0b0c0d', per: '2' });
    expect(first.notifications.map((one) => one.id)).toEqual([rows[0], rows[2]]);
    const next = await list(other.appId, { id: '0a0b0c0d', per: '2', cursor: first.meta.cursor });
    expect(next.notifications.map((one) => one.id)).toEqual([rows[1]]);
    expect(next.meta.cursor).toBeNull();
  });

  test('a search by id reads rows by their key, however many the app has', async () => {
    const large = await insertAppWithAudience(database.db);
    await insertMany(large, 3_000, START);
    await sql`analyze notifications`.execute(database.db);
    const rowsRead = await database.db.transaction().execute(async (db) => {
      const before = await tableReads(db, 'notifications');
      await listNotifications(db, large.appId, parseBy(listQuery, { id: '5f0c0c1e' }), clock);
      return (await tableReads(db, 'notifications')).rows - before.rows;
    });
    expect(rowsRead).toBeLessThan(10);
  });
});

describe('by text', () => {
  let app: AppWithAudience;
  let order: string;
  let sale: string;
  let cyrillic: string;
  let percent: string;

  beforeAll(async () => {
    app = await insertAppWithAudience(database.db);
    order = await insertText(
      app,
      { title: 'Order 4711', subtitle: 'Berlin', alert: 'It is on its "way".' },
      START,
    );
    sale = await insertText(app, { alert: 'The summer SALE is on', own: 'order' }, START + 1);
    cyrillic = await insertText(app, { alert: 'Привет, мир' }, START + 2);
    percent = await insertText(app, { alert: String.raw`100% of_all C:\temp` }, START + 3);
    await insertText(app, { badge: 3, alert_id: 'title alert payload' }, START + 4);
  });

  test.each<[string, () => string[]]>([
    ['order', () => [order]],
    ['ORDER 4711', () => [order]],
    ['  way   order ', () => [order]],
    ['"way"', () => [order]],
    ['berlin', () => [order]],
    ['sale', () => [sale]],
    ['is on', () => [sale, order]],
    ['привет', () => [cyrillic]],
    ['ПРИВЕТ', () => [cyrillic]],
    ['Мир', () => [cyrillic]],
    ['100%', () => [percent]],
    ['f_a', () => [percent]],
    ['0%o', () => []],
    [String.raw`c:\t`, () => [percent]],
    ['title', () => []],
    ['payload', () => []],
    ['order sale', () => []],
    ["'; drop table notifications; --", () => []],
  ])('a search finds the texts that contain %j', async (text, expected) => {
    expect(await found(app.appId, { text })).toEqual(expected());
  });

  test('a payload whose text is not a string is skipped', async () => {
    const other = await insertAppWithAudience(database.db);
    await insertText(other, { alert: { title: 'needle' } });
    expect(await found(other.appId, { text: 'needle' })).toEqual([]);
  });
});

describe('a search looks at 10,000 notifications per page', () => {
  let app: AppWithAudience;
  let oldest: string;

  beforeAll(async () => {
    app = await insertAppWithAudience(database.db);
    oldest = await insertText(app, { alert: 'the needle' }, START);
    await database.db
      .updateTable('notifications')
      .set({ state: 'failed' })
      .where('id', '=', oldest)
      .execute();
    await insertMany(app, 10_000, START);
  });

  test.each([{ text: 'needle' }, { state: 'failed' }])(
    'a search for %j that ends at 10,000 notifications says how far it got, and goes on',
    async (query) => {
      const first = await list(app.appId, query);
      expect(first.notifications).toEqual([]);
      expect(first.meta.searched_until).toBe(new Date(START + 1).toISOString());
      expect(first.meta.cursor).not.toBeNull();
      const next = await list(app.appId, { ...query, cursor: first.meta.cursor });
      expect(next.notifications.map(({ id }) => id)).toEqual([oldest]);
      expect(next.meta).toMatchObject({ cursor: null, searched_until: null });
    },
  );

  test('a full page says nothing about the bound of the search', async () => {
    const { meta, notifications } = await list(app.appId, { text: 'hi', per: '5' });
    expect(notifications).toHaveLength(5);
    expect(meta.searched_until).toBeNull();
    expect(meta.cursor).not.toBeNull();
  });

  test('a search for words that only the JSON has reads 500 notifications a page, and goes on', async () => {
    const first = await list(app.appId, { text: 'payload' });
    expect(first.notifications).toEqual([]);
    expect(first.meta.searched_until).toBe(new Date(START + 10_000 - 499).toISOString());
    const next = await list(app.appId, { text: 'payload', cursor: first.meta.cursor });
    expect(next.meta.searched_until).toBe(new Date(START + 10_000 - 999).toISOString());
  });

  test('the pages of a search show each match once', async () => {
    const many = await insertAppWithAudience(database.db);
    const wanted: string[] = [];
    for (let index = 0; index < 12; index += 1) {
      const id = await insertText(many, { alert: index % 2 === 0 ? 'needle' : 'hay' }, START + index);
      if (index % 2 === 0) wanted.unshift(id);
    }
    const seen = await idsByPage(many.appId, { text: 'needle', per: '2' });
    expect(seen.flat()).toEqual(wanted);
  });
});

test.each([
  ...['', 'sent ', 'SENT', 'done', ['sent', 'failed']].map((state) => ['state', { state }] as const),
  ...['', '5f0c0c1', '5f0c0c1g', '5f0c0c1e0', `${randomUUID()}0`, ['5f0c0c1e']].map(
    (id) => ['id', { id }] as const,
  ),
  ...['', '   ', 'x'.repeat(201), 'a b c d e f g h i j k', ['a']].map((text) => ['text', { text }] as const),
])('a search refuses a bad %s: %j', async (path, query) => {
  const refused = { code: 'invalid_request', details: [{ path }] };
  await expect(list(randomUUID(), query)).rejects.toMatchObject(refused);
});
