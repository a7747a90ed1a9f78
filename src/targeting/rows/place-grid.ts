/**
 * A grid over all shapes of a filter. Each cell is inside a shape, outside all shapes, or unsure. A point in an unsure cell
 * is tested exactly; any other device needs only one look-up, no matter how many corners a polygon has.
 */
import type { Point } from '../../filters/filter.ts';
import type { Box, Circle, Ring } from '../../filters/place.ts';

export type Edge = Ring['edges'][number];

interface Raster extends Box {
  /** The number of rows, which is also the number of columns. */
  side: number;
}

export interface Grid extends Raster {
  /** A byte per cell, in rows from south to north, each from west to east. */
  cells: Buffer;
  /** The edges in each column, column after column, with the numbers of their rings. */
  edges: readonly { number: number; ring: Ring; edge: Edge }[];
  /** The range in `edges` of each column. */
  slices: readonly { begin: number; end: number }[];
}

export const OUTSIDE = 0;
export const UNSURE = 1;
export const INSIDE = 2;

/** Widens every cell, so that rounding never moves a point out of its cell. */
const MARGIN_DEGREES = 1e-7;
/** The rounding error of the distance to a point on the other side of the globe. */
const MARGIN_RADIANS = 1e-7;
const RADIANS = Math.PI / 180;
/** The steps that may be spent on the grids of one list of filters, so that one request does not delay the others. */
export interface Drawing {
  stepsLeft: number;
}

/** Some 10 ms. A polygon of 1,000 points on the largest grid takes a tenth of it. */
const STEPS_MAX = 500_000;

export function newDrawing(): Drawing {
  return { stepsLeft: STEPS_MAX };
}

/** If drawing takes more steps than are left, all cells are unsure. */
export function gridOf(
  side: number,
  circles: readonly Circle[],
  rings: readonly Ring[],
  drawing: Drawing = newDrawing(),
): Grid {
  const raster = { ...boxAround([...circles, ...rings]), side };
  const cells = Buffer.alloc(side ** 2, OUTSIDE);
  const edges = rings.flatMap((ring, number) => ring.edges.map((edge) => ({ number, ring, edge })));
  if (draw(cells, raster, circles, rings, drawing)) return { ...raster, cells, ...byColumn(raster, edges) };
  const slices = Array.from({ length: side }, () => ({ begin: 0, end: edges.length }));
  return { ...raster, cells: cells.fill(UNSURE), edges, slices };
}

/** @returns false if it took too many steps, and the cells mean nothing */
function draw(
  cells: Buffer,
  raster: Raster,
  circles: readonly Circle[],
  rings: readonly Ring[],
  drawing: Drawing,
): boolean {
  const steps = stepsFor(raster, circles, rings);
  if (steps > drawing.stepsLeft) return false;
  drawing.stepsLeft -= steps;
  for (const circle of circles) markCircle(cells, raster, circle);
  for (const ring of rings) {
    markRing(cells, raster, ring, drawing);
    if (drawing.stepsLeft < 0) return false;
  }
  return true;
}

function stepsFor(grid: Raster, circles: readonly Circle[], rings: readonly Ring[]): number {
  const boxes = [...circles, ...rings].map(({ south, north, west, width }) => {
    const { first, last } = rowsBetween(grid, south, north);
    return (last - first + 1) * columnsBetween(grid, eastward(west, grid.west), width).length;
  });
  const edges = rings.flatMap((ring) =>
    ring.edges.map((edge) => columnsBetween(grid, eastward(edge.west, grid.west), edge.width).length),
  );
  return [...boxes, ...edges].reduce((sum, steps) => sum + steps, 0);
}

function byColumn(grid: Raster, edges: Grid['edges']): Pick<Grid, 'edges' | 'slices'> {
  const columns = columnsOf(grid, edges, ({ edge }) => edge);
  let end = 0;
  const slices = columns.map(({ length }) => {
    end += length;
    return { begin: end - length, end };
  });
  return { edges: columns.flat(), slices };
}

/**
 * @returns for each column of the grid, the elements whose edges are in it: the meridian of a point can cross no others
 */
function columnsOf<Of>(grid: Raster, all: readonly Of[], edgeOf: (one: Of) => Edge): Of[][] {
  const columns: Of[][] = Array.from({ length: grid.side }, () => []);
  for (const one of all) {
    const { west, width } = edgeOf(one);
    for (const column of columnsBetween(grid, eastward(west, grid.west), width)) {
      columns[wrapped(grid, column)]?.push(one);
    }
  }
  return columns;
}

