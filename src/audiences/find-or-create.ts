/** Finds or creates an audience by its filters: equal filters are the same audience, even in concurrent calls. */
import { randomBytes, randomUUID } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import type { AudiencesTable } from '../db/tables.ts';
import { stringifyJson } from '../json/lossless.ts';
import { canonicalFilters, fingerprintOf } from '../filters/canonical.ts';
import type { Filter } from '../filters/filter.ts';
import { recordUseSql } from './last-used.ts';

/** An audience that is identified by its filters; each app has one per list of filters. */
export interface Specification {
  kind: Exclude<AudiencesTable['kind'], 'named'>;
  /** The name of a new audience. */
  name: string;
  filters: readonly Filter[];
}

/** The built-in audience of all devices; its list of filters is empty. */
export const everyone: Specification = { kind: 'everyone', name: 'All devices', filters: [] };

export function onTheFly(filters: readonly Filter[]): Specification {
  return { kind: 'on_the_fly', name: `api_audience_${randomBytes(8).toString('hex')}`, filters };
}

/**
 * Common table expressions for a statement that needs the app's audience with these filters. They insert the audience if
 * the app has none. `audience` returns its `id`, but no row if another transaction inserted the audience after this
 * statement began; the next statement sees it. An existing audience is locked until the end of the transaction, so that it
 * cannot be deleted (`delete.ts`).
 */
export function findOrCreateSql(
  appId: string,
  { kind, name, filters }: Specification,
  now: Date,
): RawBuilder<unknown> {
  const canonical = canonicalFilters(filters);
  const fingerprint = fingerprintOf(canonical);
  return sql`created as (
      insert into audiences
        (app_id, id, kind, name, filters, fingerprint, created_at, updated_at, last_used_at)
      values (${appId}, ${randomUUID()}, ${kind}, ${name}, ${stringifyJson(canonical)}, ${fingerprint},
        ${now}, ${now}, ${now})
      on conflict (app_id, fingerprint) where kind <> 'named' do nothing
      returning id
    ), known as (
      select id, last_used_at from audiences
      where app_id = ${appId} and fingerprint = ${fingerprint} and kind <> 'named'
      for key share
    ), audience as (
      select id from created union all select id from known
    ), ${recordUseSql(appId, now)}`;
}
