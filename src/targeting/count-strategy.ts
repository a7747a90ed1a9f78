/** The interface of a way to count devices. `count-devices.ts` uses the first one that can answer a query. */
import type { Kysely } from 'kysely';
import type { Database } from '../db/tables.ts';
import type { Filter } from '../filters/filter.ts';
import type { ColumnMap } from './rows/column-map.ts';

export interface CountQuery {
  /** A transaction: everything is read from one snapshot. */
  db: Kysely<Database>;
  appId: string;
  filters: readonly Filter[];
  /** The value of `now` in math-dates. */
  now: Date;
  /** Read once for these filters, in the same transaction. */
  columns: ColumnMap;
  /** Whether those without a push token are counted as well. */
  withUnreachable: boolean;
}

export interface Counted {
  devices: number;
  /** How many of them have no push token; 0 if nobody asked. */
  unreachable: number;
}

export interface CountStrategy {
  /** Whether it can answer such a query. Reads nothing from the database. */
  canCount(query: CountQuery): boolean;
  /** @returns undefined if the database lacks what this strategy needs */
  count(query: CountQuery): Promise<Counted | undefined>;
}
