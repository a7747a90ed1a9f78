/**
 * Claims: notifications for few devices that a worker sends as a whole, without a slice row. A claim is a row of
 * `notifications` in state `sending` with `slices_left = 0`. It lasts as long as a lease. A claim that cannot be finished
 * within moments, or whose worker has died, becomes the notification's only slice. A claim does not say whether its worker has
 * died or has failed: the slice is sent as carefully as after a death.
 */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { fewRows, listParameter, preparedAs } from '../../db/prepared.ts';
import type { Database } from '../../db/tables.ts';
import { SearchStart } from '../../scheduling/search-start.ts';
import { isBeingSent } from '../../unended.ts';
import { LEASE_MS, leaseEnd, type LeasedSlice, type NotificationKey } from '../slice-store.ts';
import { ALL_IDS } from '../start/id-ranges.ts';

/** Claims of others that one statement frees. */
const FREED_MAX = 1_000;

/** A notification that this worker has claimed. */
export interface Claimed extends NotificationKey {
  /** When it was claimed, which identifies the claim. */
  startedAt: Date;
}

/** The slice that a claim becomes, if it becomes one. */
export function sliceOfClaim({
  appId,
  notificationId,
  origin,
}: NotificationKey & Pick<LeasedSlice, 'origin'>): LeasedSlice {
  return { appId, notificationId, number: 0, attempt: 1, origin, ...ALL_IDS, earlier: [] };
}

/**
 * Makes claims of this worker into slices that it has leased. The outcomes of a canceled notification are stored too, so it
 * gets its slice as well.
 * @param holder as for `leaseNextSlice`
 * @returns the ids of the notifications whose claims were still valid
 */
export async function leaseClaims(
  db: Kysely<Database>,
  claims: readonly Claimed[],
  now: Date,
  holder: string | null = null,
): Promise<ReadonlySet<string>> {
  const { appIds, ids, startedAt } = columnsOf(claims);
  const { rows } = await sql<{ id: string }>`${preparedAs('lease_claims')}
    with sliced as (
      update notifications as n set slices_left = 1
      from unnest(
        ${listParameter(appIds, 'uuid')}, ${listParameter(ids, 'uuid')}, ${listParameter(startedAt, 'timestamptz')}
      ) with ordinality as claim (app_id, id, started_at, position)
      where ${fewRows} and n.app_id = claim.app_id and n.id = claim.id and ${stillClaimed('n')}
        and n.started_at = claim.started_at
      returning n.app_id, n.id
    )
    insert into delivery_slices
      (app_id, notification_id, number, first_id, last_id, state, not_before, attempt, lease_until, holder)
    select app_id, id, 0, ${ALL_IDS.firstId}::uuid, ${ALL_IDS.lastId}::uuid, 'leased', ${now}::timestamptz, 1,
      ${leaseEnd(now)}::timestamptz, ${holder}::uuid
    from sliced
    returning notification_id as id`.execute(db);
  return new Set(rows.map(({ id }) => id));
}

/**
 * Makes claims that are older than a lease into free slices, so that any worker can finish them: a thousand per call.
 * @param start is kept for the next call
 */
export async function freeOldClaims(
  db: Kysely<Database>,
  now: Date,
  start = new SearchStart(),
): Promise<void> {
  const until = new Date(now.getTime() - LEASE_MS);
  const from = start.begin(until);
  // A claim in the future was made by a clock that has been set back since.
  const isAhead = sql`n.started_at > ${leaseEnd(now)}`;
  const isOld = sql`n.started_at < ${until}`;
  const freed = await freeClaims(db, from, start.isWhole ? sql`${isOld} or ${isAhead}` : isOld, now);
  start.end(freed < FREED_MAX ? until : from);
}

/** Makes all claims into free slices. Call it only when no worker is running. */
export async function freeAllClaims(db: Kysely<Database>, now: Date): Promise<void> {
  const start = new SearchStart();
  while ((await freeClaims(db, start.begin(now), sql`true`, now)) === FREED_MAX);
}

/**
 * The order and the limit make Postgres scan the index in its order. Such a scan marks the entries of pushes that have ended, and
 * later scans skip them. Without them, the planner takes a bitmap scan if it expects many claims, which marks nothing.
 * @returns how many it has freed
 */
async function freeClaims(
  db: Kysely<Database>,
  from: Date,
  which: RawBuilder<unknown>,
  now: Date,
): Promise<number> {
  const { numAffectedRows } = await sql`
    with old as materialized (
      select n.app_id, n.id from notifications as n
      where ${isBeingSent('n')} and n.slices_left = 0 and n.started_at >= ${from} and (${which})
      order by n.started_at
      limit ${sql.lit(FREED_MAX)}
    ), sliced as (
      update notifications as n set slices_left = 1
      from old
      where n.app_id = old.app_id and n.id = old.id and n.state = 'sending' and n.slices_left = 0
      returning n.app_id, n.id
    )
    insert into delivery_slices (app_id, notification_id, number, first_id, last_id, not_before, attempt, deaths)
    select app_id, id, 0, ${ALL_IDS.firstId}::uuid, ${ALL_IDS.lastId}::uuid, ${now}::timestamptz, 1, 1
    from sliced`.execute(db);
  return Number(numAffectedRows);
}

/** Claims in columns. */
export function columnsOf(claims: readonly Claimed[]) {
  return {
    appIds: claims.map(({ appId }) => appId),
    ids: claims.map(({ notificationId }) => notificationId),
    startedAt: claims.map((claim) => claim.startedAt),
  };
}

/** SQL condition on `notifications`: it is claimed, or was canceled while it was, and nothing has been stored. */
export function stillClaimed(alias: string): RawBuilder<boolean> {
  const column = (name: string): RawBuilder<unknown> => sql.ref(`${alias}.${name}`);
  return sql<boolean>`${column('state')} in ('sending', 'canceled') and ${column('slices_left')} = 0
    and ${column('outcomes')} is null`;
}
