/** A map of the world with shapes on it. Drag and wheel, or arrows and + and -, move it; handles change the chosen shape. */
import { useEffect, useRef } from 'preact/hooks';
import { plural } from '../../kit/format.ts';
import type { Content } from '../../kit/content.ts';
import type { Point, Shape } from '../language.ts';
import { WORLD_SIZE, useOutlines } from './map-data.ts';
import { distanceBetween, rounded, roundLength, type Spot } from './mercator.ts';
import { PlaceNames } from './place-names.tsx';
import { followPointer } from './pointer.ts';
import { Handles, ShapePath } from './shape-editor.tsx';
import { decimalsOf, moved, onEarth, onScreen, type View, viewOf, within, zoomed } from './view.ts';

/** What a reader may change on the map; without it, the map only shows. */
export interface MapEdits {
  chosen: number;
  onChoose: (index: number) => void;
  onChange: (index: number, shape: Shape) => void;
  /** The corners that the reader has clicked so far; undefined while no polygon is drawn. */
  drawing: readonly Point[] | undefined;
  onCorner: (point: Point) => void;
}

interface MapProps {
  /** The shapes, with their positions among the criteria. */
  shapes: readonly { shape: Shape; index: number }[];
  view: View;
  /** The view of the next moment. It is given as a function, because the pointer may move twice before the map is drawn again. */
  onView: (next: (before: View) => View) => void;
  edits?: MapEdits;
}

const FIRST_SIZE = { width: 640, height: 340 };
/** By how many pixels the map moves. */
const STEPS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [60, 0],
  ArrowRight: [-60, 0],
  ArrowUp: [0, 60],
  ArrowDown: [0, -60],
};
const ZOOM = 1.5;

/** The view with which a map begins, before it knows its width. */
export function firstView(shapes: readonly Shape[]): View {
  return viewOf(shapes, FIRST_SIZE.width, FIRST_SIZE.height);
}

export function PlaceMap({ shapes, view, onView, edits }: MapProps): Content {
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = frame.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(([entry]) => {
      const width = entry?.contentRect.width ?? 0;
      if (width > 0) onView((before) => within({ ...before, width, scale: (before.scale * width) / before.width }));
    });
    observer.observe(element);
    const onWheel = (event: WheelEvent): void => {
      if (!event.ctrlKey && document.activeElement !== element.querySelector('svg')) return;
      event.preventDefault();
      const { left, top } = element.getBoundingClientRect();
      const spot = { x: event.clientX - left, y: event.clientY - top };
      onView((before) => zoomed(before, Math.exp(-event.deltaY / 300), spot));
    };
    element.addEventListener('wheel', onWheel, { passive: false });
    return () => {
      observer.disconnect();
      element.removeEventListener('wheel', onWheel);
    };
  }, []);

  const drawing = edits?.drawing;
  const corner = (spot: Spot): void => edits?.onCorner(rounded(onEarth(view, spot), decimalsOf(view)));
  const onPointerDown = (event: PointerEvent): void => {
    const box = frame.current?.getBoundingClientRect();
    const onClick = (): void => {
      if (box !== undefined && drawing !== undefined)
        corner({ x: event.clientX - box.left, y: event.clientY - box.top });
    };
    followPointer(event, (dx, dy) => onView(({ width }) => moved({ ...view, width }, dx, dy)), onClick);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const next = movedByKey(event.key);
    if (next !== undefined) onView(next);
    else if (event.key === 'Enter' && drawing !== undefined) corner({ x: view.width / 2, y: view.height / 2 });
    else return;
    event.preventDefault();
  };

  const active = shapes.find(({ index }) => index === edits?.chosen);
  return (
    <div class={drawing === undefined ? 'place-map' : 'place-map drawing'} ref={frame}>
      <svg
        width={view.width}
        height={view.height}
        viewBox={`0 0 ${view.width} ${view.height}`}
        role="group"
        aria-roledescription="map"
        tabindex={0}
        aria-label={mapLabel(shapes.length, drawing !== undefined)}
        onPointerDown={onPointerDown}
        onKeyDown={onKeyDown}>
        <Background view={view} />
        {shapes.map(({ shape, index }) => (
          <ShapePath
            key={index}
            shape={shape}
            view={view}
            isChosen={index === edits?.chosen}
            onChoose={edits && (() => edits.onChoose(index))}
          />
        ))}
        <PlaceNames view={view} />
        {drawing !== undefined && <Drawing corners={drawing} view={view} />}
        {edits !== undefined && active !== undefined && drawing === undefined && (
          <Handles
            shape={active.shape}
            number={active.index + 1}
            view={view}
            onChange={(shape) => edits.onChange(active.index, shape)}
          />
        )}
      </svg>
      <div class="place-zoom">
        <button type="button" aria-label="Zoom in" onClick={() => onView((before) => zoomed(before, ZOOM))}>
          +
        </button>
        <button type="button" aria-label="Zoom out" onClick={() => onView((before) => zoomed(before, 1 / ZOOM))}>
          −
        </button>
      </div>
      <ScaleBar view={view} />
    </div>
  );
}

