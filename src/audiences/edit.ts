/**
 * Edits named audiences. Notifications that are planned keep the filters with which they were planned
 * (docs/decisions/0052); those that are only scheduled go to the audience as it is when they are planned.
 */
import { type Kysely, sql } from 'kysely';
import type { Author } from '../audit/author.ts';
import { recordChange } from '../audit/record.ts';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/tables.ts';
import { ApiError, type FaultDetail } from '../api/errors.ts';
import {
  type CanonicalFilter,
  canonicalFilters,
  fingerprintOf,
  writtenFilters,
} from '../filters/canonical.ts';
import type { Filter } from '../filters/filter.ts';
import { stringifyJson } from '../json/lossless.ts';
import { type Audience, filtersOfAudience, lockAudience } from './audience-store.ts';

export interface Edit {
  name: string;
  filters: readonly Filter[];
  /** The `updated_at` that the editor has read. Undefined: any state is replaced. */
  ifUpdatedAt?: Date | undefined;
}

/**
 * @param author for the audit log; undefined: no entry
 * @returns the audience afterwards; unchanged, also with an old `ifUpdatedAt`, if it is as wanted already
 * @throws {ApiError} `not_found`, `audience_built_in`, `audience_not_named`; `audience_changed` if it is not as the editor
 *   has read it, with what differs from the edit as details
 */
export async function editAudience(
  db: Kysely<Database>,
  { appId, id, clock, ...edit }: Edit & { appId: string; id: string; clock: Clock },
  author?: Author,
): Promise<Audience> {
  const wanted = stringifyJson(writtenFilters(edit.filters));
  return db.transaction().execute(async (transaction) => {
    const stored = await lockAudience(transaction, appId, id, { withFilters: true });
    if (stored.kind === 'on_the_fly') throw new ApiError('audience_not_named');
    const filters = filtersOfAudience(stored.filters);
    const isRenamed = stored.name !== edit.name;
    const isFiltered = stringifyJson(writtenFilters(filters)) !== wanted;
    const { kind, created_at: createdAt } = stored;
    const common = { id: stored.id, kind, createdAt };
    if (!isRenamed && !isFiltered) {
      return { ...common, name: stored.name, updatedAt: stored.updated_at, filters };
    }
    if (edit.ifUpdatedAt !== undefined && edit.ifUpdatedAt.getTime() !== stored.updated_at.getTime()) {
      throw changed(stored, { isRenamed, isFiltered });
    }
    // Rises with every edit, also within a millisecond or if the clock of the previous process was ahead.
    const updatedAt = new Date(Math.max(clock().getTime(), stored.updated_at.getTime() + 1));
    await transaction
      .updateTable('audiences')
      .set({
        name: edit.name,
        updated_at: updatedAt,
        ...(isFiltered && {
          filters: wanted,
          fingerprint: fingerprintOf(stringifyJson(canonicalFilters(edit.filters))),
          first_filters: sql`coalesce(first_filters, filters)`,
        }),
      })
      .where('app_id', '=', appId)
      .where('id', '=', stored.id)
      .execute();
    const change = {
      before: { name: stored.name, ...(isFiltered && { filters: recordable(filters) }) },
      after: { name: edit.name, ...(isFiltered && { filters: recordable(edit.filters) }) },
    };
    const entry = { appId, action: 'audience.updated', objectId: stored.id, ...change } as const;
    await recordChange(transaction, author, entry, clock);
    return { ...common, name: edit.name, updatedAt, filters: [...edit.filters] };
  });
}

function changed(
  { name, updated_at: updatedAt }: { name: string; updated_at: Date },
  { isRenamed, isFiltered }: { isRenamed: boolean; isFiltered: boolean },
): ApiError {
  const details: FaultDetail[] = [
    ...(isRenamed ? [{ path: 'audience.name', message: `is now ${JSON.stringify(name)}` }] : []),
    ...(isFiltered ? [{ path: 'audience.filters', message: 'are now others than these' }] : []),
  ];
  const at = updatedAt.toISOString();
  return new ApiError('audience_changed', {
    message: `Somebody else has changed this audience, at ${at}; read it again, and compare.`,
    details,
  });
}

const FILTERS_RECORDED_MAX = 20;
const CRITERIA_RECORDED_MAX = 20;
/** Attributes whose values are about one person, and places, are recorded by their number alone: the log is never erased. */
const PERSONAL = /^(?:user_id|user_email|device_id|location|sdk_location|custom\.string\..*)$/s;

function recordable(filters: readonly Filter[]): unknown[] {
  return writtenFilters(filters).slice(0, FILTERS_RECORDED_MAX).map(recordableFilter);
}

function recordableFilter({ name, criteria, not_filter }: CanonicalFilter): unknown {
  const isRecorded = !PERSONAL.test(name) && criteria.length <= CRITERIA_RECORDED_MAX;
  return { name, not_filter, ...(isRecorded ? { criteria } : { criteria_count: criteria.length }) };
}
