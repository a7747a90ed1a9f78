/**
 * The grid of the device map: the world in Mercator's projection as a square, which each level halves in both directions.
 * Cells of a level have fixed positions, so that dots stay where they are while a reader moves the map.
 */

/** In degrees. `west` is less than `east`: the map does not cross the 180th meridian. */
export interface MapBox {
  south: number;
  west: number;
  north: number;
  east: number;
}

/** Cells from `left` (included) to `right` (excluded), and from `top` to `bottom`, counted from the north-west corner. */
export interface CellRange {
  level: number;
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** Where Mercator's projection of the world is a square. */
export const LATITUDE_MAX = 85.051_128_779_806_59;

/** A box has 24 to 48 cells in its longer direction. */
const CELLS_MAX = 48;
/** Cells of this level are 1.2 km wide at the equator. Smaller ones would show where people live. */
const LEVEL_MAX = 15;

/** @returns the cells that cover the box */
export function cellsOver(box: MapBox): CellRange {
  const left = xOf(box.west);
  const right = xOf(box.east);
  const top = yOf(box.north);
  const bottom = yOf(box.south);
  const size = Math.max(right - left, bottom - top, 2 ** -LEVEL_MAX);
  const level = Math.max(0, Math.min(LEVEL_MAX, Math.floor(Math.log2(CELLS_MAX / size))));
  const side = 2 ** level;
  const first = (share: number): number => Math.max(0, Math.min(side - 1, Math.floor(share * side)));
  const end = (share: number): number => Math.max(1, Math.min(side, Math.ceil(share * side)));
  return {
    level,
    left: first(left),
    right: Math.max(end(right), first(left) + 1),
    top: first(top),
    bottom: Math.max(end(bottom), first(top) + 1),
  };
}

/** @returns the degrees that the cells cover */
export function boxOf({ level, left, right, top, bottom }: CellRange): MapBox {
  const side = 2 ** level;
  return {
    west: (left / side) * 360 - 180,
    east: (right / side) * 360 - 180,
    north: latitudeOf(top / side),
    south: latitudeOf(bottom / side),
  };
}

/** @returns the middle of a cell, in degrees to five decimals, which is a metre */
export function middleOf(level: number, x: number, y: number): { latitude: number; longitude: number } {
  const side = 2 ** level;
  return {
    latitude: rounded(latitudeOf((y + 0.5) / side)),
    longitude: rounded(((x + 0.5) / side) * 360 - 180),
  };
}

function xOf(longitude: number): number {
  return (longitude + 180) / 360;
}

function yOf(latitude: number): number {
  const angle = (Math.max(-LATITUDE_MAX, Math.min(LATITUDE_MAX, latitude)) * Math.PI) / 180;
  return (1 - Math.asinh(Math.tan(angle)) / Math.PI) / 2;
}

function latitudeOf(y: number): number {
  return (Math.atan(Math.sinh(Math.PI * (1 - 2 * y))) * 180) / Math.PI;
}

function rounded(degrees: number): number {
  return Math.round(degrees * 100_000) / 100_000;
}
