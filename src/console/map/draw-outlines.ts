/**
 * Draws the outlines of land and countries as SVG paths, in Mercator's projection. The world is a square of `WORLD_SIZE`
 * units, so a browser only has to move and scale the paths. Drawing takes a second or two: `outlines.ts` does it in a thread.
 */
import { readFile } from 'node:fs/promises';
import { geoMercator, type GeoPath, geoPath, type GeoPermissibleObjects } from 'd3-geo';
import { feature, mesh } from 'topojson-client';
import type { GeometryCollection, Topology } from 'topojson-specification';

/** At this size whole numbers are precise enough for the most detailed outlines: 600 m at the equator. */
export const WORLD_SIZE = 65_536;
/** The world in detail is drawn in this many tiles in each direction. */
export const TILES = 8;

/** The texts of `d` attributes. */
export interface Outlines {
  land: string;
  /** The borders between countries. */
  borders: string;
}

const ATLASES = {
  coarse: import.meta.resolve('world-atlas/countries-110m.json'),
  detailed: import.meta.resolve('world-atlas/countries-50m.json'),
};

type Atlas = Topology<{ countries: GeometryCollection; land: GeometryCollection }>;

/** @returns the whole world, coarsely */
export async function drawWorld(): Promise<Outlines> {
  const atlas = await readAtlas(ATLASES.coarse);
  return draw(pathWithin(undefined), piecesOf(atlas), bordersOf(atlas));
}

/** @returns the tiles of the detailed map, row after row from the north-west corner */
export async function drawTiles(): Promise<Outlines[]> {
  const atlas = await readAtlas(ATLASES.detailed);
  const pieces = piecesOf(atlas);
  const borders = bordersOf(atlas);
  const size = WORLD_SIZE / TILES;
  const tiles: Outlines[] = [];
  for (let row = 0; row < TILES; row++) {
    for (let column = 0; column < TILES; column++) {
      const tile = { left: column * size, top: row * size, size };
      tiles.push(
        draw(
          pathWithin(tile),
          pieces.filter((piece) => touches(piece, tile)),
          borders.filter((border) => touches(border, tile)),
        ),
      );
    }
  }
  return tiles;
}

/** A polygon or a line with its box in units of the map. */
interface Piece {
  geometry: GeoPermissibleObjects;
  left: number;
  right: number;
  top: number;
  bottom: number;
}

interface Tile {
  left: number;
  top: number;
  size: number;
}

async function readAtlas(url: string): Promise<Atlas> {
  const atlas: Atlas = JSON.parse(await readFile(new URL(url), 'utf8'));
  return atlas;
}

function piecesOf(atlas: Atlas): Piece[] {
  return feature(atlas, atlas.objects.land).features.flatMap(({ geometry }) => {
    if (geometry.type === 'Polygon') return [pieceOf(geometry)];
    if (geometry.type !== 'MultiPolygon') return [];
    return geometry.coordinates.map((coordinates) => pieceOf({ type: 'Polygon', coordinates }));
  });
}

function bordersOf(atlas: Atlas): Piece[] {
  const { coordinates } = mesh(atlas, atlas.objects.countries, (left, right) => left !== right);
  return coordinates.map((line) => pieceOf({ type: 'LineString', coordinates: line }));
}

/** A piece across the 180th meridian has its box on both sides: it gets the whole width. */
function pieceOf(geometry: GeoPermissibleObjects): Piece {
  const [[left, top], [right, bottom]] = pathWithin(undefined).bounds(geometry);
  return { geometry, left, right, top, bottom };
}

function touches({ left, right, top, bottom }: Piece, tile: Tile): boolean {
  return (
    left <= tile.left + tile.size && right >= tile.left && top <= tile.top + tile.size && bottom >= tile.top
  );
}

/** @param tile undefined draws the whole world */
function pathWithin(tile: Tile | undefined): GeoPath {
  const projection = geoMercator()
    .scale(WORLD_SIZE / (2 * Math.PI))
    .translate([WORLD_SIZE / 2, WORLD_SIZE / 2])
    .precision(0.5);
  if (tile !== undefined) {
    const { left, top, size } = tile;
    projection.clipExtent([
      [left, top],
      [left + size, top + size],
    ]);
  }
  return geoPath(projection).digits(0);
}

function draw(path: GeoPath, land: readonly Piece[], borders: readonly Piece[]): Outlines {
  const join = (pieces: readonly Piece[]): string => pieces.map(({ geometry }) => path(geometry)).join('');
  return { land: join(land), borders: join(borders) };
}
