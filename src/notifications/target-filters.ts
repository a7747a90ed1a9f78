import { type RawBuilder, sql } from 'kysely';

/**
 * The filters of the notification `n`, as JSON: its own if it goes to one device or one user, otherwise those of its
 * audience. If that was edited, they are those of now until the notification is planned, and afterwards those with which it was
 * planned (docs/decisions/0052). A scalar subquery, because a row lock on `n` does not allow an outer join.
 */
export const targetFilters: RawBuilder<unknown> = sql`coalesce(n.filters, n.planned_filters, (
    select case when n.started_at is null then a.filters else coalesce(a.first_filters, a.filters) end
    from audiences as a where a.app_id = n.app_id and a.id = n.audience_id
  ))`;

/**
 * Whether the statement that starts the notification `n` must store `targetFilters`, as it has read them, in
 * `planned_filters`. Otherwise they are those before a first edit, even if that edit is made in between.
 */
export const mustKeepFilters: RawBuilder<boolean> = sql`(n.audience_id is not null and exists (
    select from audiences as a
    where a.app_id = n.app_id and a.id = n.audience_id and a.first_filters is not null
  ))`;
