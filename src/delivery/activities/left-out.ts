/** Decides, for each device of an update of a Live Activity, whether its content is still wanted. */
import { type RawBuilder, sql } from 'kysely';
import type { PushMessage } from '../../gateways/gateway.ts';

/** Why a device gets no update: a code of `gateways/reason.ts`. */
export type LeftOut = 'replaced' | 'activity_ended';

interface Update {
  notificationId: string;
  /** When the notification was created. */
  createdAt: Date;
}

/** @returns undefined if the message is not an update: only updates are left out */
export function leftOutOf(
  { notificationId, apns }: PushMessage,
  createdAt: Date,
): RawBuilder<LeftOut | null> | undefined {
  if (apns?.activity?.event !== 'update') return undefined;
  return leftOut({ notificationId, createdAt });
}

/**
 * SQL over the row `t` of `named_tokens`: null for a device that gets the update. A newer update or end of the activity replaces
 * it, unless that was canceled or failed. An end that was created before the update, but after the app registered the token,
 * has ended the activity that the token belongs to.
 */
function leftOut({ notificationId, createdAt }: Update): RawBuilder<LeftOut | null> {
  const own = sql`(${createdAt}::timestamptz, ${notificationId}::uuid)`;
  const isNewer = sql`(p.created_at, p.notification_id) > ${own}`;
  const isSince = sql`p.created_at >= t.registered_at and (p.created_at, p.notification_id) < ${own}`;
  return sql<LeftOut | null>`case
    when ${exists('end', isSince)} then 'activity_ended'
    when ${exists('update', isNewer)} or ${exists('end', isNewer)} then 'replaced'
  end`;
}

/** SQL over the same row: there is such an update or end of the activity for the device. @param when a condition on `p` */
function exists(event: 'update' | 'end', when: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`exists (
      select from activity_pushes as p join notifications as n on n.app_id = p.app_id and n.id = p.notification_id
      where p.app_id = t.app_id and p.activity_id = t.name and p.event = ${sql.lit(event)} and ${when}
        and (p.device_id is null or p.device_id = t.device_id) and n.state not in ('canceled', 'failed')
    )`;
}
