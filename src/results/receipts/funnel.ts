/** The funnel of a notification: pushes that were accepted by a gateway, received, shown and opened. */
import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import type { Database } from '../../db/tables.ts';
import { parseContent } from '../../notifications/message.ts';
import { count } from '../../api/reply.ts';
import type { NotificationKey } from '../../delivery/slice-store.ts';
import { estimate } from './confidence-interval.ts';

const share = z.number().min(0).max(1);

const estimated = z
  .strictObject({
    reported: count.describe('Devices of the sample that have reported it.'),
    share: share.describe('`reported` divided by `asked`.'),
    low: share.describe('The lower end of the 95% confidence interval of the share, by Wilson’s formula.'),
    high: share,
    devices: count.describe('The share of all accepted devices: the estimate for the notification.'),
  })
  .meta({ id: 'FunnelStep' })
  .nullable()
  .describe('Null if no receipts are asked for, or none have been counted.');

export const funnelReply = z
  .strictObject({
    sample: share
      .nullable()
      .describe('The share of the devices that are asked; null: no receipts are asked for.'),
    accepted: count.describe('Devices whose push a gateway has accepted.'),
    asked: count.describe(
      'Accepted devices that are in the sample. They are counted with the first receipts, slice by slice, as slices end.',
    ),
    received: estimated,
    shown: estimated,
    opened: count.describe(
      'Devices that have reported an open, in the sample or not. This is not an estimate.',
    ),
  })
  .meta({ id: 'Funnel' });

export type Funnel = z.output<typeof funnelReply>;

interface FunnelRow {
  body: string;
  accepted: number;
  asked: number;
  received: number;
  shown: number;
  opens: number;
}

/** @returns undefined if the app has no such notification */
export async function readFunnel(
  db: Kysely<Database>,
  { appId, notificationId }: NotificationKey,
): Promise<Funnel | undefined> {
  const { rows } = await sql<FunnelRow>`
    select n.body, n.accepted, coalesce(c.asked, 0) as asked, coalesce(c.received, 0) as received,
      coalesce(c.shown, 0) as shown,
      n.opens_pruned + (
        select count(*) from opens as o where o.app_id = n.app_id and o.notification_id = n.id
      ) as opens
    from notifications as n
    left join receipt_counts as c on c.app_id = n.app_id and c.notification_id = n.id
    where n.app_id = ${appId} and n.id = ${notificationId}`.execute(db);
  const [row] = rows;
  if (row === undefined) return undefined;
  const { receipts } = parseContent(row.body);
  const { accepted, asked } = row;
  const step = (reported: number): Funnel['received'] => {
    if (receipts === undefined || asked === 0) return null;
    const of = estimate(reported, asked, accepted);
    return { reported, ...of, devices: Math.round(of.share * accepted) };
  };
  return {
    sample: receipts === undefined ? null : (receipts.sample ?? 1),
    accepted,
    asked,
    received: step(row.received),
    shown: step(row.shown),
    opened: row.opens,
  };
}