/** @returns a box around all boxes, with longitudes measured from the west end of the first box */
function boxAround(boxes: readonly Box[]): Box {
  const south = Math.min(...boxes.map((box) => box.south)) - MARGIN_DEGREES;
  const north = Math.max(...boxes.map((box) => box.north)) + MARGIN_DEGREES;
  const origin = boxes[0]?.west ?? 0;
  const wests = boxes.map((box) => eastward(box.west + 180, origin) - 180);
  const west = Math.min(...wests) - MARGIN_DEGREES;
  const width =
    Math.max(...boxes.map((box, index) => (wests[index] ?? 0) + box.width)) + MARGIN_DEGREES - west;
  return width >= 360
    ? { south, north, west: -180, width: 360 }
    : { south, north, west: origin + west, width };
}

/** The columns of the grid that a box touches, with the longitudes of their middles. */
function columnsWithin(grid: Raster, box: Box): { column: number; longitude: number }[] {
  return columnsBetween(grid, eastward(box.west, grid.west), box.width).map((number) => {
    const column = wrapped(grid, number);
    return { column, longitude: grid.west + ((column + 0.5) * grid.width) / grid.side };
  });
}

/** The latitude of the middle of a row. */
function latitudeOf(grid: Raster, row: number): number {
  return grid.south + ((row + 0.5) * (grid.north - grid.south)) / grid.side;
}

function rowsBetween(grid: Raster, south: number, north: number): { first: number; last: number } {
  const height = (grid.north - grid.south) / grid.side;
  return {
    first: Math.max(Math.floor((south - MARGIN_DEGREES - grid.south) / height), 0),
    last: Math.min(Math.floor((north + MARGIN_DEGREES - grid.south) / height), grid.side - 1),
  };
}

/**
 * @param start degrees east of the west end of the grid
 * @returns column numbers; in a grid around the whole globe they may be outside the grid (see `wrapped`)
 */
