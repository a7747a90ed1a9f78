/** Reads the devices of an audience in pages, sorted by primary key, or tests a single device. */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Database, DevicesTable } from '../db/tables.ts';
import { type Fact, factsOf } from './device-facts.ts';
import { compileFilters } from './rows/compile.ts';
import { devicesRow, targetingRow } from './rows/row.ts';
import { readColumnMap } from './rows/column-map.ts';
import type { Filter } from '../filters/filter.ts';
import type { PushTokenType } from '../route.ts';
import { FIRST_UUID, isUuid, LAST_UUID } from '../uuid.ts';
import type { CountRequest } from './count-devices.ts';
import { inCountTransaction } from './count-transaction.ts';

/** The columns that a push to a device needs. */
export type MatchingDevice = Pick<DevicesTable, 'id' | 'platform' | 'push_token'> & {
  push_token_type: PushTokenType;
  /** Left out by readers of tokens of another kind. */
  subscription_keys?: string | null;
  development: boolean;
  /** Values of the requested facts, in their order; undefined if none were requested. */
  facts?: readonly unknown[] | undefined;
  /** Why the notification is not sent to it; undefined or null: it is sent. */
  leftOut?: string | null;
};

/** Devices in the order of their ids, some at a time. */
export interface DevicesPage {
  /** The range includes both ends. */
  firstId: string;
  lastId: string;
  /** The last device of the previous page. */
  afterId?: string | undefined;
  limit: number;
  /** Attributes to read as well. */
  facts?: readonly Fact[] | undefined;
  /** A further condition on the device `d`, a row of `devices` or of `device_targets`. */
  only?: RawBuilder<boolean> | undefined;
}

interface MatchingDevicesRequest extends DevicesPage {
  appId: string;
  filters: readonly Filter[];
  /** The value of `now` in math-dates. */
  now: Date;
  /**
   * Whether many devices in the range are in the audience. Reading `devices` directly is then faster than reading the
   * targeting rows first, which reads twice as many pages.
   */
  isBroad?: boolean | undefined;
}

/** @returns devices sorted by id; fewer than `limit` on the last page */
export async function readMatchingDevices(
  db: Kysely<Database>,
  request: MatchingDevicesRequest,
): Promise<MatchingDevice[]> {
  const { appId, filters, now, firstId, lastId, afterId, limit, isBroad = false, facts, only } = request;
  const isDirect = isBroad || filters.length === 0;
  const row = isDirect
    ? devicesRow(appId)
    : targetingRow(appId, await readColumnMap(db, appId, filters), 'few');
  const device = isDirect ? 'd' : 'devices';
  const from = isDirect
    ? sql`devices as d`
    : sql`device_targets as d join devices on devices.app_id = d.app_id and devices.id = d.id`;
  const columns = DEVICE_COLUMNS.map((column) => sql.ref(`${device}.${column}`));
  const { rows } = await sql<MatchingDevice>`
    select ${sql.join(columns)} ${facts === undefined ? sql`` : sql`, ${factsOf(device, facts)} as facts`}
    from ${from}
    where d.app_id = ${appId} and d.id ${afterId === undefined ? sql`>=` : sql`>`} ${afterId ?? firstId}
      and d.id <= ${lastId} and ${compileFilters(filters, { row, now })} ${only === undefined ? sql`` : sql`and ${only}`}
    order by d.id
    limit ${limit}`.execute(db);
  return rows;
}

const DEVICE_COLUMNS = [
  'id',
  'platform',
  'push_token',
  'push_token_type',
  'subscription_keys',
  'development',
] as const;

/** Whether the app has the device and the filters select it. */
export async function matchesDevice(
  db: Kysely<Database>,
  request: { appId: string; filters: readonly Filter[]; now: Date; deviceId: string },
): Promise<boolean> {
  const { appId, filters, now, deviceId } = request;
  if (!isUuid(deviceId)) return false;
  const row = await db
    .selectFrom('devices as d')
    .select('d.id')
    .where('d.app_id', '=', appId)
    .where('d.id', '=', deviceId)
    .where(compileFilters(filters, { row: devicesRow(appId), now }))
    .executeTakeFirst();
  return row !== undefined;
}

/** Filters of one statement: a list of them may have a megabyte. */
const LISTS_PER_STATEMENT = 20;

/** The same for many lists of filters, in their order. */
export async function matchesEach(
  db: Kysely<Database>,
  { appId, deviceId, audiences }: { appId: string; deviceId: string; audiences: readonly AudienceAt[] },
): Promise<boolean[]> {
  const row = devicesRow(appId);
  const matches: boolean[] = [];
  for (let from = 0; from < audiences.length; from += LISTS_PER_STATEMENT) {
    const some = audiences.slice(from, from + LISTS_PER_STATEMENT);
    const conditions = some.map(
      ({ filters, now }) => sql`coalesce(${compileFilters(filters, { row, now })}, false)`,
    );
    const found = await db
      .selectFrom('devices as d')
      .select(sql<boolean[]>`array[${sql.join(conditions)}]`.as('matches'))
      .where('d.app_id', '=', appId)
      .where('d.id', '=', deviceId)
      .executeTakeFirst();
    matches.push(...(found?.matches ?? some.map(() => false)));
  }
  return matches;
}

/** A list of filters, and the value of `now` in its math-dates. */
interface AudienceAt {
  filters: readonly Filter[];
  now: Date;
}

/**
 * Reads a few devices as a sample. Ids are random, so the first devices by id are a sample; the same filters
 * give the same sample while devices stay.
 * @param request has the timeout and the signal of a count: where few of many devices match, finding them takes as long
 * @param facts attributes to read as well
 * @returns devices, sorted by id
 * @throws {ApiError} `unavailable` if it takes longer than the timeout, or the signal cancels it
 */
export async function sampleDevices(
  db: Kysely<Database>,
  request: CountRequest,
  limit: number,
  facts?: readonly Fact[],
): Promise<MatchingDevice[]> {
  const { appId, filters, now } = request;
  const range = { firstId: FIRST_UUID, lastId: LAST_UUID, limit, facts };
  return inCountTransaction(db, request, async (transaction) =>
    readMatchingDevices(transaction, { appId, filters, now, ...range }),
  );
}
