/** Saves the ends of notifications that were sent as a whole (`claim-store.ts`): one statement for many of them. */
import { type Kysely, sql } from 'kysely';
import { fewRows, listParameter, preparedAs } from '../../db/prepared.ts';
import type { Database } from '../../db/tables.ts';
import { type Claimed, columnsOf, stillClaimed } from '../claims/claim-store.ts';
import { type MovedBadge, movingBadges } from '../badges/moving-badges.ts';
import { type OutcomeKind, pushOutcomes } from './packed.ts';
import type { OutcomeCounts } from './slice-outcomes.ts';

/** The end of a claim whose devices all have an outcome. */
export interface ClaimEnd extends Claimed {
  /** Packed, of all its devices. */
  outcomes: Buffer;
  counts: OutcomeCounts;
  movedBadges: readonly MovedBadge[];
}

/** @returns the new states by the id of the notification; a claim that is no longer valid is left out */
export async function endClaims(
  db: Kysely<Database>,
  ends: readonly ClaimEnd[],
  now: Date,
): Promise<ReadonlyMap<string, 'sent' | 'canceled'>> {
  const { appIds, ids, startedAt } = columnsOf(ends);
  const outcomes = ends.map((end) => end.outcomes);
  const badges = movingBadges(
    ends.flatMap(({ appId, notificationId, movedBadges }) =>
      movedBadges.map((badge) => ({ ...badge, appId, of: notificationId })),
    ),
    'claims',
  );
  const countsOf = (kind: OutcomeKind) =>
    listParameter(
      ends.map(({ counts }) => counts[kind]),
      'int',
    );
  const { rows } = await sql<{
    id: string;
    state: 'sent' | 'canceled';
  }>`${preparedAs(`end_claims${badges.suffix}`)}
    with ended as (
      update notifications as n set
        outcomes = claim.outcomes,
        accepted = claim.accepted,
        rejected = claim.rejected,
        unregistered = claim.unregistered,
        no_token = claim.no_token,
        ambiguous = claim.ambiguous,
        state = case n.state when 'sending' then 'sent' else n.state end,
        reason = case n.state when 'sending' then null else n.reason end,
        ended_at = case n.state when 'sending' then ${now} else n.ended_at end,
        encrypted_body = null
      from unnest(
        ${listParameter(appIds, 'uuid')}, ${listParameter(ids, 'uuid')}, ${listParameter(startedAt, 'timestamptz')},
        ${listParameter(outcomes, 'bytea')}, ${sql.join(pushOutcomes.map(countsOf))}
      ) with ordinality as claim
        (app_id, id, started_at, outcomes, ${sql.join(pushOutcomes.map((kind) => sql.ref(kind)))}, position)
      where ${fewRows} and n.app_id = claim.app_id and n.id = claim.id and ${stillClaimed('n')}
        and n.started_at = claim.started_at
      returning n.app_id, n.id, n.state, n as row
    ), announced as (
      insert into webhook_deliveries (app_id, webhook_id, id, type, data, created_at, due_at)
      select w.app_id, w.id, gen_random_uuid(), 'notification.sent', notification_end_data(ended.row), ${now}, ${now}
      from ended join webhooks as w on w.app_id = ended.app_id
      where ended.state = 'sent' and 'notification.sent' = any (w.events)
      for key share of w
    )${badges.expressions}
    select id, state from ended`.execute(db);
  return new Map(rows.map(({ id, state }) => [id, state]));
}
