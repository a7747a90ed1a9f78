/** Saves the ends of notifications that were sent as a whole (`claim-store.ts`): one statement for a group of them. */
import { type Kysely, sql } from 'kysely';
import { listParameter, preparedAs } from '../../db/prepared.ts';
import type { Database } from '../../db/tables.ts';
import { type Claimed, columnsOf, stillClaimed } from '../claims/claim-store.ts';
import { type OutcomeKind, outcomeKinds } from './packed.ts';
import type { OutcomeCounts } from './slice-outcomes.ts';

/** The end of a claim whose devices all have an outcome. */
export interface WholeEnd extends Claimed {
  /** Packed, of all its devices. */
  outcomes: Buffer;
  counts: OutcomeCounts;
}

/** @returns the new states by the id of the notification; a claim that is no longer valid is left out */
export async function endClaims(
  db: Kysely<Database>,
  ends: readonly WholeEnd[],
  now: Date,
): Promise<ReadonlyMap<string, 'sent' | 'canceled'>> {
  const { appIds, ids, startedAt } = columnsOf(ends);
  const outcomes = ends.map((end) => end.outcomes);
  const countsOf = (kind: OutcomeKind) =>
    listParameter(
      ends.map(({ counts }) => counts[kind]),
      'int',
    );
  const { rows } = await sql<{ id: string; state: 'sent' | 'canceled' }>`${preparedAs('end_claims')}
    update notifications as n set
      outcomes = ended.outcomes,
      accepted = ended.accepted,
      rejected = ended.rejected,
      unregistered = ended.unregistered,
      no_token = ended.no_token,
      ambiguous = ended.ambiguous,
      state = case n.state when 'sending' then 'sent' else n.state end,
      reason = case n.state when 'sending' then null else n.reason end,
      ended_at = case n.state when 'sending' then ${now} else n.ended_at end
    from unnest(
      ${listParameter(appIds, 'uuid')}, ${listParameter(ids, 'uuid')}, ${listParameter(startedAt, 'timestamptz')},
      ${listParameter(outcomes, 'bytea')}, ${sql.join(outcomeKinds.map(countsOf))}
    ) as ended (app_id, id, started_at, outcomes, ${sql.join(outcomeKinds.map((kind) => sql.ref(kind)))})
    where n.app_id = ended.app_id and n.id = ended.id and ${stillClaimed('n')}
      and n.started_at = ended.started_at
    returning n.id, n.state`.execute(db);
  return new Map(rows.map(({ id, state }) => [id, state]));
}
