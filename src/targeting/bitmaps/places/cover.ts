/**
 * Covers the shapes of a filter with squares of the globe, sorted by place code; each square is a quarter of a larger one. A
 * square is inside a shape, outside all shapes, or unsure. A point in an unsure square is tested exactly, with the few edges
 * near it.
 */
import { type Edge, eastward, INSIDE, OUTSIDE, stateInCircle, UNSURE } from '../../rows/place-grid.ts';
import type { Circle, Ring } from '../../../filters/place.ts';

export interface Cover {
  /** Consecutive runs of codes from 0, each with a state. The leaves divide `UNSURE` runs further. */
  runs: readonly Span[];
  /** Sorted by code. They contain all points of the unsure runs, and other points. */
  leaves: readonly Leaf[];
}

interface Span {
  /** The first place code; the span ends before the first code of the next span. */
  code: number;
  state: number;
}

interface Leaf extends Span {
  /** In an unsure leaf: the remaining test for each ring with an edge in it. */
  arcs: readonly Arc[];
}

/**
 * The remaining part of the test of `compile-place.ts`, which counts the edges between a point and a pole. An edge is already
 * counted if the meridians of all points in the leaf cross it, or of none.
 */
export interface Arc {
  ring: Ring;
  /** The edges that touch the leaf. */
  edges: readonly Edge[];
  /** Meridians of corners where the number of other crossed edges changes by one. */
  turns: readonly number[];
  /** Whether the number of other crossed edges is odd west of the first of these meridians. */
  odd: boolean;
}

interface Cell extends Leaf {
  level: number;
  south: number;
  west: number;
  circles: readonly Circle[];
}

/** Bits per coordinate in a place code. */
const LEVELS = 24;
/** The number of place codes. */
export const CODES = 4 ** LEVELS;
/** At this level a square is ten metres wide, hardly wider than its margins. */
const LEVEL_MAX = 22;
/** Offsets are measured eastward from a quarter's west edge. In half of the globe, a larger offset than this means west. */
const WEST_OF_AREA_DEGREES = 225;
/** Squares are widened by a metre, which is more than rounding moves a point or an edge. */
const MARGIN_DEGREES = 1e-5;
/** Each block looks up each run, and each device of an unsure run looks up its leaf. Many such devices justify more runs. */
const UNSURE_RUNS_MIN = 100;
const UNSURE_RUNS_MAX = 400;
const UNSURE_SHARE_MAX = 0.01;
const UNSURE_LEAVES = 1_000;
/** Shapes that need more steps get no cover, so that one request does not delay the others. */
const STEPS_MAX = 500_000;

/** @returns undefined if there are too many shapes or corners */
export function coverOf(circles: readonly Circle[], rings: readonly Ring[]): Cover | undefined {
  const arcs = rings.map((ring): Arc => ({ ring, edges: ring.edges, turns: [], odd: false }));
  const globe: Cell = { code: 0, state: UNSURE, level: 0, south: -90, west: -180, circles, arcs };
  const coarse = refine([globe], STEPS_MAX, areRuns);
  if (coarse === undefined) return undefined;
  const fine = refine(coarse.unsure, coarse.stepsLeft, ({ length }) => length > UNSURE_LEAVES);
  if (fine === undefined) return undefined;
  return {
    runs: inOrder([...coarse.sure, ...coarse.unsure]).filter(
      ({ state }, index, all) => state !== all[index - 1]?.state,
    ),
    leaves: inOrder([...fine.sure, ...fine.unsure]).filter(
      ({ state }, index, all) => state === UNSURE || state !== all[index - 1]?.state,
    ),
  };
}

interface Refined {
  sure: Cell[];
  unsure: Cell[];
  stepsLeft: number;
}

function areRuns(unsure: readonly Cell[]): boolean {
  if (unsure.length <= UNSURE_RUNS_MIN) return false;
  const ofGlobe = unsure.reduce((sum, { level }) => sum + 1 / 4 ** level, 0);
  return ofGlobe < UNSURE_SHARE_MAX || unsure.length > UNSURE_RUNS_MAX;
}

/**
 * Divides all cells into quarters, and divides quarters that are still unsure again, until `areEnough`.
 * @param cells cells of the same level
 */
function refine(
  cells: readonly Cell[],
  steps: number,
  areEnough: (unsure: readonly Cell[]) => boolean,
): Refined | undefined {
  const sure: Cell[] = [];
  let unsure = [...cells];
  let stepsLeft = steps;
  while (unsure.length > 0 && !areEnough(unsure) && unsure.every(({ level }) => level < LEVEL_MAX)) {
    stepsLeft -= unsure.reduce((sum, cell) => sum + 4 * shapesOf(cell), 0);
    if (stepsLeft < 0) return undefined;
    const quarters = unsure.flatMap(quartersOf);
    sure.push(...quarters.filter(({ state }) => state !== UNSURE));
    unsure = quarters.filter(({ state }) => state === UNSURE);
  }
  return { sure, unsure, stepsLeft };
}

function shapesOf({ circles, arcs }: Cell): number {
  return arcs.reduce((sum, { edges }) => sum + edges.length, circles.length);
}

function inOrder(cells: readonly Cell[]): Cell[] {
  return cells.toSorted((left, right) => left.code - right.code);
}

