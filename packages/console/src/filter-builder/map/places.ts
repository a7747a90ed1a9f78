/** Names of places (`/console/map/places`): found by a text, drawn on a map, and those that shapes are called after. */
import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { call } from '../../frame/api.ts';
import type { SuggestedValues } from '../../replies.ts';
import type { Point, Shape } from '../language.ts';
import { readerOf } from './map-data.ts';
import { distanceBetween, metresOf, pointOf } from './mercator.ts';
import type { View } from './view.ts';

export interface Place extends Point {
  name: string;
  /** The state or province; empty if it has none. */
  region: string;
  country: string;
  population: number;
}

const readPlaces = readerOf<{ places: readonly Place[] }>();

/** @returns towns whose names begin with the text, or have its words, the largest first; none if the server does not answer */
export async function findPlaces(text: string): Promise<readonly Place[]> {
  const found = await readPlaces(`places?find=${encodeURIComponent(text)}`).catch(() => undefined);
  return found?.places ?? [];
}

/** @returns the largest places that the view shows; those of the last view until the new ones have arrived */
export function usePlacesIn(view: View): readonly Place[] {
  const box = boxAround(view);
  const [places, setPlaces] = useState<readonly Place[]>([]);
  useEffect(() => {
    let isCurrent = true;
    readPlaces(`places?in=${box}`).then(
      ({ places: found }) => isCurrent && setPlaces(found),
      () => undefined, // a map without names is of use as well
    );
    return () => {
      isCurrent = false;
    };
  }, [box]);
  return places;
}

/**
 * The view's surroundings as west, south, east, north. They change only when it has moved by a quarter of its size or is zoomed by a
 * half, so that moving the map asks seldom, and the next map asks for the same.
 */
function boxAround({ center, scale, width, height }: View): string {
  const step = 2 ** Math.floor(Math.log2(Math.max(width, height) / scale / 4));
  const cut = (edge: number, round: (value: number) => number): number =>
    Math.min(1, Math.max(0, round(edge / step) * step));
  const from = pointOf({
    x: cut(center.x - width / scale / 2, Math.floor),
    y: cut(center.y - height / scale / 2, Math.floor),
  });
  const to = pointOf({
    x: cut(center.x + width / scale / 2, Math.ceil),
    y: cut(center.y + height / scale / 2, Math.ceil),
  });
  return [from.longitude, to.latitude, to.longitude, from.latitude].map((edge) => edge.toFixed(4)).join(',');
}

/** By the centre and radius of what was asked for; null where there is no town for hundreds of kilometres. */
const names = signal<ReadonlyMap<string, Place | null>>(new Map());
const wanted = new Set<string>();
const ASKED_AT_ONCE_MAX = 12;
const QUIET_MS = 250;
let timer: ReturnType<typeof setTimeout> | undefined;

/**
 * What a point is called after: the largest town near it, or the nearest one. It is asked for once nothing else was for a moment, as a
 * shape that is dragged has another point at each step; a component that calls this is drawn again when the name has come.
 * @param metres how far from the point a town may be to stand for it
 */
function townNear({ latitude, longitude }: Point, metres: number): Place | undefined {
  const radius = Number((metres / 1_000).toPrecision(2));
  const key = `places?at=${latitude.toFixed(3)},${longitude.toFixed(3)}&within_km=${radius}`;
  const known = names.value.get(key);
  if (known === undefined) {
    wanted.delete(key);
    wanted.add(key);
    clearTimeout(timer);
    timer = setTimeout(() => void ask(), QUIET_MS);
  }
  return known ?? undefined;
}

async function ask(): Promise<void> {
  const keys = [...wanted].slice(-ASKED_AT_ONCE_MAX);
  wanted.clear();
  const found = await Promise.all(
    keys.map(async (key): Promise<[string, Place | null]> => {
      const reply = await readPlaces(key).catch(() => undefined);
      return [key, reply?.places[0] ?? null];
    }),
  );
  names.value = new Map([...names.peek(), ...found]);
}

/** As close to a town's centre as this is in the town. */
const TOWN_METRES = 3_000;

/** @returns 'Lyon', or 'a point 12 km from Lyon'; undefined as long as nothing is known, and far from every town */
export function pointName(point: Point, metres = 0): string | undefined {
  const near = Math.max(TOWN_METRES, metres);
  const town = townNear(point, near);
  if (town === undefined) return undefined;
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

/** @returns the town after which the most common time zone of the app's devices is called: 'Europe/Paris' → Paris */
export async function findHome(aborted: AbortSignal): Promise<Place | undefined> {
  const path = '/v6/filters/values?name=time_zone';
  const found = await call<SuggestedValues>({ method: 'GET', path }, aborted).catch(() => undefined);
  const town = String(found?.values[0]?.value ?? '')
    .split('/')
    .at(-1);
  if (town === undefined || town === '') return undefined;
  const [home] = await findPlaces(town.replaceAll('_', ' '));
  return home;
}
