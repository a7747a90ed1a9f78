/** The pages of the list of notifications, and the count of newer ones. */
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { countNewer, type NewerNotifications, newerQuery } from '../../../src/notifications/look-up/list.ts';
import { parseBy } from '../../../src/api/parse.ts';
import { type AppWithAudience, insertAppWithAudience, insertNotification } from '../rows.ts';
import { START, useLists } from './lists.ts';

const { database, list, found, idsByPage, insertText, insertMany } = useLists();

async function newer(appId: string, query: unknown): Promise<NewerNotifications> {
  return countNewer(database.db, appId, parseBy(newerQuery, query));
}

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

  test('the list has the newest 25 by default', async () => {
    expect(await found(app.appId, {})).toEqual(ids.slice(0, 25));
  });

  test.each(['1', '7', '10', '29', '30', '100'])(
    'the list shows every notification once, newest first, in pages of %s',
    async (per) => {
      const seen = await idsByPage(app.appId, { per });
      for (const page of seen) {
        expect(page.length).toBeGreaterThan(0);
        expect(page.length).toBeLessThanOrEqual(Number(per));
      }
      expect(seen.flat()).toEqual(ids);
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
      await expect(list(app.appId, query)).rejects.toMatchObject({
        code: 'invalid_request',
        details: [{ path }],
      });
    });

    test('the list refuses a bad per and a bad cursor together, with both faults', async () => {
      await expect(list(app.appId, { per: '0', cursor: 'x' })).rejects.toMatchObject({
        details: [{ path: 'per' }, { path: 'cursor' }],
      });
    });
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

function encoded(text: string): string {
  return Buffer.from(text).toString('base64url');
}
