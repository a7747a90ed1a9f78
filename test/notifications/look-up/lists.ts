/** Lists notifications as a call does, and inserts some to be found. */
import { sql } from 'kysely';
import {
  listNotifications,
  type NotificationList,
  listQuery,
} from '../../../src/notifications/look-up/list.ts';
import { parseBy } from '../../../src/api/parse.ts';
import { useTestDatabase } from '../../support/database.ts';
import { type AppWithAudience, insertNotification } from '../rows.ts';

export const START = Date.UTC(2026, 10, 21);
export const clock = (): Date => new Date('2026-11-21T10:00:08Z');

export function useLists() {
  const database = useTestDatabase();

  async function list(appId: string, query: unknown): Promise<NotificationList> {
    return listNotifications(database.db, appId, parseBy(listQuery, query), clock);
  }

  return {
    database,
    list,
    /** The ids on the first page. */
    found: async (appId: string, query: unknown): Promise<string[]> =>
      (await list(appId, query)).notifications.map(({ id }) => id),
    /** The ids on each page, from the first to the last. */
    idsByPage: async (appId: string, query: object): Promise<string[][]> => {
      const pages: string[][] = [];
      for (let cursor: string | null | undefined; cursor !== null;) {
        const { notifications, meta } = await list(appId, { ...query, ...(cursor && { cursor }) });
        pages.push(notifications.map(({ id }) => id));
        ({ cursor } = meta);
      }
      return pages;
    },
    insertText: async (app: AppWithAudience, payload: object, at = START): Promise<string> => {
      const body = JSON.stringify({ to: '*', payload });
      return insertNotification(database.db, app, { body, created_at: new Date(at) });
    },
    /** Notifications one millisecond apart, with nothing that is searched for. */
    insertMany: async (app: AppWithAudience, count: number, from: number): Promise<void> => {
      await sql`
        insert into notifications (app_id, id, audience_id, body, state, created_at, due_at, request_id)
        select ${app.appId}, gen_random_uuid(), ${app.audienceId}, '{"to":"*","payload":{"alert":"Hi"}}', 'sent',
          ${new Date(from)}::timestamptz + number * interval '1 ms', ${new Date(from)}, 'request-1'
        from generate_series(1, ${count}) as number`.execute(database.db);
    },
  };
}