/** @returns the quarters sorted by place code: southern before northern, western before eastern */
function quartersOf(cell: Cell): Cell[] {
  return [0, 1, 2, 3].map((quarter) => quarterOf(cell, quarter));
}

function quarterOf(cell: Cell, quarter: number): Cell {
  const level = cell.level + 1;
  const south = cell.south + (quarter >= 2 ? 180 / 2 ** level : 0);
  const west = cell.west + (quarter % 2 === 1 ? 360 / 2 ** level : 0);
  const code = cell.code + quarter * 4 ** (LEVELS - level);
  return { level, south, west, code, ...judge({ level, south, west }, cell) };
}

type Square = Pick<Cell, 'south' | 'west' | 'level'>;
type Judged = Pick<Cell, 'state' | 'circles' | 'arcs'>;

const ALL_INSIDE: Judged = { state: INSIDE, circles: [], arcs: [] };

/** @returns the square's state, and the tests of the larger square that remain for it */
function judge(square: Square, { circles, arcs }: Cell): Judged {
  const height = 180 / 2 ** square.level;
  const width = 360 / 2 ** square.level;
  const middle = { latitude: square.south + height / 2, longitude: square.west + width / 2 };
  const half = { halfHeight: height / 2 + MARGIN_DEGREES, halfWidth: width / 2 + MARGIN_DEGREES };
  const circlesLeft: Circle[] = [];
  for (const circle of circles) {
    const state = stateInCircle(middle, half, circle);
    if (state === INSIDE) return ALL_INSIDE;
    if (state === UNSURE) circlesLeft.push(circle);
  }
  const area: Area = {
    south: square.south - MARGIN_DEGREES,
    north: square.south + height + MARGIN_DEGREES,
    west: square.west - MARGIN_DEGREES,
    width: width + 2 * MARGIN_DEGREES,
  };
  const arcsLeft: Arc[] = [];
  for (const arc of arcs) {
    const left = narrow(arc, area);
    if (left.edges.length > 0) arcsLeft.push(left);
    else if (left.odd) return ALL_INSIDE;
  }
  const state = circlesLeft.length + arcsLeft.length > 0 ? UNSURE : OUTSIDE;
  return { state, circles: circlesLeft, arcs: arcsLeft };
}

interface Area {
  south: number;
  north: number;
  west: number;
  width: number;
}

/**
 * Edges between the area and the pole that do not touch the area are counted for all of its points at once. An edge that ends
 * at a meridian of the area is crossed only on one side of that meridian. Usually the next edge begins there; otherwise an
 * edge that touches the area ends there. Without touching edges, no turns remain.
 */
function narrow({ ring, ...arc }: Arc, area: Area): Arc {
  const edges: Edge[] = [];
  const turns = new Set<number>();
  let { odd } = arc;
  const turnAt = (longitude: number): void => {
    if (!turns.delete(longitude)) turns.add(longitude);
  };
  for (const longitude of arc.turns) {
    const offset = offsetFrom(longitude, area);
    if (offset <= area.width) turnAt(longitude);
    else if (offset > WEST_OF_AREA_DEGREES) odd = !odd;
  }
  for (const edge of arc.edges) {
    const [west, east] = [normal(edge.west), normal(edge.east)];
    const begins = offsetFrom(west, area);
    const ends = offsetFrom(east, area);
    const entersFromWest = ends < begins || edge.width === 360;
    if (!entersFromWest && begins > area.width) continue;
    const latitudes = latitudesWithin(edge, { begins, ends, entersFromWest }, area.width);
    const isSouth = latitudes.every((latitude) => latitude < area.south);
    const isNorth = latitudes.every((latitude) => latitude > area.north);
    if (!isSouth && !isNorth) edges.push(edge);
    const between = ring.side === 1 ? isSouth : isNorth;
    if (!between) continue;
    if (entersFromWest) odd = !odd;
    if (begins <= area.width) turnAt(west);
    if (ends <= area.width) turnAt(east);
  }
  return { ring, edges, turns: [...turns], odd };
}

/** @returns degrees east of the area's west end */
function offsetFrom(longitude: number, area: Area): number {
  return eastward(longitude, area.west);
}

/** -180 and 180 are the same meridian. */
function normal(longitude: number): number {
  return longitude === -180 ? 180 : longitude;
}

interface Part {
  /** The ends of the edge, in degrees east of the area's west end, from 0 to 360. */
  begins: number;
  ends: number;
  /** Whether the edge crosses the area's west end. */
  entersFromWest: boolean;
}

/** @returns the latitudes where an edge enters and leaves the area's meridians; in between, the edge is between them */
function latitudesWithin(edge: Edge, { begins, ends, entersFromWest }: Part, width: number): number[] {
  const latitudes: number[] = [];
  if (begins <= width) latitudes.push(edge.westLatitude, latitudeAt(edge, width - begins));
  if (ends <= width) latitudes.push(edge.eastLatitude);
  if (entersFromWest) latitudes.push(latitudeAt(edge, 360 - begins), latitudeAt(edge, 360 - begins + width));
  return latitudes;
}

/** @returns the latitude `degrees` east of the edge's west end; beyond the east end, the latitude of that end */
function latitudeAt({ width, westLatitude, eastLatitude }: Edge, degrees: number): number {
  return degrees < width ? westLatitude + ((eastLatitude - westLatitude) * degrees) / width : eastLatitude;
}
