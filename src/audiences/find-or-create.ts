/** On-the-fly audiences: the same specification is the same audience, however many callers send it at once. */
import { randomBytes, randomUUID } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import type { AudiencesTable } from '../db/tables.ts';
import { stringifyJson } from '../json/lossless.ts';
import { canonicalFilters, fingerprintOf } from '../filters/canonical.ts';
import type { Filter } from '../filters/filter.ts';
import { notedUse } from './last-used.ts';

/** An audience that is known by its filters: one of them in each app. */
export interface Specification {
  kind: Exclude<AudiencesTable['kind'], 'named'>;
  /** Where it is made. */
  name: string;
  filters: readonly Filter[];
}

/** The built-in audience of all devices, whose list of filters is empty. */
export const everyone: Specification = { kind: 'everyone', name: 'All devices', filters: [] };

export function onTheFly(filters: readonly Filter[]): Specification {
  return { kind: 'on_the_fly', name: `api_audience_${randomBytes(8).toString('hex')}`, filters };
}

/**
 * The common table expressions of a statement that needs the app's audience with these filters: `audience` has
 * its `id`, and the audience is made by the same statement where it is the first. `audience` is empty where
 * another has made it since the statement began, whose rows it therefore cannot see: the next one can. An audience that
 * was there is held until the end of the transaction, so that nobody deletes it meanwhile (`delete.ts`).
 */
export function foundOrMade(
  appId: string,
  { kind, name, filters }: Specification,
  now: Date,
): RawBuilder<unknown> {
  const canonical = canonicalFilters(filters);
  const fingerprint = fingerprintOf(canonical);
  return sql`made as (
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
      select id from made union all select id from known
    ), ${notedUse(appId, now)}`;
}
