/** Counts an app's devices in the cells of a map. */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Database } from '../../db/tables.ts';
import { inCountTransaction } from '../count-transaction.ts';
import { boxOf, type CellRange, LATITUDE_MAX, middleOf } from './grid.ts';

export interface DeviceCell {
  latitude: number;
  longitude: number;
  devices: number;
}

export interface DeviceCells {
  cells: DeviceCell[];
  /** The width of a cell. */
  degrees: number;
  /** 1 if all devices were counted; 16 if one of 16 was, and the counts are estimates. */
  oneOf: number;
}

/** A cell with fewer devices is not shown, so that no single person is visible. */
export const DEVICES_PER_CELL_MIN = 5;
/** The most devices that one map reads: a tenth of a second. If a map has more, a share of them is read. */
const READ_MAX = 250_000;
const SHARES = [1, 16, 256] as const;
const TIMEOUT_MS = 5_000;

/** @throws {ApiError} `unavailable` if the query takes longer than 5 seconds */
export async function countCells(
  db: Kysely<Database>,
  appId: string,
  range: CellRange,
  readMax = READ_MAX,
): Promise<DeviceCells> {
  return inCountTransaction(db, { timeoutMs: TIMEOUT_MS }, async (transaction) => {
    let counted: Counted = { devices: 0, cells: [] };
    let share = 1;
    for (const oneOf of SHARES) {
      counted = await countShare(transaction, appId, range, { oneOf, readMax });
      share = oneOf;
      if (counted.devices <= readMax) break;
    }
    const cells = counted.cells.map(([x, y, devices]) =>
      Object.assign(middleOf(range.level, x, y), { devices: devices * share }),
    );
    return { cells, degrees: 360 / 2 ** range.level, oneOf: share };
  });
}

interface Counted {
  /** Devices in the whole box, also in cells that are not shown; `readMax` + 1 if there are more. */
  devices: number;
  /** x, y and the number of devices. */
  cells: [number, number, number][];
}

/** Ids are random, so the devices below an id are a random share of all. */
async function countShare(
  db: Kysely<Database>,
  appId: string,
  range: CellRange,
  { oneOf, readMax }: { oneOf: number; readMax: number },
): Promise<Counted> {
  const { south, west, north, east } = boxOf(range);
  const side = sql.lit(2 ** range.level);
  const latitude = sql`greatest(least(latitude, ${sql.lit(LATITUDE_MAX)}), ${sql.lit(-LATITUDE_MAX)})`;
  const isSample = oneOf > 1;
  const { rows } = await sql<Counted>`
    with inside as materialized (
      select latitude, longitude
      from device_targets
      where app_id = ${appId}
        and latitude between ${southOf(south)}::float8 and ${northOf(north)}::float8
        and longitude between ${west}::float8 and ${east}::float8
        ${isSample ? sql`and id < ${firstIdBeyond(oneOf)}::uuid order by id` : sql``}
      limit ${readMax + 1}
    ), binned as (
      select ${cellNumber(sql`(longitude + 180) / 360`, side)} as x,
        ${cellNumber(sql`(1 - asinh(tan(radians(${latitude}))) / pi()) / 2`, side)} as y,
        count(*) as devices
      from inside
      group by 1, 2
    )
    select coalesce(sum(devices), 0)::bigint as devices,
      coalesce(jsonb_agg(jsonb_build_array(x, y, devices) order by devices desc, x, y)
        filter (where devices >= ${sql.lit(DEVICES_PER_CELL_MIN)}), '[]') as cells
    from binned`.execute(db);
  return rows[0] ?? { devices: 0, cells: [] };
}

function cellNumber(share: RawBuilder<unknown>, side: RawBuilder<unknown>): RawBuilder<number> {
  return sql<number>`greatest(0, least(${side} - 1, floor(${share} * ${side})))::int`;
}

/** The first and the last row of cells also have the devices beyond the edge of the map. */
function southOf(south: number): number {
  return south <= -LATITUDE_MAX + 1e-6 ? -90 : south;
}

function northOf(north: number): number {
  return north >= LATITUDE_MAX - 1e-6 ? 90 : north;
}

/** @param oneOf 16 or 256 */
function firstIdBeyond(oneOf: number): string {
  const first = (2 ** 32 / oneOf).toString(16).padStart(8, '0');
  return `${first}-0000-0000-0000-000000000000`;
}
