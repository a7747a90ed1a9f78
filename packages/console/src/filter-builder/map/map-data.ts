/** The background of the map: outlines of land, kept while the page is open. */
import { useEffect, useState } from 'preact/hooks';
import { urlOf } from '../../frame/api.ts';
import type { View } from './view.ts';

export interface Outlines {
  /** Paths on a square of `WORLD_SIZE` units. */
  land: string;
  borders: string;
}

/** The size in which the server draws them (`src/console/map/draw-outlines.ts`). */
export const WORLD_SIZE = 65_536;
const TILES = 8;
/** If the map shows less of the world than this share, the detailed outlines are loaded, a few tiles at a time. */
const DETAILED_SHARE = 0.3;

/**
 * Reads parts of the map, each once while the page is open; a failure is forgotten, so that the next map tries again. Unlike calls of
 * the API, an answer may come from the browser's cache.
 * @returns reads a part by its name, which is relative to `/console/map/`
 */
export function readerOf<Part>(): (name: string) => Promise<Part> {
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

/** @returns the outlines that the view needs, as far as they have arrived */
export function useOutlines(view: View): readonly Outlines[] {
  const names = namesFor(view).join(' ');
  const [shown, setShown] = useState<readonly Outlines[]>([]);
  useEffect(() => {
    let isCurrent = true;
    Promise.all(names.split(' ').map(readOutlines)).then(
      (outlines) => isCurrent && setShown(outlines),
      () => undefined, // the map stays as it is; shapes can be edited without land
    );
    return () => {
      isCurrent = false;
    };
  }, [names]);
  return shown;
}

function namesFor({ center, scale, width, height }: View): string[] {
  if (width / scale > DETAILED_SHARE) return ['world'];
  const tilesOf = (middle: number, pixels: number): number[] => {
    const half = pixels / scale / 2;
    const first = Math.max(0, Math.floor((middle - half) * TILES));
    const last = Math.min(TILES - 1, Math.floor((middle + half) * TILES));
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  };
  const columns = tilesOf(center.x, width);
  return tilesOf(center.y, height).flatMap((row) => columns.map((column) => `${row}-${column}`));
}
