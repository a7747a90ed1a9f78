import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  countNewer,
  listNotifications,
  type NotificationList,
  listQuery,
  type NewerNotifications,
  newerQuery,
} from '../../src/notifications/look-up/list.ts';
import { parseBy } from '../../src/api/parse.ts';
import { useTestDatabase } from '../support/database.ts';
import { tableReads } from '../support/statements.ts';
import { type AppWithAudience, insertAppWithAudience, insertNotification } from './rows.ts';

const database = useTestDatabase();
const clock = (): Date => new Date('2026-11-21T10:00:08Z');
const START = Date.UTC(2026, 10, 21);

async function list(appId: string, query: unknown): Promise<NotificationList> {
  return listNotifications(database.db, appId, parseBy(listQuery, query), clock);
}

async function found(appId: string, query: unknown): Promise<string[]> {
  return (await list(appId, query)).notifications.map(({ id }) => id);
}

async function newer(appId: string, query: unknown): Promise<NewerNotifications> {
  return countNewer(database.db, appId, parseBy(newerQuery, query));
}

async function insertText(app: AppWithAudience, payload: object, at = START): Promise<string> {
  const body = JSON.stringify({ to: '*', payload });
  return insertNotification(database.db, app, { body, created_at: new Date(at) });
}

/** Notifications one millisecond apart, with nothing that is searched for. */
async function insertMany(app: AppWithAudience, count: number, from: number): Promise<void> {
  await sql`
    insert into notifications (app_id, id, audience_id, body, state, created_at, due_at, request_id)
    select ${app.appId}, gen_random_uuid(), ${app.audienceId}, '{"to":"*","payload":{"alert":"Hi"}}', 'sent',
      ${new Date(from)}::timestamptz + number * interval '1 ms', ${new Date(from)}, 'request-1'
    from generate_series(1, ${count}) as number`.execute(database.db);
}

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
    const seen: string[] = [];
    let cursor: string | null | undefined;
    while (cursor !== null) {
      const page = await list(many.appId, {
        text: 'needle',
        per: '2',
        ...(cursor !== undefined && { cursor }),
      });
      seen.push(...page.notifications.map(({ id }) => id));
      cursor = page.meta.cursor;
    }
    expect(seen).toEqual(wanted);
  });
});

describe('newer', () => {
  test('the count of newer notifications has the ones created since a page, and only the filtered ones', async () => {
    const app = await insertAppWithAudience(database.db);
    await insertText(app, { alert: 'one' }, START);
    const { meta } = await list(app.appId, {});
    const than = meta.newest;
    expect(await newer(app.appId, { than })).toEqual({ count: 0, more: false });
    await insertText(app, { alert: 'two' }, START + 1);
    await insertText(app, { alert: 'three' }, START + 2);
    expect(await newer(app.appId, { than })).toEqual({ count: 2, more: false });
    expect(await newer(app.appId, { than, text: 'two' })).toEqual({ count: 1, more: false });
    expect(await newer(app.appId, { than, state: 'sent' })).toEqual({ count: 0, more: false });
    expect(await newer(app.appId, {})).toEqual({ count: 3, more: false });
  });

  test('the count of newer notifications is 100 at most', async () => {
    const app = await insertAppWithAudience(database.db);
    await insertMany(app, 100, START);
    expect(await newer(app.appId, {})).toEqual({ count: 100, more: false });
    await insertMany(app, 1, START + 1_000);
    expect(await newer(app.appId, {})).toEqual({ count: 100, more: true });
  });

  test('the count of newer notifications looks at the newest 1,000 for a state', async () => {
    const app = await insertAppWithAudience(database.db);
    await insertMany(app, 1_001, START);
    expect(await newer(app.appId, { state: 'failed' })).toEqual({ count: 0, more: true });
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

describe('the pages of a list', () => {
  let app: AppWithAudience;
  /** Ids of the notifications, newest first. */
  let ids: string[];

  beforeAll(async () => {
    app = await insertAppWithAudience(database.db);
    const rows: { id: string; at: number }[] = [];
    for (let index = 0; index < 30; index += 1) {
      // Three of them share each millisecond, so that the id must decide their order.
      const at = Date.UTC(2026, 10, 21) + Math.floor(index / 3);
      const id = await insertNotification(database.db, app, { created_at: new Date(at) });
      rows.push({ id, at });
    }
    ids = rows.sort((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1)).map((row) => row.id);
  });

  async function page(query: unknown): Promise<{ ids: string[]; cursor: string | null }> {
    const { notifications, meta } = await list(app.appId, query);
    return { ids: notifications.map((record) => record.id), cursor: meta.cursor };
  }

  test('the list has the newest 25 by default', async () => {
    expect((await page({})).ids).toEqual(ids.slice(0, 25));
  });

  test.each(['1', '7', '10', '29', '30', '100'])(
    'the list shows every notification once, newest first, in pages of %s',
    async (per) => {
      const seen: string[] = [];
      let cursor: string | null | undefined;
      while (cursor !== null) {
        const next = await page(cursor === undefined ? { per } : { per, cursor });
        expect(next.ids.length).toBeGreaterThan(0);
        expect(next.ids.length).toBeLessThanOrEqual(Number(per));
        seen.push(...next.ids);
        cursor = next.cursor;
      }
      expect(seen).toEqual(ids);
    },
  );

  test('a notification created between two pages shifts nothing', async () => {
    const other = await insertAppWithAudience(database.db);
    const [first, second] = [
      await insertNotification(database.db, other, { created_at: new Date('2026-11-21T10:00:00Z') }),
      await insertNotification(database.db, other, { created_at: new Date('2026-11-21T10:00:01Z') }),
    ];
    const newest = await list(other.appId, { per: '1' });
    await insertNotification(database.db, other, { created_at: new Date('2026-11-21T10:00:02Z') });
    const next = await list(other.appId, { per: '1', cursor: newest.meta.cursor });
    expect(newest.notifications.map((record) => record.id)).toEqual([second]);
    expect(next.notifications.map((record) => record.id)).toEqual([first]);
    expect(next.meta.cursor).toBeNull();
  });

  test('an app without notifications has an empty list', async () => {
    const other = await insertAppWithAudience(database.db);
    expect(await list(other.appId, {})).toEqual({
      notifications: [],
      meta: { cursor: null, newest: null, searched_until: null },
    });
  });

  describe('refused queries', () => {
    const now = '2026-11-21T10:00:00.000Z';
    test.each([
      ...['0', '101', '-1', '1.5', 'ten', '', '1e1', '007', ['1', '2']].map(
        (per) => ['per', { per }] as const,
      ),
      ...[
        '',
        'x',
        encoded(now),
        encoded(`${now} nonsense`),
        encoded(`2026-13-01T00:00:00.000Z ${randomUUID()}`),
        encoded(`+275760-09-13T00:00:00.000Z ${randomUUID()}`),
        encoded(`${now} ${randomUUID()} more`),
        `${encoded(`${now} ${randomUUID()}`)}!`,
        ['a', 'b'],
      ].map((cursor) => ['cursor', { cursor }] as const),
    ])('the list refuses a bad %s: %j', async (path, query) => {
      await expect(page(query)).rejects.toMatchObject({ code: 'invalid_request', details: [{ path }] });
    });

    test('the list refuses a bad per and a bad cursor together, with both faults', async () => {
      await expect(page({ per: '0', cursor: 'x' })).rejects.toMatchObject({
        details: [{ path: 'per' }, { path: 'cursor' }],
      });
    });
  });
});

function encoded(text: string): string {
  return Buffer.from(text).toString('base64url');
}
