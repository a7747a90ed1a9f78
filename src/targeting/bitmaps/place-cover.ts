/**
 * Covers the shapes of a filter with squares of the globe, each a quarter of a larger one, in the order in which the
 * devices of a block stand: squares inside a shape, squares that no shape reaches, and those between,
 * where a place is judged exactly, by the few edges near it.
 */
import { type Edge, eastward, INSIDE, OUTSIDE, stateInCircle, UNSURE } from '../rows/place-grid.ts';
import type { Circle, Ring } from '../../filters/place.ts';

export interface Cover {
  /** One after the other from code 0 on, and of a state each. Where it is `UNSURE`, leaves tell more. */
  runs: readonly Span[];
  /** In order; they hold every place of an unsure run, and others. */
  leaves: readonly Leaf[];
}

interface Span {
  /** The code (`place_code`) it begins with; it ends where the next begins. */
  code: number;
  state: number;
}

interface Leaf extends Span {
  /** Where the leaf is unsure: of each ring that goes through it, what is to be judged. */
  arcs: readonly Arc[];
}

/**
 * What is left of the test of `compile-place.ts`, which counts the edges between a place and a pole: those of the other
 * edges, past which every way goes or none, are counted already.
 */
export interface Arc {
  ring: Ring;
  /** Those that touch the leaf. */
  edges: readonly Edge[];
  /** Meridians of corners at which the other edges that are crossed become one more or one less. */
  turns: readonly number[];
  /** Whether west of the first of these meridians, the other edges that are crossed are odd in number. */
  odd: boolean;
}

interface Cell extends Leaf {
  level: number;
  south: number;
  west: number;
  circles: readonly Circle[];
}

/** Bits of a code for latitude, and as many for longitude. */
const LEVELS = 24;
/** The end of all codes. */
export const CODES = 4 ** LEVELS;
/** Below this, a square is hardly larger than its margins: ten metres. */
const LEVEL_MAX = 22;
/** What lies in a square of half of the globe or less, and so far east of a quarter's west, lies west of that quarter. */
const WEST_OF_AREA_DEGREES = 225;
/** A metre, by which every square is widened: more than rounding moves a place, an edge or a rim. */
const MARGIN_DEGREES = 1e-5;
/** Every block looks up each run, and every device of an unsure run its leaf: more runs where those are many. */
const UNSURE_RUNS_MIN = 100;
const UNSURE_RUNS_MAX = 400;
const UNSURE_SHARE_MAX = 0.01;
const UNSURE_LEAVES = 1_000;
/** What takes more steps to cover has no cover: no request may hold up the others. */
const STEPS_MAX = 500_000;

/** @returns undefined where the shapes are too many, or have too many corners */
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
 * Quarters all cells, and those that are still unsure again, until they are enough.
 * @param cells of one level
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

/** From the south to the north, and in these from the west to the east: the order of codes. */
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

/** @returns what is left to be judged of the shapes of a larger square */
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
 * Of the edges that pass the area at a distance, those on the way to the pole are counted for all of its places at once.
 * Such an edge that ends within the area is crossed on one side of that meridian; most often, the next one begins there.
 * Where it does not, an edge that touches the area ends there: without such edges, nothing turns.
 */
function narrow({ ring, ...arc }: Arc, area: Area): Arc {
  const edges: Edge[] = [];
  const turns = new Set<number>();
  let { odd } = arc;
  const turnAt = (longitude: number): void => {
    if (!turns.delete(longitude)) turns.add(longitude);
  };
  for (const longitude of arc.turns) {
    const place = placeOf(longitude, area);
    if (place <= area.width) turnAt(longitude);
    else if (place > WEST_OF_AREA_DEGREES) odd = !odd;
  }
  for (const edge of arc.edges) {
    const [west, east] = [normal(edge.west), normal(edge.east)];
    const begins = placeOf(west, area);
    const ends = placeOf(east, area);
    const comesIn = ends < begins || edge.width === 360;
    if (!comesIn && begins > area.width) continue;
    const latitudes = latitudesWithin(edge, { begins, ends, comesIn }, area.width);
    const isSouth = latitudes.every((latitude) => latitude < area.south);
    const isNorth = latitudes.every((latitude) => latitude > area.north);
    if (!isSouth && !isNorth) edges.push(edge);
    const between = ring.side === 1 ? isSouth : isNorth;
    if (!between) continue;
    if (comesIn) odd = !odd;
    if (begins <= area.width) turnAt(west);
    if (ends <= area.width) turnAt(east);
  }
  return { ring, edges, turns: [...turns], odd };
}

/** How far east of the area's west. */
function placeOf(longitude: number, area: Area): number {
  return eastward(longitude, area.west);
}

/** Of the two names of a meridian, one. */
function normal(longitude: number): number {
  return longitude === -180 ? 180 : longitude;
}

interface Part {
  /** Where the edge begins and ends, in degrees east of the area's west, going round. */
  begins: number;
  ends: number;
  /** Whether it crosses the area's west. */
  comesIn: boolean;
}

/** Where an edge comes to the meridians of an area and where it leaves them: the rest of it there lies between. */
function latitudesWithin(edge: Edge, { begins, ends, comesIn }: Part, width: number): number[] {
  const latitudes: number[] = [];
  if (begins <= width) latitudes.push(edge.westLatitude, latitudeAt(edge, width - begins));
  if (ends <= width) latitudes.push(edge.eastLatitude);
  if (comesIn) latitudes.push(latitudeAt(edge, 360 - begins), latitudeAt(edge, 360 - begins + width));
  return latitudes;
}

/** So many degrees east of where it begins, or at its end. */
function latitudeAt({ width, westLatitude, eastLatitude }: Edge, degrees: number): number {
  return degrees < width ? westLatitude + ((eastLatitude - westLatitude) * degrees) / width : eastLatitude;
}
