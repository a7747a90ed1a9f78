/** The target of a notification: all devices, a stored audience, or the devices that a list of filters selects. */
import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import type { Filter } from '../filters/filter.ts';
import { parseFilters } from '../filters/filter-schema.ts';
import { everyone, findOrCreateSql, onTheFly } from '../audiences/find-or-create.ts';
import { recordUseSql } from '../audiences/last-used.ts';
import { faultsOf, isJsonObject, judge, type Parsed } from '../parse.ts';
import { isUuid } from '../uuid.ts';

export type Target =
  | { kind: 'everyone' }
  | { kind: 'stored'; audienceId: string }
  | { kind: 'on_the_fly'; filters: readonly Filter[] };

export const storedTarget = z.strictObject({ audience: z.string('must be the id of an audience, a string') });

/** Checks `to`: `"*"`, `"<audience id>"`, `{"audience": "<audience id>"}` or a list of filters. */
export function parseTarget(value: unknown, path: string): Parsed<Target> {
  if (value === '*') return { value: { kind: 'everyone' } };
  if (typeof value === 'string') return { value: { kind: 'stored', audienceId: value } };
  if (Array.isArray(value)) {
    const parsed = parseFilters(value, path);
    if (!parsed.ok) return { faults: [...parsed.faults] };
    return { value: { kind: 'on_the_fly', filters: parsed.filters } };
  }
  if (isJsonObject(value)) {
    const parsed = judge(storedTarget, value);
    if (!parsed.success) return { faults: faultsOf(parsed.error, path) };
    return { value: { kind: 'stored', audienceId: parsed.data.audience } };
  }
  const message = value === undefined ? 'is required' : 'must be "*", an audience id or a list of filters';
  return { faults: [{ path, message }] };
}

/**
 * The common table expressions of the statement that stores a notification: `audience` has the `id` of the target's
 * audience. For a stored audience, it is empty if the app has no audience with that id. For other targets, see
 * `findOrCreateSql`.
 */
export function audienceOf(appId: string, target: Target, now: Date): RawBuilder<unknown> {
  switch (target.kind) {
    case 'everyone':
      return findOrCreateSql(appId, everyone, now);
    case 'on_the_fly':
      return findOrCreateSql(appId, onTheFly(target.filters), now);
    case 'stored': {
      const id = isUuid(target.audienceId) ? target.audienceId : null;
      return sql`known as (
          select id, last_used_at from audiences
          where app_id = ${appId} and id = ${id} and deleted_at is null
          for key share
        ), audience as (select id from known), ${recordUseSql(appId, now)}`;
    }
  }
}
