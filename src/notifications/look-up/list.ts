/** Lists an app's notifications, newest first, in pages, and counts newer ones. */
import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../db/tables.ts';
import { bulkShare } from '../../scheduling/event-loop-share.ts';
import { cursorOf, pageCursor, wholeNumber } from '../../api/page-cursor.ts';
import { count, timeText } from '../../api/reply.ts';
import {
  countedColumns,
  notificationFrom,
  type NotificationReply,
  notificationReply,
  type ReplyRow,
} from './notification-reply.ts';
import { filterQuery, readBody, SEARCHED_MAX, searchNotifications, shortBody } from './search.ts';

const PER_PAGE_MAX = 100;
const PER_PAGE_DEFAULT = 25;
/** The limit for the submitted JSON of a page's notifications. A longer page ends early. */
const PAGE_CHARACTERS_MAX = 2_000_000;

const NEWER_MAX = 100;
/** Clients poll this count, so it reads fewer rows than a page. */
const NEWER_SEARCHED_MAX = 1_000;

export const listReply = z
  .strictObject({
    notifications: z.array(notificationReply),
    meta: z
      .strictObject({
        cursor: z
          .string()
          .nullable()
          .describe(
            'Leads to the next page; null on the last one. A page may have fewer than `per`, even none.',
          ),
        newest: z
          .string()
          .nullable()
          .describe(
            'The position of the first notification, for `GET /v6/notifications/newer`; null if there is none.',
          ),
        searched_until: timeText
          .nullable()
          .describe(
            `With \`state\` or \`text\`: a page searches at most ${SEARCHED_MAX} notifications. If the search stopped there, this ` +
              'is when the last of them was created, and `cursor` continues from it; null otherwise.',
          ),
      })
      .meta({ id: 'NotificationListMeta' }),
  })
  .meta({ id: 'NotificationList' });

export type NotificationList = z.output<typeof listReply>;

export const newerReply = z
  .strictObject({
    count: count.max(NEWER_MAX),
    more: z.boolean().describe(`Whether there may be more: at most ${NEWER_MAX} are counted.`),
  })
  .meta({ id: 'NewerNotifications' });

export type NewerNotifications = z.output<typeof newerReply>;

/** The query parameters. All arrive as text. */
export const listQuery = z.object({
  per: wholeNumber(PER_PAGE_MAX, 'Notifications per page.').default(PER_PAGE_DEFAULT),
  cursor: pageCursor,
  ...filterQuery,
});

export const newerQuery = z.object({
  than: pageCursor.meta({
    type: 'string',
    description: '`meta.newest` of a page. Without it, all notifications count as newer.',
  }),
  ...filterQuery,
});

export async function listNotifications(
  db: Kysely<Database>,
  appId: string,
  { per, cursor: olderThan, ...filters }: z.output<typeof listQuery>,
  clock: Clock,
): Promise<NotificationList> {
  const limit = per + 1; // one more, to know whether there is a next page
  const { rows, stoppedAt } = await searchNotifications(db, appId, filters, { olderThan, limit }, (select) =>
    select.select([...countedColumns, shortBody]),
  );
  const page = await replies(db, appId, rows.slice(0, per), clock());
  const [first] = rows;
  const last = rows.length > page.length ? rows[page.length - 1] : undefined;
  const next = last === undefined ? stoppedAt : positionOf(last);
  return {
    notifications: page,
    meta: {
      cursor: next === undefined ? null : cursorOf(next),
      newest: first === undefined ? null : cursorOf(positionOf(first)),
      searched_until: last === undefined ? (stoppedAt?.createdAt.toISOString() ?? null) : null,
    },
  };
}

/** Counts the notifications that were created after the position `than`, at most 100. */
export async function countNewer(
  db: Kysely<Database>,
  appId: string,
  { than: newerThan, ...filters }: z.output<typeof newerQuery>,
): Promise<NewerNotifications> {
  const range = { newerThan, limit: NEWER_MAX + 1, searchedMax: NEWER_SEARCHED_MAX };
  const { rows, stoppedAt } = await searchNotifications(db, appId, filters, range, (select) =>
    select.select(['id', 'created_at', shortBody]),
  );
  return {
    count: Math.min(rows.length, NEWER_MAX),
    more: rows.length > NEWER_MAX || stoppedAt !== undefined,
  };
}

/** @returns the replies of the first rows, as many as fit into a page; at least one */
async function replies(
  db: Kysely<Database>,
  appId: string,
  rows: readonly (Omit<ReplyRow, 'body'> & { body: string | null })[],
  now: Date,
): Promise<NotificationReply[]> {
  const page: NotificationReply[] = [];
  let characters = 0;
  for (const row of rows) {
    await bulkShare.whenFree();
    const body = await readBody(db, appId, row);
    characters += body.length;
    if (page.length > 0 && characters > PAGE_CHARACTERS_MAX) break;
    page.push(notificationFrom({ ...row, body }, now));
  }
  return page;
}

function positionOf(row: { created_at: Date; id: string }) {
  return { createdAt: row.created_at, id: row.id };
}
