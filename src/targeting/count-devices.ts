/** How many devices an audience has: one query, cut off where it takes too long. */
import { type Kysely, type SelectQueryBuilder, sql } from 'kysely';
import { DatabaseError } from 'pg';
import type { Database, DeviceTargetsTable } from '../db/tables.ts';
import { ApiError } from '../errors.ts';
import { compileEventRow, compileFilters } from './rows/compile.ts';
import { areAsRead, compileBitmap, ON_IOS, readBlocks } from './bitmaps/compile-bitmaps.ts';
import { compileChanges } from './bitmaps/delta.ts';
import { readTargets } from './rows/column-map.ts';
import { countUnreachable, hasNoToken, type Matching, someHaveNoToken } from './count-unreachable.ts';
import type { Filter } from '../filters/filter.ts';

type EventFilter = Extract<Filter, { kind: 'event' }>;

export interface CountRequest {
  appId: string;
  filters: readonly Filter[];
  /** What math-dates are relative to. */
  now: Date;
  timeoutMs?: number;
  /** Nobody waits for it: it takes one processor for longer, and not all of them from those who serve meanwhile. */
  inBackground?: boolean;
  /** Ends the count where nobody waits for it any more. Not for a count inside a transaction that is handed in. */
  signal?: AbortSignal;
}

/** Below the statement timeout of the pool: a count gives up first, and says why. */
const TIMEOUT_MS = 20_000;
/** Measured with `npm run bench:audiences`. */
const SETTINGS = {
  // A count is over before compiling it has paid.
  jit: 'off',
  // A join with a million events belongs in memory.
  work_mem: '64MB',
  // What is scanned is in the system's cache: reading it through Postgres' own workers costs a fifth more.
  effective_io_concurrency: '0',
};
/** Postgres' code for a statement that was canceled, here by its timeout. */
const QUERY_CANCELED = '57014';

/** How many devices an audience has. */
export interface DeviceCount {
  devices: number;
  /** Those of them that have a push token. */
  reachable: number;
}

/**
 * Both numbers are of the same moment. In a transaction handed in, the timeout and the other settings of a count stay
 * until that ends.
 * @throws {ApiError} `unavailable` where counting takes longer than the timeout, or is ended by the signal
 */
export async function countDevices(db: Kysely<Database>, request: CountRequest): Promise<DeviceCount> {
  return inTime(db, request, async (transaction) => {
    const counted = isOnRegistrations(request)
      ? undefined
      : await countByBlocks(transaction, request, 'both');
    if (counted !== undefined) return countOf(counted.devices, counted.unreachable);
    const matching = await matchingRows(transaction, request);
    const { devices, someUnreachable } = await matching
      .select((build) => build.fn.countAll<number>().as('devices'))
      .select(someHaveNoToken(request.appId).as('someUnreachable'))
      .executeTakeFirstOrThrow();
    return countOf(
      devices,
      someUnreachable ? await countUnreachable(transaction, request.appId, matching, devices) : 0,
    );
  });
}

function countOf(devices: number, unreachable: number): DeviceCount {
  return { devices, reachable: devices - unreachable };
}

/** As `countDevices`, for each platform. */
export async function countDevicesByPlatform(
  db: Kysely<Database>,
  request: CountRequest,
): Promise<Record<'iOS' | 'Android', number>> {
  return inTime(db, request, async (transaction) => {
    const counted = await countByBlocks(transaction, request, 'devices');
    if (counted !== undefined) return { iOS: counted.ios, Android: counted.devices - counted.ios };
    const targets = await targetsOf(transaction, request);
    const { devices, ios } = await targets
      .select((build) => [
        build.fn.countAll<number>().as('devices'),
        build.fn.countAll<number>().filterWhere('d.on_ios', '=', true).as('ios'),
      ])
      .executeTakeFirstOrThrow();
    return { iOS: ios, Android: devices - ios };
  });
}

/**
 * What the bitmaps say, what has changed since they were made, and the devices that are not settled yet: of one
 * snapshot, for it is one statement.
 * @returns undefined where the app has no blocks, there is no bitmap of some filter, or the blocks changed meanwhile
 */
async function countByBlocks(
  transaction: Kysely<Database>,
  { appId, filters, now }: CountRequest,
  asked: 'devices' | 'both',
): Promise<{ devices: number; ios: number; unreachable: number } | undefined> {
  const blocks = await readBlocks(transaction, appId, filters);
  if (blocks === undefined) return undefined;
  const targets = await readTargets(transaction, appId, filters);
  const bitmap = compileBitmap(filters, { now, targets, blocks });
  if (bitmap === undefined) return undefined;
  const unreachable = asked === 'both' && blocks.someUnreachable;
  const matches = sql`d.app_id = ${appId} and ${compileFilters(filters, { appId, now, targets })}`;
  const none = sql`0`;
  const { rows } = await sql<{ devices: number; ios: number; unreachable: number }>`
    select (s.devices + c.devices + f.devices)::bigint as devices, (s.ios + c.ios + f.ios)::bigint as ios,
      (s.unreachable + c.unreachable + f.unreachable)::bigint as unreachable
    from (
      select coalesce(sum(bit_count(bits)), 0) as devices, coalesce(sum(bit_count(bits & on_ios)), 0) as ios,
        ${unreachable ? sql`coalesce(sum(bit_count(bits & unreachable)), 0)` : none} as unreachable
      from (
        select ${bitmap} as bits, ${ON_IOS} as on_ios, b.unreachable
        from count_bitmap_blocks as b where b.app_id = ${appId} offset 0
      ) as sealed
    ) as s
    cross join (${compileChanges(filters, { appId, now, targets, unreachable })}) as c
    cross join (
      select count(*) as devices, count(*) filter (where d.on_ios) as ios,
        ${unreachable ? sql`count(*) filter (where ${hasNoToken(appId, 'as the planner likes')})` : none} as unreachable
      from device_targets_unindexed as d where ${matches}
    ) as f
    where ${areAsRead(appId, blocks)}`.execute(transaction);
  return rows[0];
}

