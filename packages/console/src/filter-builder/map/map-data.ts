/** What the server has of the map (`/console/map`): outlines of land, and places by their names and by where they are. */
import { signal } from '@preact/signals';
import { call, urlOf } from '../../frame/api.ts';
import { useResource } from '../../kit/states.tsx';
import type { SuggestedValues } from '../../replies.ts';
import type { Point, Shape } from '../language.ts';
import { distanceBetween, metresOf, pointOf } from './mercator.ts';
import type { View } from './view.ts';

interface Outlines {
  /** Paths on a square of `WORLD_SIZE` units. */
  land: string;
  borders: string;
}

export interface Place extends Point {
  name: string;
  /** The state or province; empty if it has none. */
  region: string;
  country: string;
}

/** The size in which the server draws them (`src/console/map/draw-outlines.ts`). */
export const WORLD_SIZE = 65_536;
const TILES = 8;
/** If the map shows less of the world than this share, the detailed outlines are loaded, a few tiles at a time. */
const DETAILED_SHARE = 0.3;

/**
 * Reads parts of the map, each once while the page is open; a failure is forgotten, so that the next map tries again. Unlike calls of
 * the API, an answer may come from the browser's cache.
 */
function readerOf<Part>(): (name: string) => Promise<Part> {
  const loaded = new Map<string, Promise<Part>>();
  const load = async (name: string): Promise<Part> => {
    const response = await fetch(urlOf(`/console/map/${name}`), { credentials: 'same-origin' });
    if (!response.ok) throw new Error(`The server answered ${response.status}.`);
    const part: Part = await response.json();
    return part;
  };
  return async (name) => {
    const part = loaded.get(name) ?? load(name);
    loaded.set(name, part);
    part.catch(() => loaded.delete(name));
    return part;
  };
}

const readOutlines = readerOf<Outlines>();
const readPlaces = readerOf<{ places: readonly Place[] }>();

/** @returns the last parts that have all arrived: a map without land or names is of use as well */
function useParts<Part>(read: (name: string) => Promise<Part>, names: readonly string[]): readonly Part[] {
  const { state } = useResource(async () => Promise.all(names.map(read)), names);
  return state.value.data ?? [];
}

/** @returns the outlines that the view needs, as far as they have arrived */
export function useOutlines({ center, scale, width, height }: View): readonly Outlines[] {
  const tilesOf = (middle: number, pixels: number): number[] => {
    const half = pixels / scale / 2;
    const first = Math.max(0, Math.floor((middle - half) * TILES));
    const last = Math.min(TILES - 1, Math.floor((middle + half) * TILES));
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  };
  const columns = tilesOf(center.x, width);
  const tiles = tilesOf(center.y, height).flatMap((row) => columns.map((column) => `${row}-${column}`));
  return useParts(readOutlines, width / scale > DETAILED_SHARE ? ['world'] : tiles);
}

/** @returns the largest places that the view shows; those of the last view until the new ones have arrived */
export function usePlacesIn(view: View): readonly Place[] {
  return useParts(readPlaces, [`places?in=${boxAround(view)}`]).flatMap(({ places }) => places);
}

/**
 * The view's surroundings as west, south, east, north. They change only when it has moved by a quarter of its size or is zoomed by a
 * half, so that moving the map asks seldom, and the next map asks for the same.
 */
function boxAround({ center, scale, width, height }: View): string {
  const step = 2 ** Math.floor(Math.log2(Math.max(width, height) / scale / 4));
  const cut = (edge: number, round: (value: number) => number): number =>
    Math.min(1, Math.max(0, round(edge / step) * step));
  const [x, y] = [width / scale / 2, height / scale / 2];
  const from = pointOf({ x: cut(center.x - x, Math.floor), y: cut(center.y - y, Math.floor) });
  const to = pointOf({ x: cut(center.x + x, Math.ceil), y: cut(center.y + y, Math.ceil) });
  return [from.longitude, to.latitude, to.longitude, from.latitude].map((edge) => edge.toFixed(4)).join(',');
}

/** @returns towns whose names begin with the text, or have its words, the largest first; none if the server does not answer */
export async function findPlaces(text: string): Promise<readonly Place[]> {
  const found = await readPlaces(`places?find=${encodeURIComponent(text)}`).catch(() => undefined);
  return found?.places ?? [];
}

/** @returns the town after which the most common time zone of the app's devices is called: 'Europe/Paris' → Paris */
export async function findHome(aborted: AbortSignal): Promise<Place | undefined> {
  const path = '/v6/filters/values?name=time_zone';
  const found = await call<SuggestedValues>({ method: 'GET', path }, aborted).catch(() => undefined);
  const town = String(found?.values[0]?.value ?? '').replace(/^.*\//, '');
  const [home] = town === '' ? [] : await findPlaces(town.replaceAll('_', ' '));
  return home;
}

/** By the centre and radius of what was asked for; null where there is no town for hundreds of kilometres. */
const names = signal<ReadonlyMap<string, Place | null>>(new Map());
const wanted = new Set<string>();
const ASKED_AT_ONCE_MAX = 12;
const QUIET_MS = 250;
let timer: ReturnType<typeof setTimeout> | undefined;

async function askWanted(): Promise<void> {
  const keys = [...wanted].slice(-ASKED_AT_ONCE_MAX);
  wanted.clear();
  const found = keys.map(async (key): Promise<[string, Place | null]> => {
    const reply = await readPlaces(key).catch(() => undefined);
    return [key, reply?.places[0] ?? null];
  });
  names.value = new Map([...names.peek(), ...(await Promise.all(found))]);
}

/** As close to a town's centre as this is in the town. */
const TOWN_METRES = 3_000;

/**
 * What a point is called after: the largest town near it, or the nearest one. It is asked for once nothing else was for a moment, as a
 * shape that is dragged has another point at each step; a component that calls this is drawn again when the name has come.
 * @param metres how far from the point a town may be to stand for it
 * @returns 'Lyon', or 'a point 12 km from Lyon'; undefined as long as nothing is known, and far from every town
 */
export function pointName(point: Point, metres = 0): string | undefined {
  const near = Math.max(TOWN_METRES, metres);
  const radius = Number((near / 1_000).toPrecision(2));
  const key = `places?at=${point.latitude.toFixed(3)},${point.longitude.toFixed(3)}&within_km=${radius}`;
  const town = names.value.get(key);
  if (town === undefined) {
    wanted.delete(key);
    wanted.add(key);
    clearTimeout(timer);
    timer = setTimeout(() => void askWanted(), QUIET_MS);
  }
  if (!town) return undefined;
  const distance = distanceBetween(town, point);
  return distance <= near ? town.name : `a point ${Math.round(distance / 1_000)} km from ${town.name}`;
}

function middleOf(values: readonly number[]): number {
  return (Math.min(...values) + Math.max(...values)) / 2;
}

/** @returns 'of Lyon' or 'of a point 12 km from Lyon' for a circle, 'around Lyon' for a polygon */
export function shapeName(shape: Shape): string | undefined {
  if (shape.kind === 'circle') {
    const name = pointName(shape.center, metresOf(shape) / 5);
    return name && `of ${name}`;
  }
  const [first] = shape.points;
  if (first === undefined) return undefined;
  const middle = {
    latitude: middleOf(shape.points.map(({ latitude }) => latitude)),
    longitude: middleOf(shape.points.map(({ longitude }) => longitude)),
  };
  const name = pointName(middle, distanceBetween(middle, first) / 2);
  return name && `around ${name}`;
}
