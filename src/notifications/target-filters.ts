import { type RawBuilder, sql } from 'kysely';

/**
 * The filters of the notification `n`, as JSON: its own if it goes to one device or one user, otherwise those of its
 * audience. A scalar subquery, because a row lock on `n` does not allow an outer join.
 */
export const targetFilters: RawBuilder<unknown> = sql`coalesce(n.filters, (
    select a.filters from audiences as a where a.app_id = n.app_id and a.id = n.audience_id
  ))`;
