/** The ways to count devices, of which `count-devices.ts` takes the first one that can answer a query. */
import type { Kysely } from 'kysely';
import type { Database } from '../db/tables.ts';
import type { Filter } from '../filters/filter.ts';
import type { ColumnMap } from './rows/column-map.ts';

export interface CountQuery {
  /** A transaction: everything is read from one snapshot. */
  db: Kysely<Database>;
  appId: string;
  filters: readonly Filter[];
  /** The time that math-dates are relative to. */
  now: Date;
  /** Read once for these filters, in the same transaction. */
  columns: ColumnMap;
  /** The part of the matching devices that is counted too: on iOS, or without a push token. */
  part: 'ios' | 'unreachable';
}

export interface Counted {
  devices: number;
  /** The devices among them that belong to the part. */
  part: number;
}

export interface CountStrategy {
  /** Whether it can answer the query, as far as the query shows. Reads nothing. */
  canCount(query: CountQuery): boolean;
  /** @returns undefined where the database does not hold what this strategy needs */
  count(query: CountQuery): Promise<Counted | undefined>;
}