function isOnRegistrations({ filters }: CountRequest): boolean {
  return (
    filters.length > 0 &&
    filters.every((filter) => filter.kind === 'date' && filter.column === 'registered_at')
  );
}

/** Where they are counted by rows: in the table that is read quickest for these filters. */
async function matchingRows(transaction: Kysely<Database>, request: CountRequest): Promise<Matching> {
  const { appId, filters, now } = request;
  if (isOnRegistrations(request)) {
    // Every device has a row there, and an index of it holds all that is asked.
    return transaction
      .selectFrom('device_registrations as d')
      .where('d.app_id', '=', appId)
      .where(compileFilters(filters, { appId, now }));
  }
  const events = filters.filter((filter) => filter.kind === 'event');
  const [had, ...others] = events.toSorted((left, right) => Number(left.not) - Number(right.not));
  return had?.not === false && events.length === filters.length
    ? hadEvents(transaction, request, had, others)
    : targetsOf(transaction, request);
}

async function targetsOf(
  transaction: Kysely<Database>,
  { appId, filters, now }: CountRequest,
): Promise<SelectQueryBuilder<Database & { d: DeviceTargetsTable }, 'd', object>> {
  const targets = await readTargets(transaction, appId, filters);
  return transaction
    .selectFrom('device_targets as d')
    .where('d.app_id', '=', appId)
    .where(compileFilters(filters, { appId, now, targets }));
}

/**
 * Where all filters are on events: a device has one row for an event that it had, so the rows of the first, which is
 * not negated, are counted, and need not be joined with the devices. All are read in the order of devices.
 */
function hadEvents(
  transaction: Kysely<Database>,
  { appId, now }: CountRequest,
  { event, criteria }: EventFilter,
  others: readonly Filter[],
) {
  const had = transaction
    .selectFrom('device_events as e')
    .select(['e.app_id', 'e.device_id as id'])
    .where('e.app_id', '=', appId)
    .where(compileEventRow(event, criteria, now));
  return transaction.selectFrom(had.as('d')).where(compileFilters(others, { appId, now }));
}

async function inTime<Result>(
  db: Kysely<Database>,
  request: CountRequest,
  count: (transaction: Kysely<Database>) => Promise<Result>,
): Promise<Result> {
  const run = async (transaction: Kysely<Database>): Promise<Result> => {
    const processId = await prepare(transaction, request);
    return cutOff(db, processId, request.signal, async () => count(transaction));
  };
  try {
    // `set local` needs a transaction, and what `readTargets` reads has to be of the count's own snapshot. One that
    // is handed in serves as well: of what is written meanwhile it may see the one and not the other.
    return db.isTransaction
      ? await run(db)
      : await db.transaction().setIsolationLevel('repeatable read').execute(run);
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.code !== QUERY_CANCELED) throw error;
    if (request.signal?.aborted === true) throw new ApiError('unavailable');
    throw new ApiError('unavailable', {
      message: 'Counting the devices of this audience took too long; try again, or narrow its filters.',
      retryAfterSeconds: 30,
      cause: error,
    });
  }
}

/** @returns Postgres' process that counts */
async function prepare(
  transaction: Kysely<Database>,
  { timeoutMs = TIMEOUT_MS, inBackground = false }: CountRequest,
): Promise<number> {
  const settings = {
    ...SETTINGS,
    ...(inBackground && { max_parallel_workers_per_gather: '0' }),
    statement_timeout: String(timeoutMs),
  };
  const calls = Object.entries(settings).map(([name, value]) => sql`set_config(${name}, ${value}, true)`);
  const { rows } = await sql<{ id: number }>`
    select pg_backend_pid() as id, ${sql.join(calls)}`.execute(transaction);
  return rows[0]?.id ?? 0;
}

/** The connection is given back only when the cancellation is through, so that it hits no other query. */
async function cutOff<Result>(
  db: Kysely<Database>,
  processId: number,
  signal: AbortSignal | undefined,
  work: () => Promise<Result>,
): Promise<Result> {
  let canceling: Promise<unknown> | undefined;
  const cancel = (): void => {
    canceling = sql`select pg_cancel_backend(${processId})`.execute(db).catch(() => undefined);
  };
  signal?.addEventListener('abort', cancel);
  try {
    if (signal?.aborted === true) throw new ApiError('unavailable');
    return await work();
  } finally {
    signal?.removeEventListener('abort', cancel);
    await canceling;
  }
}
