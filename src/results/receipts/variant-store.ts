/** The statements about the numbers of an A/B test by variant. */
import { type Kysely, sql, type Transaction } from 'kysely';
import { listParameter } from '../../db/prepared.ts';
import type { Database } from '../../db/tables.ts';
import type { OutcomeKind } from '../../delivery/outcomes/packed.ts';
import type { Sums } from './receipt-store.ts';
import type { NotificationKey } from '../../delivery/slice-store.ts';

/** The counts that are stored by variant. */
export interface VariantCounts extends Sums, Record<OutcomeKind, number> {
  variant: string;
  /** All opens. The outcomes cover only slices that were pruned. */
  opened: number;
}

export async function readVariantCounts(
  db: Kysely<Database>,
  { appId, notificationId }: NotificationKey,
): Promise<VariantCounts[]> {
  const { rows } = await sql<VariantCounts>`
    with opened as (
      select variant, count(*) as opened from opens
      where app_id = ${appId} and notification_id = ${notificationId} and variant is not null
      group by variant
    ), counted as (
      select * from variant_counts where app_id = ${appId} and notification_id = ${notificationId}
    )
    select variant, coalesce(c.asked, 0) as asked, coalesce(c.received, 0) as received, coalesce(c.shown, 0) as shown,
      coalesce(c.opened, 0) + coalesce(o.opened, 0) as opened,
      coalesce(c.accepted, 0) as accepted, coalesce(c.rejected, 0) as rejected,
      coalesce(c.unregistered, 0) as unregistered, coalesce(c.no_token, 0) as no_token,
      coalesce(c.ambiguous, 0) as ambiguous, coalesce(c.dropped, 0) as dropped,
      coalesce(c.expired, 0) as expired, coalesce(c.capped, 0) as capped
    from counted as c full join opened as o using (variant)`.execute(db);
  return rows;
}

export async function addReceiptSums(
  transaction: Transaction<Database>,
  { appId, notificationId }: NotificationKey,
  sums: ReadonlyMap<string, Sums>,
): Promise<void> {
  if (sums.size === 0) return;
  const all = [...sums.values()];
  await sql`
    insert into variant_counts as c (app_id, notification_id, variant, asked, received, shown)
    select ${appId}::uuid, ${notificationId}::uuid, variant, asked, received, shown
    from unnest(
      ${listParameter([...sums.keys()], 'text')}, ${listParameter(
        all.map(({ asked }) => asked),
        'int',
      )}, ${listParameter(
        all.map(({ received }) => received),
        'int',
      )}, ${listParameter(
        all.map(({ shown }) => shown),
        'int',
      )}
    ) as new (variant, asked, received, shown)
    on conflict (app_id, notification_id, variant) do update set
      asked = c.asked + excluded.asked, received = c.received + excluded.received,
      shown = c.shown + excluded.shown`.execute(transaction);
}
