import { type Selectable, sql } from 'kysely';
import { z } from 'zod';
import type { NotificationsTable } from '../../db/tables.ts';
import { parseJson } from '../../json/lossless.ts';
import { isJsonObject } from '../../api/parse.ts';
import { count, idText, timeText } from '../../api/reply.ts';
import { averageSecondsLeft, counterColumns, countersOf, countersReply, HELD } from '../counters.ts';
import { warningsReply } from '../preview/warning.ts';
import { waveReply } from '../moment/wave-reply.ts';
import { shortTargetOf } from '../target.ts';

/** Contains raw JSON numbers, so serialize it with `stringifyJson`. */
const submitted: z.ZodType = z
  .looseObject({})
  .describe(
    'The same JSON as submitted; numbers keep every digit. Sensitive texts are replaced by `[hidden]`.',
  );

/** The fields that the reply to a create request shares with replies about a stored notification. */
const submittedReply = z.strictObject({
  created_at: timeText,
  state: z.literal('scheduled'),
  id: idText,
  to: z
    .strictObject({
      id: z
        .string()
        .describe(
          'The id of the audience (a stored one, one made from the filters, or the audience of all devices), or the ' +
            'submitted `device_id` or `user_id`, for which no audience is stored.',
        ),
      type: z.enum(['Audience', 'Device', 'User']),
    })
    .meta({ id: 'SentTo' }),
  notification: submitted,
});

export const createdReply = submittedReply
  .extend({
    warnings: warningsReply.optional().describe('Only for a dry run: the same warnings as in its preview.'),
  })
  .meta({ id: 'CreatedNotification' });

export type CreatedNotification = z.output<typeof createdReply>;

export const notificationReply = submittedReply
  .extend({
    to: submittedReply.shape.to
      .extend({
        name: z.string().nullable().describe('The name of the audience; null for a device or a user.'),
      })
      .meta({ id: 'NotificationTo' }),
    made_by: z
      .strictObject({
        type: z.enum(['key', 'user']),
        id: idText.describe('The id of the API key, or of the user of the console.'),
        name: z
          .string()
          .nullable()
          .describe('The name of the user or of the key; null for a key without one.'),
      })
      .meta({ id: 'NotificationAuthor' })
      .nullable()
      .describe(
        'Who made it; null if it is not known: a user who was removed, or a notification of an earlier release.',
      ),
    ...countersReply.shape,
    // Outcomes are counted per slice (about 1,000 devices), so the estimate is coarse for small audiences.
    estimated_seconds_left: count
      .nullable()
      .describe(
        'Seconds until every device has its outcome, at the average rate since `started_at`. Null ' +
          'while it is not being sent, before the first outcomes are recorded, and while some devices ' +
          'wait for a paused route.',
      ),
    waves: z
      .array(waveReply)
      .describe(
        'Its devices, by due moment. Only in the reply to reading one notification, and only if it ' +
          'has been planned and its devices are due at different moments (`deliver_at_local`, ' +
          '`spread_over`).',
      )
      .exactOptional(),
  })
  .meta({ id: 'Notification' });

export type NotificationReply = z.output<typeof notificationReply>;
export type NotificationState = NotificationReply['state'];

const storedColumns = ['id', 'audience_id', 'created_at', ...counterColumns] as const;

type StoredColumn = (typeof storedColumns)[number] | 'body';
type Maker = NonNullable<z.output<typeof notificationReply>['made_by']>;

export type ReplyRow = Pick<Selectable<NotificationsTable>, StoredColumn> & {
  audience_name: string | null;
  maker: Maker | null;
  held: number;
  waits_for_route: boolean;
};

/** The columns that the reply is made from, without `body`. */
export const countedColumns = [
  ...storedColumns,
  sql<number>`${sql.raw(HELD)}`.as('held'),
  // Paused routes are rare, so slices are hardly ever looked at.
  sql<boolean>`state = 'sending' and exists (
    select from route_states as r
    join delivery_slices as d on d.app_id = r.app_id and d.notification_id = notifications.id
      and d.state <> 'done' and r.route = any(d.waits_for)
    where r.app_id = notifications.app_id and r.pause is not null)`.as('waits_for_route'),
  sql<string | null>`(select a.name from audiences as a
    where a.app_id = notifications.app_id and a.id = notifications.audience_id)`.as('audience_name'),
  sql<Maker | null>`coalesce(
    (select json_build_object('type', 'key', 'id', k.id, 'name', k.name) from api_keys as k
      where k.id = notifications.made_by and k.app_id = notifications.app_id),
    (select json_build_object('type', 'user', 'id', u.id, 'name', u.name) from console_users as u
      where u.id = notifications.made_by))`.as('maker'),
] as const;

/** The columns that the reply is made from; for a statement that reads or changes `notifications`. */
export const replyColumns = [...countedColumns, 'body'] as const;

/** Makes the reply to a create request without its warnings, also if it is repeated with its idempotency key. */
export function createdNotification(
  row: Pick<ReplyRow, 'id' | 'audience_id' | 'created_at'>,
  notification: unknown,
): CreatedNotification {
  return {
    created_at: row.created_at.toISOString(),
    state: 'scheduled',
    id: row.id,
    to: targetReply(row.audience_id, notification),
    notification,
  };
}

function targetReply(audienceId: string | null, notification: unknown): CreatedNotification['to'] {
  if (audienceId !== null) return { id: audienceId, type: 'Audience' };
  const target = isJsonObject(notification) ? shortTargetOf(notification['to']) : undefined;
  if (target === undefined)
    throw new Error('a stored notification has neither an audience nor a short target');
  return { id: target.id, type: target.kind === 'device_id' ? 'Device' : 'User' };
}

export function notificationFrom(row: ReplyRow, now: Date): NotificationReply {
  const created = createdNotification(row, parseJson(row.body));
  const counters = countersOf(row);
  return {
    ...created,
    to: { ...created.to, name: row.audience_name },
    made_by: row.maker,
    ...counters,
    estimated_seconds_left: row.waits_for_route ? null : averageSecondsLeft(counters, now),
  };
}
