/** Reads, lists and creates stored audiences. */
import { randomUUIDv7 } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { Clock } from '../clock.ts';
import type { AudiencesTable, Database } from '../db/tables.ts';
import { stringifyJson } from '../json/lossless.ts';
import { ApiError } from '../api/errors.ts';
import type { Position } from '../api/page-cursor.ts';
import { canonicalFilters, fingerprintOf, writtenFilters } from '../filters/canonical.ts';
import type { Filter } from '../filters/filter.ts';
import { parseFilters } from '../filters/filter-schema.ts';
import { isUuid } from '../uuid.ts';

const DAY_MS = 24 * 60 * 60_000;

export const audienceKinds = ['everyone', 'on_the_fly', 'named'] as const satisfies AudiencesTable['kind'][];

export interface AudienceSummary {
  id: string;
  kind: AudiencesTable['kind'];
  name: string;
  createdAt: Date;
  updatedAt: Date;
}

export interface Audience extends AudienceSummary {
  filters: Filter[];
}

/** Selects an audience that was not deleted. An id that is no UUID makes Postgres fail. */
function selectAudience(db: Kysely<Database>, appId: string, id: string) {
  return db
    .selectFrom('audiences')
    .where('app_id', '=', appId)
    .where('id', '=', id)
    .where('deleted_at', 'is', null);
}

/**
 * Also records the use of the audience.
 * @returns undefined if the app has no such audience, it was deleted, or `id` is not a UUID
 */
export async function readAudience(
  db: Kysely<Database>,
  appId: string,
  id: string,
  clock: Clock,
): Promise<Audience | undefined> {
  if (!isUuid(id)) return undefined;
  const row = await selectAudience(db, appId, id)
    .select([...SUMMARY_COLUMNS, 'filters', 'last_used_at'])
    .executeTakeFirst();
  if (row === undefined) return undefined;
  await recordUse(db, { appId, id, lastUsedAt: row.last_used_at }, clock());
  return { ...summaryOf(row), filters: filtersOfAudience(row.filters) };
}

/** Unlike `readAudience`, it does not record a use. @param id any text */
export async function audienceExists(db: Kysely<Database>, appId: string, id: string): Promise<boolean> {
  return isUuid(id) && (await selectAudience(db, appId, id).select('id').executeTakeFirst()) !== undefined;
}

/**
 * Locks an audience that is to be changed. The lock conflicts with the one of creating a notification, and
 * serialises edits.
 * @param withFilters whether to read them; they may be a megabyte
 * @throws {ApiError} `not_found`, or `audience_built_in` for the audience of all devices
 */
export async function lockAudience(
  transaction: Kysely<Database>,
  appId: string,
  id: string,
  { withFilters = false } = {},
) {
  const row = isUuid(id)
    ? await selectAudience(transaction, appId, id)
        .select(SUMMARY_COLUMNS)
        .$if(withFilters, (select) => select.select('filters'))
        .forUpdate()
        .executeTakeFirst()
    : undefined;
  if (row === undefined) throw new ApiError('not_found', { message: 'There is no such audience.' });
  if (row.kind === 'everyone') throw new ApiError('audience_built_in');
  return row;
}

export interface ListedAudience extends AudienceSummary {
  /** When it was last used, to the day. */
  lastUsedAt: Date;
  /** Undefined if they are too long for a list. */
  filters: Filter[] | undefined;
}

export interface ListRequest {
  appId: string;
  perPage: number;
  /** The page number from 1, counted from the start of the list, or from `after`. */
  page?: number;
  /** The last audience of the previous page. */
  after?: Position | undefined;
  /** Lists only audiences of this kind. */
  kind?: AudiencesTable['kind'] | undefined;
}

/** An audience may have a megabyte of filters, and a page a hundred audiences. */
const LISTED_CHARACTERS_MAX = 4_000;

/**
 * Lists the oldest first, so that new audiences do not move others to another page.
 * @returns one page; `next` is the cursor of the next page, undefined on the last page
 */
