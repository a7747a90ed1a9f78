/** Mercator's projection, on a square of width 1, and shapes on it. */
import { metresPerUnit, type Point, type Shape } from '../language.ts';

/** A place on the square: x to the east, y to the south, both from 0 to 1. */
export interface Spot {
  x: number;
  y: number;
}

const LATITUDE_MAX = 85.051_128;
/** The mean radius of the Earth, the same as in the API. */
const EARTH_METRES = 6_371_008.8;
const CIRCLE_CORNERS = 90;
/** The longest part of a polygon's edge that is drawn straight: edges are straight in degrees, not on the map. */
const EDGE_DEGREES = 4;

export function spotOf({ latitude, longitude }: Point): Spot {
  const angle = radians(Math.max(-LATITUDE_MAX, Math.min(LATITUDE_MAX, latitude)));
  return { x: (longitude + 180) / 360, y: (1 - Math.asinh(Math.tan(angle)) / Math.PI) / 2 };
}

export function pointOf({ x, y }: Spot): Point {
  const longitude = x * 360 - 180;
  const latitude = degrees(Math.atan(Math.sinh(Math.PI * (1 - 2 * y))));
  return { latitude, longitude };
}

/** Wraps the longitude to -180 to 180 and rounds to what a screen can show: five decimals are a metre. */
export function rounded({ latitude, longitude }: Point, decimals = 5): Point {
  const factor = 10 ** decimals;
  const round = (value: number): number => Math.round(value * factor) / factor + 0;
  return {
    latitude: round(Math.max(-90, Math.min(90, latitude))),
    longitude: round(Math.abs(longitude) <= 180 ? longitude : wrapped(longitude)),
  };
}

function wrapped(angle: number): number {
  return ((((angle + 180) % 360) + 360) % 360) - 180;
}

export function distanceBetween(from: Point, to: Point): number {
  const north = Math.sin(radians(to.latitude - from.latitude) / 2) ** 2;
  const east = Math.sin(radians(to.longitude - from.longitude) / 2) ** 2;
  const haversine = north + Math.cos(radians(from.latitude)) * Math.cos(radians(to.latitude)) * east;
  return 2 * EARTH_METRES * Math.asin(Math.min(1, Math.sqrt(haversine)));
}

/** The point at a distance in a direction. @param bearing in degrees, clockwise from the north */
export function pointAt(from: Point, metres: number, bearing: number): Point {
  const angle = Math.min(metres / EARTH_METRES, Math.PI);
  const [latitude, turn] = [radians(from.latitude), radians(bearing)];
  const sine = Math.sin(latitude) * Math.cos(angle) + Math.cos(latitude) * Math.sin(angle) * Math.cos(turn);
  const east = Math.atan2(
    Math.sin(turn) * Math.sin(angle) * Math.cos(latitude),
    Math.cos(angle) - Math.sin(latitude) * sine,
  );
  return { latitude: degrees(Math.asin(sine)), longitude: from.longitude + degrees(east) };
}

export function metresOf({ distance, unit }: { distance: number; unit: string }): number {
  return distance * (metresPerUnit[unit] ?? 1);
}

/** The outline of a shape, in degrees. Longitudes continue beyond 180 if the shape crosses that meridian. */
export function outlineOf(shape: Shape): Point[] {
  if (shape.kind === 'circle') {
    const bearings = Array.from({ length: CIRCLE_CORNERS }, (_, index) => (index * 360) / CIRCLE_CORNERS);
    return unwrapped(bearings.map((bearing) => pointAt(shape.center, metresOf(shape), bearing)));
  }
  const corners = unwrapped(shape.points);
  return corners.flatMap((from, index) => {
    const next = corners[(index + 1) % corners.length] ?? from;
    // The last edge leads back to the first corner, also by the shorter way around the globe.
    const [, to = next] = unwrapped([from, next]);
    const pieces = Math.max(1, Math.ceil(Math.abs(to.longitude - from.longitude) / EDGE_DEGREES));
    return Array.from({ length: pieces }, (_, piece) => ({
      latitude: from.latitude + ((to.latitude - from.latitude) * piece) / pieces,
      longitude: from.longitude + ((to.longitude - from.longitude) * piece) / pieces,
    }));
  });
}

/**
 * Each point takes the shorter way from the previous one; only a difference of exactly 360 degrees stays, which goes
 * all the way around.
 */
function unwrapped(points: readonly Point[]): Point[] {
  const result: Point[] = [];
  for (const { latitude, longitude } of points) {
    const before = result.at(-1)?.longitude ?? longitude;
    const turn = longitude - before;
    const isKept = Math.abs(turn) === 360 || Math.abs(turn) <= 180;
    result.push({ latitude, longitude: isKept ? longitude : before + wrapped(turn) });
  }
  return result;
}

/** A distance in its unit with three digits, which is as precise as a hand can aim. */
export function distanceIn(unit: string, metres: number): number {
  return Number((metres / (metresPerUnit[unit] ?? 1)).toPrecision(3));
}

/** 1, 2 or 5 and zeros: the longest such length up to the given one. */
export function roundLength(metres: number): number {
  const power = 10 ** Math.floor(Math.log10(metres));
  const factor = [5, 2, 1].find((one) => one * power <= metres) ?? 1;
  return factor * power;
}

function radians(angle: number): number {
  return (angle * Math.PI) / 180;
}

function degrees(angle: number): number {
  return (angle * 180) / Math.PI;
}
