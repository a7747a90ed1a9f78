import { type RawBuilder, sql } from 'kysely';

/*
 * SQL conditions of searches for what has not ended or not started. They say what their indexes say, which statements that look up one
 * notification or wave do not: these would ask for its state, and if the index did too, the planner might read it from end to end for them
 * (docs/decisions/0059-old-snapshots.md).
 */

/** @param alias of `notifications` */
export function isScheduled(alias: string): RawBuilder<boolean> {
  const { state, startedAt, endedAt } = columns(alias);
  return sql<boolean>`${startedAt} is null and ${endedAt} is null and ${state} = 'scheduled'`;
}

/** @param alias of `notifications` */
export function isBeingSent(alias: string): RawBuilder<boolean> {
  const { state, startedAt, endedAt } = columns(alias);
  return sql<boolean>`${startedAt} is not null and ${endedAt} is null and ${state} = 'sending'`;
}

function columns(alias: string) {
  const column = (name: string): RawBuilder<unknown> => sql.ref(`${alias}.${name}`);
  return { state: column('state'), startedAt: column('started_at'), endedAt: column('ended_at') };
}

/** @param alias of `notification_waves`; no other column says that a wave has not started */
export function isWaitingWave(alias: string): RawBuilder<boolean> {
  return sql<boolean>`${sql.ref(`${alias}.state`)} || '' = 'waiting'`;
}