export async function listAudiences(
  db: Kysely<Database>,
  { appId, perPage, page = 1, after, kind }: ListRequest,
): Promise<{ audiences: ListedAudience[]; next: Position | undefined }> {
  let select = db
    .selectFrom('audiences')
    .select([...SUMMARY_COLUMNS, 'last_used_at'])
    .select(
      sql`case when length(filters::text) <= ${sql.lit(LISTED_CHARACTERS_MAX)} then filters end`.as(
        'filters',
      ),
    )
    .where('app_id', '=', appId)
    .where('deleted_at', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .limit(perPage + 1) // one more shows whether there is a next page
    .offset((page - 1) * perPage);
  if (after !== undefined) {
    // A row comparison is one range of the index `audiences_oldest`; two conditions would not be.
    select = select.where(sql<boolean>`(created_at, id) > (${after.createdAt}, ${after.id}::uuid)`);
  }
  // A literal, so that Postgres can use the index `audiences_named`.
  if (kind !== undefined) select = select.where('kind', '=', sql.lit(kind));
  const rows = await select.execute();
  const audiences = rows
    .slice(0, perPage)
    .map(({ last_used_at: lastUsedAt, filters, ...row }): ListedAudience =>
      Object.assign(summaryOf(row), {
        lastUsedAt,
        filters: filters === null ? undefined : filtersOfAudience(filters),
      }),
    );
  return { audiences, next: rows.length > perPage ? audiences.at(-1) : undefined };
}

/** Always creates a new audience, even if another one has the same filters or the same name. */
export async function createNamedAudience(
  db: Kysely<Database>,
  request: { appId: string; name: string; filters: readonly Filter[]; clock: Clock },
): Promise<Audience> {
  const now = request.clock();
  const row = await db
    .insertInto('audiences')
    .values({
      app_id: request.appId,
      id: randomUUIDv7(),
      kind: 'named',
      name: request.name,
      filters: stringifyJson(writtenFilters(request.filters)),
      fingerprint: fingerprintOf(stringifyJson(canonicalFilters(request.filters))),
      created_at: now,
      updated_at: now,
      last_used_at: now,
    })
    .returning([...SUMMARY_COLUMNS, 'filters'])
    .executeTakeFirstOrThrow();
  return { ...summaryOf(row), filters: filtersOfAudience(row.filters) };
}

/**
 * Parses the `filters` column of `audiences`; the list is empty for the audience of all devices.
 * @throws {Error} if the column does not parse, which would be a bug: it was written by `canonicalFilters` or `writtenFilters`
 */
export function filtersOfAudience(stored: unknown): Filter[] {
  if (Array.isArray(stored) && stored.length === 0) return [];
  const parsed = parseFilters(stored, 'filters');
  if (parsed.ok) return [...parsed.filters];
  const [first] = parsed.faults;
  throw new Error(`Stored filters do not parse: ${first?.path} ${first?.message}`);
}

/**
 * Records when an audience was last used: targeted by a notification, read, or listed with its devices. It is precise
 * to the day, so that a busy audience is written once per day and not for every push. Audiences made on the fly are
 * deleted some time after their last use (`expire.ts`).
 */
async function recordUse(
  db: Kysely<Database>,
  { appId, id, lastUsedAt }: { appId: string; id: string; lastUsedAt: Date },
  now: Date,
): Promise<void> {
  const before = usedBefore(now);
  if (lastUsedAt >= before) return;
  await db
    .updateTable('audiences')
    .set({ last_used_at: now })
    .where('app_id', '=', appId)
    .where('id', '=', id)
    .where('last_used_at', '<', before)
    .execute();
}

/** Uses of an audience whose last recorded use is older than this are recorded. */
export function usedBefore(now: Date): Date {
  return new Date(now.getTime() - DAY_MS);
}

const SUMMARY_COLUMNS = ['id', 'kind', 'name', 'created_at', 'updated_at'] as const;

function summaryOf(row: Pick<AudiencesTable, (typeof SUMMARY_COLUMNS)[number]>): AudienceSummary {
  const { id, kind, name, created_at: createdAt, updated_at: updatedAt } = row;
  return { id, kind, name, createdAt, updatedAt };
}
