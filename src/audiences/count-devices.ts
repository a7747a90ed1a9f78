/** How many devices an audience has: one query, cut off where it takes too long. */
import { type Kysely, sql } from 'kysely';
import { DatabaseError } from 'pg';
import type { Database } from '../db/tables.ts';
import { ApiError } from '../errors.ts';
import { compileFilters } from './compile.ts';
import type { Filter } from './filter.ts';

export interface CountRequest {
  appId: string;
  filters: readonly Filter[];
  /** What math-dates are relative to. */
  now: Date;
  timeoutMs?: number;
}

/** Below the statement timeout of the pool: a count gives up first, and says why. */
const TIMEOUT_MS = 20_000;
/** Postgres' code for a statement that was canceled, here by its timeout. */
const QUERY_CANCELED = '57014';

/**
 * In a transaction handed in, the timeout stays set until that ends.
 * @throws {ApiError} `unavailable` where counting takes longer than the timeout
 */
export async function countDevices(db: Kysely<Database>, request: CountRequest): Promise<number> {
  const { iOS, Android } = await countDevicesByPlatform(db, request);
  return iOS + Android;
}

/** As `countDevices`, for each platform. */
export async function countDevicesByPlatform(
  db: Kysely<Database>,
  request: CountRequest,
): Promise<Record<'iOS' | 'Android', number>> {
  try {
    // `set local` needs a transaction; one that is handed in serves as well.
    return db.isTransaction
      ? await count(db, request)
      : await db.transaction().execute(async (transaction) => count(transaction, request));
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.code !== QUERY_CANCELED) throw error;
    throw new ApiError('unavailable', {
      message: 'Counting the devices of this audience took too long; try again, or narrow its filters.',
      retryAfterSeconds: 30,
      cause: error,
    });
  }
}

async function count(
  transaction: Kysely<Database>,
  { appId, filters, now, timeoutMs = TIMEOUT_MS }: CountRequest,
): Promise<Record<'iOS' | 'Android', number>> {
  await sql`select set_config('statement_timeout', ${String(timeoutMs)}, true)`.execute(transaction);
  const rows = await transaction
    .selectFrom('devices as d')
    .select((build) => ['d.platform', build.fn.countAll<number>().as('devices')])
    .where('d.app_id', '=', appId)
    .where(compileFilters(filters, { now }))
    .groupBy('d.platform')
    .execute();
  const counts = { iOS: 0, Android: 0 };
  for (const { platform, devices } of rows) counts[platform] = devices;
  return counts;
}