function columnsBetween(grid: Raster, start: number, width: number): number[] {
  const degrees = grid.width / grid.side;
  const round = grid.width === 360;
  const begins = Math.floor((start - MARGIN_DEGREES) / degrees);
  const ends = Math.floor((start + width + MARGIN_DEGREES) / degrees);
  const first = round ? begins : Math.max(begins, 0);
  const last = Math.min(ends, round ? begins + grid.side - 1 : grid.side - 1);
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

function wrapped(grid: Raster, column: number): number {
  return (column + grid.side) % grid.side;
}

/** All trigonometry is done once per row and once per column: a circle may cover the whole grid. */
function markCircle(cells: Buffer, grid: Raster, circle: Circle): void {
  const halfHeight = (grid.north - grid.south) / grid.side / 2 + MARGIN_DEGREES;
  const halfWidth = grid.width / grid.side / 2 + MARGIN_DEGREES;
  const rows = rowsBetween(grid, circle.south, circle.north);
  const columns = columnsWithin(grid, circle).map(({ column, longitude }) => ({
    column,
    eastOfCenter: haversineOf(longitude - circle.center.longitude),
  }));
  for (let row = rows.first; row <= rows.last; row++) {
    const inRow = circleInRow(latitudeOf(grid, row), { halfHeight, halfWidth }, circle);
    for (const { column, eastOfCenter } of columns) {
      const distance = inRow.northOfCenter + inRow.perEast * eastOfCenter;
      const state =
        distance < inRow.insideWithin ? INSIDE : distance > inRow.outsideBeyond ? OUTSIDE : UNSURE;
      mark(cells, row * grid.side + column, state);
    }
  }
}

/** A circle for the cells of one latitude. Distances are haversines, which grow with the distance. */
interface CircleInRow {
  /**
   * The distance to the centre is `northOfCenter` plus `perEast` times the haversine of the difference of longitudes.
   */
  northOfCenter: number;
  perEast: number;
  /**
   * A cell is inside the circle if its middle is nearer than this, and outside if it is farther than `outsideBeyond`.
   */
  insideWithin: number;
  outsideBeyond: number;
}

function circleInRow(
  latitude: number,
  { halfHeight, halfWidth }: { halfHeight: number; halfWidth: number },
  { center, haversine }: Circle,
): CircleInRow {
  const nearEquator = Math.max(Math.abs(latitude) - halfHeight, 0);
  const reach = (halfHeight + halfWidth * Math.cos(nearEquator * RADIANS)) * RADIANS + MARGIN_RADIANS;
  const radius = 2 * Math.asin(Math.sqrt(haversine));
  return {
    northOfCenter: haversineOf(latitude - center.latitude),
    perEast: Math.cos(latitude * RADIANS) * Math.cos(center.latitude * RADIANS),
    insideWithin: radius > reach ? Math.sin((radius - reach) / 2) ** 2 : -1,
    outsideBeyond: radius + reach < Math.PI ? Math.sin((radius + reach) / 2) ** 2 : Infinity,
  };
}

/** @returns (sin(angle / 2))² */
function haversineOf(degrees: number): number {
  return Math.sin((degrees * RADIANS) / 2) ** 2;
}

/** In a row, consecutive cells without an edge are all inside or all outside. */
function markRing(cells: Buffer, grid: Raster, ring: Ring, drawing: Drawing): void {
  const onEdge = new Uint8Array(grid.side ** 2);
  for (const edge of ring.edges) markAlong(onEdge, grid, edge);
  const edgesOf = columnsOf(grid, ring.edges, (edge) => edge);
  const rows = rowsBetween(grid, ring.south, ring.north);
  const columns = columnsWithin(grid, ring);
  for (let row = rows.first; row <= rows.last; row++) {
    let before: { column: number; inside: boolean } | undefined;
    for (const { column, longitude } of columns) {
      const index = row * grid.side + column;
      if (onEdge[index] === 1) {
        mark(cells, index, UNSURE);
        continue;
      }
      let inside = before?.column === column - 1 ? before.inside : undefined;
      if (inside === undefined) {
        const edges = edgesOf[column] ?? [];
        drawing.stepsLeft -= edges.length;
        if (drawing.stepsLeft < 0) return;
        inside = isInside({ latitude: latitudeOf(grid, row), longitude }, ring, edges);
      }
      before = { column, inside };
      if (inside) mark(cells, index, INSIDE);
    }
  }
}

/** Sets the bytes of the cells that an edge may touch to 1. */
function markAlong(onEdge: Uint8Array, grid: Raster, edge: Edge): void {
  const start = eastward(edge.west, grid.west);
  const degrees = grid.width / grid.side;
  const rise = edge.eastLatitude - edge.westLatitude;
  const latitudeAt = (degreesEast: number): number =>
    edge.westLatitude + rise * Math.min(Math.max(degreesEast / edge.width, 0), 1);
  for (const column of columnsBetween(grid, start, edge.width)) {
    const west = column * degrees - MARGIN_DEGREES - start;
    const ends =
      edge.width === 0
        ? [edge.westLatitude, edge.eastLatitude]
        : [latitudeAt(west), latitudeAt(west + degrees + 2 * MARGIN_DEGREES)];
    const rows = rowsBetween(grid, Math.min(...ends), Math.max(...ends));
    for (let row = rows.first; row <= rows.last; row++) onEdge[row * grid.side + wrapped(grid, column)] = 1;
  }
}

/**
 * The test of `compile-place.ts`, for a cell without edges.
 * @param edges the edges in the cell's column
 */
function isInside({ latitude, longitude }: Point, ring: Ring, edges: readonly Edge[]): boolean {
  const crossed = edges.filter((edge) => {
    const east = eastward(longitude, edge.west);
    const side = (latitude - edge.westLatitude) * edge.width - east * (edge.eastLatitude - edge.westLatitude);
    return side * ring.side > 0 && isCrossed(longitude, edge);
  });
  return crossed.length % 2 === 1;
}

/** The same as the SQL function `is_crossed`. */
function isCrossed(longitude: number, { west, east, width }: Edge): boolean {
  const toEast = (end: number): number => eastward(end, longitude) || 360;
  return width === 360 || toEast(east) < toEast(west);
}

function mark(cells: Buffer, index: number, state: number): void {
  cells[index] = Math.max(cells[index] ?? OUTSIDE, state);
}

/** @returns how many degrees a longitude is east of the meridian `west`: from 0 to less than 360 */
function eastward(longitude: number, west: number): number {
  const degrees = (longitude - west) % 360;
  return degrees < 0 ? degrees + 360 : degrees;
}
