/** The statements about the numbers of an A/B test by variant. */
import { type Kysely, sql, type Transaction } from 'kysely';
import { columnParameter, listParameter } from '../../db/prepared.ts';
import type { Database } from '../../db/tables.ts';
import { type OutcomeKind, outcomeKinds } from '../../delivery/outcomes/packed.ts';
import type { ReceiptSums } from './receipt-store.ts';
import type { NotificationKey } from '../../delivery/slice-store.ts';

export interface VariantCounts extends ReceiptSums, Record<OutcomeKind, number> {
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
    select variant, coalesce(c.opened, 0) + coalesce(o.opened, 0) as opened,
      ${sql.join(['asked', 'received', 'shown', ...outcomeKinds].map((name) => sql`coalesce(${sql.ref(`c.${name}`)}, 0) as ${sql.id(name)}`))}
    from counted as c full join opened as o using (variant)`.execute(db);
  return rows;
}

export async function addReceiptSums(
  transaction: Transaction<Database>,
  { appId, notificationId }: NotificationKey,
  sums: ReadonlyMap<string, ReceiptSums>,
): Promise<void> {
  if (sums.size === 0) return;
  const all = [...sums.values()];
  await sql`
    insert into variant_counts as c (app_id, notification_id, variant, asked, received, shown)
    select ${appId}::uuid, ${notificationId}::uuid, variant, asked, received, shown
    from unnest(
      ${listParameter([...sums.keys()], 'text')}, ${columnParameter(all, 'int', (sum) => sum.asked)},
      ${columnParameter(all, 'int', (sum) => sum.received)}, ${columnParameter(all, 'int', (sum) => sum.shown)}
    ) as new (variant, asked, received, shown)
    on conflict (app_id, notification_id, variant) do update set
      asked = c.asked + excluded.asked, received = c.received + excluded.received,
      shown = c.shown + excluded.shown`.execute(transaction);
}
