/**
 * Compiles filters on places: circles with the haversine formula on a sphere, polygons with the even-odd rule on the plane of
 * longitude and latitude. docs/decisions/0002-places.md defines which points are inside, and why.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { type Drawing, type Edge, type Grid, gridOf, INSIDE, OUTSIDE } from './place-grid.ts';
import type { PlaceCriterion } from '../../filters/filter.ts';
import { type Box, type Circle, circleOf, type Ring, ringOf, ZERO_DEGREES } from '../../filters/place.ts';

/** The index pays off if the box around all shapes covers a smaller share of the globe than this. */
const INDEXED_SHARE_MAX = 0.02;

/** Up to this many circles are written into the query, which is faster than a function call with a list. */
const INLINED_MAX = 8;

/** The coordinates of a device, as SQL expressions in degrees. */
export interface Position {
  latitude: RawBuilder<number>;
  longitude: RawBuilder<number>;
}

/** The coordinates of the row `d`. */
export interface PlaceColumns extends Position {
  /** Conditions that a device must meet to have these coordinates. */
  required: readonly RawBuilder<SqlBool>[];
  /** Whether an index on the coordinates exists. */
  isIndexed: boolean;
  /** The number of rows of the grid, which is also its number of columns. */
  gridSide: number;
  /** Shared by all filters on the row. */
  drawing: Drawing;
}

/** A grid answers for all devices except those near an edge. */
export function compilePlace(criteria: readonly PlaceCriterion[], place: PlaceColumns): RawBuilder<SqlBool> {
  const circles = criteria.flatMap((criterion) => (criterion.kind === 'circle' ? [circleOf(criterion)] : []));
  const rings = criteria.flatMap((criterion) =>
    criterion.kind === 'polygon' ? [ringOf(criterion.points)] : [],
  );
  const grid = gridOf(place.gridSide, circles, rings, place.drawing);
  const conditions = [
    ...place.required,
    ...(place.isIndexed && isIndexed(grid) ? [compileBox(place, grid)] : []),
    compileWithin(place, grid, circles, rings),
  ];
  return sql<SqlBool>`(${sql.join(conditions, sql` and `)})`;
}

/** Whether to use the index. A box across the 180th meridian cannot: its longitudes are not one interval. */
function isIndexed({ south, north, west, width }: Box): boolean {
  const share = ((north - south) / 180) * (width / 360);
  return share < INDEXED_SHARE_MAX && west >= -180 && west + width <= 180;
}

function compileBox({ latitude, longitude }: Position, grid: Grid): RawBuilder<SqlBool> {
  return sql<SqlBool>`${latitude} between ${grid.south}::float8 and ${grid.north}::float8
    and ${longitude} between ${grid.west}::float8 and ${grid.west + grid.width}::float8`;
}

/** The `case` fixes the order of evaluation. It also hides the bounds of a wide box, for which an index is slower. */
function compileWithin(
  position: Position,
  grid: Grid,
  circles: readonly Circle[],
  rings: readonly Ring[],
): RawBuilder<SqlBool> {
  const { latitude, longitude } = position;
  const eastward = sql<number>`((${longitude} - ${grid.west}::float8)
    - 360 * floor((${longitude} - ${grid.west}::float8) / 360))`;
  const row = cellNumber(grid, sql`(${latitude} - ${grid.south}::float8)`, grid.north - grid.south);
  const column = cellNumber(grid, eastward, grid.width);
  const exact = [
    ...(circles.length > 0 ? [compileCircles(position, circles)] : []),
    ...(rings.length > 0 ? [compileRings(position, grid, column)] : []),
  ];
  return sql<SqlBool>`case
    when ${latitude} between ${grid.south}::float8 and ${grid.north}::float8
      and ${eastward} <= ${grid.width}::float8
    then case get_byte(${grid.cells}::bytea, ${row} * ${sql.lit(grid.side)} + ${column})
      when ${sql.lit(INSIDE)} then true
      when ${sql.lit(OUTSIDE)} then false
      else ${sql.join(exact, sql` or `)}
    end
  end`;
}

function cellNumber({ side }: Grid, degrees: RawBuilder<number>, all: number): RawBuilder<number> {
  return sql<number>`least(floor(${degrees} * ${side / all}::float8), ${sql.lit(side - 1)})::int`;
}

function compileCircles({ latitude, longitude }: Position, circles: readonly Circle[]): RawBuilder<SqlBool> {
  const place = sql`${withoutTiny(latitude)}, ${withoutTiny(longitude)}`;
  if (circles.length <= INLINED_MAX) {
    const each = circles.map(
      ({ center, haversine }) => sql<SqlBool>`within_circle(${place},
        ${center.latitude}::float8, ${center.longitude}::float8, ${haversine}::float8)`,
    );
    return sql<SqlBool>`(${sql.join(each, sql` or `)})`;
  }
  return sql<SqlBool>`within_circles(${place},
    ${listed(circles.map(({ center }) => center.latitude))}::float8[],
    ${listed(circles.map(({ center }) => center.longitude))}::float8[],
    ${listed(circles.map(({ haversine }) => haversine))}::float8[])`;
}

/** The meridian of a point can cross only edges in its grid column. */
function compileRings(
  position: Position,
  { edges, slices }: Grid,
  column: RawBuilder<number>,
): RawBuilder<SqlBool> {
  const ofColumn = (numbers: readonly number[]): RawBuilder<number> =>
    sql<number>`(${listed(numbers)}::int[])[${column} + 1]`;
  const ofEdges = (name: keyof Edge): RawBuilder<number[]> =>
    sql`${listed(edges.map(({ edge }) => edge[name]))}::float8[]`;
  return sql<SqlBool>`within_rings(${withoutTiny(position.latitude)}, ${withoutTiny(position.longitude)},
    ${ofColumn(slices.map(({ begin }) => begin + 1))}, ${ofColumn(slices.map(({ end }) => end))},
    ${listed(edges.map(({ number }) => number))}::int[],
    ${listed(edges.map(({ ring }) => ring.side))}::int[],
    ${ofEdges('west')}, ${ofEdges('east')}, ${ofEdges('width')},
    ${ofEdges('westLatitude')}, ${ofEdges('eastLatitude')})`;
}

/** @returns a Postgres array literal. The driver is slower: it checks every number for characters to quote. */
function listed(numbers: readonly number[]): string {
  return `{${numbers.join(',')}}`;
}

function withoutTiny(degrees: RawBuilder<number>): RawBuilder<number> {
  return sql<number>`case when abs(${degrees}) < ${sql.lit(ZERO_DEGREES)} then 0 else ${degrees} end`;
}
