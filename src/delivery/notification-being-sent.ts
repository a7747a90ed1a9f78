import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { Filter } from '../audiences/filter.ts';
import { filtersOfAudience } from '../audiences/audience-store.ts';
import type { Database } from '../db/tables.ts';
import type { GatewayName } from '../gateways/gateway.ts';
import type { NotificationKey } from './slice-store.ts';

/** A notification as delivery needs it: what `notifications/message` compiles from, and whom it is for. */
export interface NotificationBeingSent {
  id: string;
  body: string;
  due_at: Date;
  bundleId: string;
  filters: Filter[];
  /** When it was planned: relative math-dates are evaluated at this moment, in every slice the same. */
  startedAt: Date;
  lane: 'direct' | 'bulk';
  refused: Partial<Record<GatewayName, string>>;
}

const refusedSchema = z.object({ apns: z.string(), fcm: z.string() }).partial();

/** @throws where the row is gone, which a leased slice rules out */
export async function readNotificationBeingSent(
  db: Kysely<Database>,
  key: NotificationKey,
): Promise<NotificationBeingSent> {
  const row = await db
    .selectFrom('notifications as n')
    .innerJoin('apps', 'apps.id', 'n.app_id')
    .innerJoin('audiences as a', (join) =>
      join.onRef('a.app_id', '=', 'n.app_id').onRef('a.id', '=', 'n.audience_id'),
    )
    .select([
      'n.id',
      'n.body',
      'n.due_at',
      'n.started_at',
      'n.lane',
      'n.refused',
      'apps.bundle_id',
      'a.filters',
    ])
    .where('n.app_id', '=', key.appId)
    .where('n.id', '=', key.notificationId)
    .executeTakeFirstOrThrow();
  return {
    id: row.id,
    body: row.body,
    due_at: row.due_at,
    bundleId: row.bundle_id,
    filters: filtersOfAudience(row.filters),
    startedAt: row.started_at ?? row.due_at,
    lane: row.lane,
    refused: withoutUndefined(refusedSchema.parse(row.refused)),
  };
}

function withoutUndefined({
  apns,
  fcm,
}: z.infer<typeof refusedSchema>): Partial<Record<GatewayName, string>> {
  return { ...(apns !== undefined && { apns }), ...(fcm !== undefined && { fcm }) };
}
