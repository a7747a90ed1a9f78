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

const loaded = new Map<string, Promise<Outlines>>();

/** A failure is forgotten, so that the next map tries again. */
function load(name: string): Promise<Outlines> {
  const known = loaded.get(name);
  if (known !== undefined) return known;
  const started = fetchOutlines(name);
  loaded.set(name, started);
  started.catch(() => loaded.delete(name));
  return started;
}

/** Unlike calls of the API, the answer may come from the browser's cache. */
async function fetchOutlines(name: string): Promise<Outlines> {
  const response = await fetch(urlOf(`/console/map/${name}`), { credentials: 'same-origin' });
  if (!response.ok) throw new Error(`The server answered ${response.status}.`);
  const outlines: Outlines = await response.json();
  return outlines;
}

/** @returns the outlines that the view needs, as far as they have arrived */
export function useOutlines(view: View): readonly Outlines[] {
  const names = namesFor(view).join(' ');
  const [shown, setShown] = useState<readonly Outlines[]>([]);
  useEffect(() => {
    let isCurrent = true;
    Promise.all(names.split(' ').map(load)).then(
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
