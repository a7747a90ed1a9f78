import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { listNotifications, listQuery, type NotificationList } from '../../src/notifications/look-up/list.ts';
import { parseBy } from '../../src/api/parse.ts';
import { useTestDatabase } from '../support/database.ts';
import { type AppWithAudience, insertAppWithAudience, insertNotification } from './rows.ts';

const database = useTestDatabase();
const clock = (): Date => new Date('2026-11-21T10:00:08Z');
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

/** Lists with the query of a URL. */
async function list(appId: string, query: unknown): Promise<NotificationList> {
  return listNotifications(database.db, appId, parseBy(listQuery, query), clock);
}

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

function encoded(text: string): string {
  return Buffer.from(text).toString('base64url');
}

describe('refused queries', () => {
  const now = '2026-11-21T10:00:00.000Z';
  test.each([
    ...['0', '101', '-1', '1.5', 'ten', '', '1e1', '007', ['1', '2']].map((per) => ['per', { per }] as const),
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