function mapLabel(shapes: number, isDrawing: boolean): string {
  const keys = 'Arrow keys move it, plus and minus zoom';
  return isDrawing
    ? `Map. ${keys}, Enter adds a corner in the middle.`
    : `Map with ${plural(shapes, 'shape')}. ${keys}.`;
}

function movedByKey(key: string): ((view: View) => View) | undefined {
  const [dx, dy] = STEPS[key] ?? [];
  if (dx !== undefined && dy !== undefined) return (view) => moved(view, dx, dy);
  if (key === '+' || key === '=') return (view) => zoomed(view, ZOOM);
  return key === '-' ? (view) => zoomed(view, 1 / ZOOM) : undefined;
}

/** Land and borders, for the `svg` of a map. */
export function Background({ view }: { view: View }): Content {
  const outlines = useOutlines(view);
  const { center, scale, width, height } = view;
  const unit = scale / WORLD_SIZE;
  const shift = `translate(${(width / 2 - center.x * scale).toFixed(2)} ${(height / 2 - center.y * scale).toFixed(2)}) scale(${unit})`;
  return (
    <g aria-hidden="true" transform={shift}>
      {outlines.map(({ land }, index) => (
        <path key={index} class="place-land" d={land} />
      ))}
      {outlines.map(({ borders }, index) => (
        <path key={index} class="place-borders" d={borders} />
      ))}
    </g>
  );
}

/** The corners of a polygon that is being drawn. */
function Drawing({ corners, view }: { corners: readonly Point[]; view: View }): Content {
  const spots = corners.map((point) => onScreen(view, point));
  const [x, y] = [view.width / 2, view.height / 2];
  return (
    <g class="place-drawing" aria-hidden="true">
      <path d={`M${x - 8},${y}h16M${x},${y - 8}v16`} />
      {spots.length > 1 && (
        <path d={`M${spots.map((spot) => `${spot.x.toFixed(1)},${spot.y.toFixed(1)}`).join('L')}`} />
      )}
      {spots.map((spot, index) => (
        <circle key={index} cx={spot.x} cy={spot.y} r="5" />
      ))}
    </g>
  );
}

/** The scale of the map: a line of a round length, measured in the middle. */
function ScaleBar({ view }: { view: View }): Content {
  const middle = { x: view.width / 2, y: view.height / 2 };
  const metres = distanceBetween(onEarth(view, middle), onEarth(view, { x: middle.x + 1, y: middle.y }));
  const length = roundLength(metres * 120);
  const text = length >= 1_000 ? `${length / 1_000} km` : `${length} m`;
  return (
    <svg class="place-scale" width="130" height="22" aria-hidden="true">
      <path d={`M1,15v4h${(length / metres).toFixed(1)}v-4`} />
      <text x="4" y="13">
        {text}
      </text>
    </svg>
  );
}
