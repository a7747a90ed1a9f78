/**
 * The row `d` that filters are compiled for. A device has a row in `devices` and a targeting row in `device_targets`, with
 * the same attributes. A `Row` says how to compare the attributes that the two store differently.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { DateColumn, Filter, TextColumn } from '../../filters/filter.ts';
import type { Interval } from '../../filters/interval.ts';
import type { ColumnMap } from './column-map.ts';
import { compileJsonTest, type CustomTest } from './compile-custom.ts';
import { compileMoments } from './compile-interval.ts';
import type { PlaceColumns } from './compile-place.ts';
import { anyOf, type Condition, equalsAny, hiddenFromPlanner } from './conditions.ts';
import { newDrawing } from './place-grid.ts';

export interface Row {
  appId: string;
  text(column: TextColumn, values: readonly string[]): Condition;
  tags(values: readonly string[]): RawBuilder<SqlBool>;
  /** @param intervals in milliseconds since 1970 */
  date(column: DateColumn, intervals: readonly Interval<number>[]): Condition;
  /** @returns the versions in the ranges of a filter; undefined if they were not looked up */
  versionsOf(filter: Filter): readonly string[] | undefined;
  custom(test: CustomTest): RawBuilder<SqlBool>;
  /**
   * @param gpsOnly true for `sdk_location`; false for `location`: the GPS coordinates, or the others if there are none
   */
  place(gpsOnly: boolean): PlaceColumns;
}

/** Drawing a fine grid takes milliseconds: that pays off for all devices of an app, but not for a slice of a thousand. */
const GRID_SIDE_FOR_ALL = 128;
const GRID_SIDE_FOR_FEW = 32;

/** A row of `devices`. */
export function devicesRow(appId: string): Row {
  const drawing = newDrawing();
  return {
    appId,
    text: (column, values) => ({ sql: equalsAny(`d.${column}`, values), isExists: false }),
    tags: (values) => sql<SqlBool>`d.tags && ${values}::text[]`,
    date: (column, intervals) => ({
      sql: compileMoments(sql.ref(`d.${column}`), intervals),
      isExists: false,
    }),
    versionsOf: () => undefined,
    custom: (test) =>
      anyOf([compileJsonTest('d.custom', { attribute: test.attribute, type: test.type }, test)]),
    place: (gpsOnly) => ({
      latitude: coordinate('latitude', gpsOnly),
      longitude: coordinate('longitude', gpsOnly),
      required: [],
      isIndexed: false,
      gridSide: GRID_SIDE_FOR_FEW,
      drawing,
    }),
  };
}

function coordinate(name: 'latitude' | 'longitude', gpsOnly: boolean): RawBuilder<number> {
  const gps = sql.ref(`d.sdk_${name}`);
  if (gpsOnly) return sql<number>`${gps}`;
  return sql<number>`case when d.sdk_latitude is null then ${sql.ref(`d.${name}`)} else ${gps} end`;
}

/**
 * A row of `device_targets`. It has no user ids and e-mail addresses: a user has few devices, which an index of
 * `devices` finds. `registered_at` is in a separate table, because it changes with every start of the app.
 * @param columns the column map that was read for the same filters
 * @param judged whether the condition is evaluated for all rows of an app, or for a few (a slice)
 */
export function targetingRow(appId: string, columns: ColumnMap, judged: 'all' | 'few' = 'all'): Row {
  const app = hiddenFromPlanner(appId);
  const drawing = newDrawing();
  return {
    appId,
    text: (column, values) =>
      column === 'user_id' || column === 'user_email'
        ? {
            sql: sql<SqlBool>`exists (
              select from devices as owner
              where owner.app_id = ${app} and owner.id = d.id and ${equalsAny(`owner.${column}`, values)}
            )`,
            isExists: true,
          }
        : { sql: equalsAny(`d.${column}`, values), isExists: false },
    // Tags are stored as a JSON list, which is shorter than an array.
    tags: (values) => sql<SqlBool>`d.tags ?| ${values}::text[]`,
    date: (column, intervals) =>
      column === 'registered_at'
        ? {
            sql: sql<SqlBool>`exists (
              select from device_registrations as known
              where known.app_id = ${app} and known.id = d.id
                and ${compileMoments(sql.ref('known.registered_at'), intervals)}
            )`,
            isExists: true,
          }
        : { sql: compileMoments(sql.ref(`d.${column}`), intervals), isExists: false },
    versionsOf: (filter) => columns.versions.get(filter),
    custom: (test) => {
      const { type, attribute, inColumn } = test;
      const { column, inRest } = columns.customColumn(type, attribute);
      return anyOf([
        column !== null && inColumn(sql.ref(`d.${column}`)),
        inRest && compileJsonTest('d.rest', { attribute: `${type} ${attribute}` }, test),
      ]);
    },
    place: (gpsOnly) => ({
      latitude: sql<number>`d.latitude`,
      longitude: sql<number>`d.longitude`,
      required: [...(gpsOnly ? [sql<SqlBool>`d.gps`] : []), sql<SqlBool>`d.latitude is not null`],
      isIndexed: true,
      gridSide: judged === 'all' ? GRID_SIDE_FOR_ALL : GRID_SIDE_FOR_FEW,
      drawing,
    }),
  };
}
