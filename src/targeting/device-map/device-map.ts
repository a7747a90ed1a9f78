/** The device map, cached: it is a background for people to look at, so it may be some minutes old. */
import type { Kysely } from 'kysely';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../db/tables.ts';
import { countCells, type DeviceCells } from './device-map-store.ts';
import { cellsOver, type CellRange, type MapBox } from './grid.ts';

export interface CountedCells extends DeviceCells {
  countedAt: Date;
}

export interface DeviceMap {
  /** Callers that ask for the same cells at the same time share one query. @throws {ApiError} `unavailable` */
  read(appId: string, box: MapBox): Promise<CountedCells>;
}

const MAX_AGE_MS = 5 * 60_000;
/** A map has some 100 kB of cells at most. */
const ENTRIES_MAX = 100;

export interface DeviceMapDeps {
  db: Kysely<Database>;
  clock: Clock;
  /** Runs the query when the database has capacity for another count. */
  run: <Result>(work: () => Promise<Result>) => Promise<Result>;
}

export function openDeviceMap({ db, clock, run }: DeviceMapDeps): DeviceMap {
  const entries = new Map<string, { startedMs: number; cells: Promise<CountedCells> }>();

  async function count(appId: string, range: CellRange, countedAt: Date): Promise<CountedCells> {
    return { ...(await run(async () => countCells(db, appId, range))), countedAt };
  }

  return {
    async read(appId, box) {
      const range = cellsOver(box);
      const key = `${appId} ${Object.values(range).join(' ')}`;
      const now = clock();
      const known = entries.get(key);
      if (known !== undefined && now.getTime() - known.startedMs <= MAX_AGE_MS) return known.cells;
      const entry = { startedMs: now.getTime(), cells: count(appId, range, now) };
      entries.delete(key);
      entries.set(key, entry);
      const [oldest] = entries.keys();
      if (entries.size > ENTRIES_MAX && oldest !== undefined) entries.delete(oldest);
      try {
        return await entry.cells;
      } catch (error) {
        if (entries.get(key) === entry) entries.delete(key);
        throw error;
      }
    },
  };
}
