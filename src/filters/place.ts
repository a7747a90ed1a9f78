/** Prepares circles and polygons (as rings of edges) for the compilers of places. All angles are in degrees. */
import { METRES_PER_UNIT, type PlaceCriterion, type Point } from './filter.ts';

/** The mean radius of the Earth: (2 a + b) / 3 of the ellipsoid GRS 80. */
const EARTH_RADIUS_METRES = 6_371_008.8;
/**
 * Degrees closer to 0 than this (a tenth of a millimetre) count as 0, in devices and filters: products of such small
 * numbers may underflow, which is an error in Postgres.
 */
export const ZERO_DEGREES = 1e-9;
/** Widens boxes, so that rounding never excludes a point that the exact test accepts. */
const MARGIN_DEGREES = 1e-9;

/** Contains the whole shape. It extends from `west` eastward by `width`, and may cross the 180th meridian. */
export interface Box {
  south: number;
  north: number;
  west: number;
  width: number;
}

export interface Circle extends Box {
  center: Point;
  /** The haversine of the radius, (sin(angle / 2))², which grows with the distance. */
  haversine: number;
}

export interface Ring extends Box {
  edges: readonly Edge[];
  /** Which edges count for a point: the edges south of it (1) or north of it (-1). */
  side: 1 | -1;
}

/** An edge from west to east: a straight line in longitude and latitude. */
interface Edge {
  west: number;
  east: number;
  width: number;
  westLatitude: number;
  eastLatitude: number;
}

export function circleOf({ center, distance, unit }: PlaceCriterion & { kind: 'circle' }): Circle {
  const angle = Math.min((distance * METRES_PER_UNIT[unit]) / EARTH_RADIUS_METRES, Math.PI);
  const point = cleaned(center);
  return { center: point, haversine: Math.sin(angle / 2) ** 2, ...boxAround(point, angle) };
}

function boxAround({ latitude, longitude }: Point, angle: number): Box {
  const reach = toDegrees(angle) + MARGIN_DEGREES;
  const south = latitude - reach;
  const north = latitude + reach;
  // A circle that reaches a pole touches every meridian.
  if (south <= -90 || north >= 90) return { south, north, west: -180, width: 360 };
  const halfWidth = toDegrees(Math.asin(Math.sin(toRadians(reach)) / Math.cos(toRadians(latitude))));
  return {
    south,
    north,
    west: longitude - halfWidth - MARGIN_DEGREES,
    width: 2 * (halfWidth + MARGIN_DEGREES),
  };
}

/**
 * Each edge takes the shorter way around the globe, but an edge from -180 to 180 goes all the way around. If the turns do
 * not add up to 0, the ring surrounds a pole. The nearer pole is then inside, and the meridian from any point inside to the
 * other pole crosses the ring.
 */
export function ringOf(points: readonly Point[]): Ring {
  const edges: Edge[] = [];
  let turned = 0;
  let mostWest = 0;
  let mostEast = 0;
  const clean = points.map(cleaned);
  for (const [index, from] of clean.entries()) {
    const to = clean[(index + 1) % clean.length] ?? from;
    const turn = turnBetween(from.longitude, to.longitude);
    edges.push(turn >= 0 ? edgeOf(from, to, turn) : edgeOf(to, from, -turn));
    turned += turn;
    mostWest = Math.min(mostWest, turned);
    mostEast = Math.max(mostEast, turned);
  }
  const latitudes = clean.map((point) => point.latitude);
  const south = Math.min(...latitudes);
  const north = Math.max(...latitudes);
  const side = latitudes.reduce((sum, latitude) => sum + latitude, 0) >= 0 ? 1 : -1;
  if (Math.round(turned / 360) !== 0) {
    const reach = side === 1 ? { south, north: 90 } : { south: -90, north };
    return { edges, side, ...reach, west: -180, width: 360 };
  }
  const start = clean[0]?.longitude ?? 0;
  const west = start + mostWest - MARGIN_DEGREES;
  return { edges, side, south, north, west, width: mostEast - mostWest + 2 * MARGIN_DEGREES };
}

function edgeOf(west: Point, east: Point, width: number): Edge {
  return {
    west: west.longitude,
    east: east.longitude,
    width,
    westLatitude: west.latitude,
    eastLatitude: east.latitude,
  };
}

/** @returns degrees, positive to the east: at most 180 in either direction, or 360 for all the way around */
function turnBetween(from: number, to: number): number {
  const turn = to - from;
  if (Math.abs(turn) <= 180 || Math.abs(turn) === 360) return turn;
  return turn > 0 ? turn - 360 : turn + 360;
}

function cleaned({ latitude, longitude }: Point): Point {
  return {
    latitude: Math.abs(latitude) < ZERO_DEGREES ? 0 : latitude,
    longitude: Math.abs(longitude) < ZERO_DEGREES ? 0 : longitude,
  };
}

function toDegrees(radians: number): number {
  return (radians * 180) / Math.PI;
}

function toRadians(degrees: number): number {
  return (degrees * Math.PI) / 180;
}
