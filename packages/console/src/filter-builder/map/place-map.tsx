/** A map of the world with shapes on it. Drag and wheel, or arrows and + and -, move it; handles change the chosen shape. */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { plural } from '../../kit/format.ts';
import type { Content } from '../../kit/content.ts';
import type { Point, Shape } from '../language.ts';
import { WORLD_SIZE, useOutlines } from './map-data.ts';
import { distanceBetween, rounded, type Spot } from './mercator.ts';
import { Handles, ShapePath } from './shape-editor.tsx';
import { decimalsOf, moved, onEarth, onScreen, type View, viewOf, within, zoomed } from './view.ts';

export interface MapProps {
  /** The shapes, with their positions among the criteria. */
  shapes: readonly { shape: Shape; index: number }[];
  chosen: number;
  onChoose: (index: number) => void;
  onChange: (index: number, shape: Shape) => void;
  /** The corners that the reader has clicked so far; undefined while no polygon is drawn. */
  drawing: readonly Point[] | undefined;
  onCorner: (point: Point) => void;
  /** The view, for a new shape in the middle of it. */
  onView: (view: View) => void;
  /** Changes when the map should show all shapes again. */
  fitted: number;
}

const HEIGHT = 340;
const FIRST_WIDTH = 640;
const KEY_PIXELS = 60;
const ZOOM = 1.5;
/** A shorter movement is a click. */
const CLICK_PIXELS = 4;

export function PlaceMap(props: MapProps): Content {
  const { shapes, chosen, onChoose, onChange, drawing, onCorner, onView, fitted } = props;
  const frame = useRef<HTMLDivElement>(null);
  const [view, setView] = useState<View>(() =>
    viewOf(
      shapes.map(({ shape }) => shape),
      FIRST_WIDTH,
      HEIGHT,
    ),
  );
  const change = (next: (before: View) => View): void => setView(next);
  useEffect(() => {
    setView(({ width }) =>
      viewOf(
        shapes.map(({ shape }) => shape),
        width,
        HEIGHT,
      ),
    );
  }, [fitted]);
  useLayoutEffect(() => onView(view), [view]); // at once, because a click that adds a circle needs it
  useEffect(() => {
    const element = frame.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(([entry]) => {
      const width = entry?.contentRect.width ?? 0;
      if (width > 0) setView((before) => within({ ...before, width, scale: (before.scale * width) / before.width }));
    });
    observer.observe(element);
    const onWheel = (event: WheelEvent): void => {
      if (!event.ctrlKey && document.activeElement !== element.querySelector('svg')) return;
      event.preventDefault();
      const { left, top } = element.getBoundingClientRect();
      const spot = { x: event.clientX - left, y: event.clientY - top };
      change((before) => zoomed(before, Math.exp(-event.deltaY / 300), spot));
    };
    element.addEventListener('wheel', onWheel, { passive: false });
    return () => {
      observer.disconnect();
      element.removeEventListener('wheel', onWheel);
    };
  }, []);

  const corner = (spot: Spot): void => onCorner(rounded(onEarth(view, spot), decimalsOf(view)));
  const onPointerDown = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    const box = frame.current?.getBoundingClientRect();
    followPointer(event, {
      onMove: (dx, dy) => setView(moved(view, dx, dy)),
      onClick: () => {
        if (drawing !== undefined && box !== undefined) {
          corner({ x: event.clientX - box.left, y: event.clientY - box.top });
        }
      },
    });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const next = movedByKey(view, event.key);
    if (next !== undefined) setView(next);
    else if (event.key === 'Enter' && drawing !== undefined) corner({ x: view.width / 2, y: view.height / 2 });
    else return;
    event.preventDefault();
  };

  const active = shapes.find(({ index }) => index === chosen);
  return (
    <div class={drawing === undefined ? 'place-map' : 'place-map drawing'} ref={frame}>
      <svg
        width={view.width}
        height={HEIGHT}
        viewBox={`0 0 ${view.width} ${HEIGHT}`}
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
            isChosen={index === chosen}
            onChoose={() => onChoose(index)}
          />
        ))}
        {drawing !== undefined && <Drawing corners={drawing} view={view} />}
        {active !== undefined && drawing === undefined && (
          <Handles
            shape={active.shape}
            number={chosen + 1}
            view={view}
            onChange={(shape) => onChange(active.index, shape)}
          />
        )}
      </svg>
      <div class="place-zoom">
        <button type="button" aria-label="Zoom in" onClick={() => change((before) => zoomed(before, ZOOM))}>
          +
        </button>
        <button type="button" aria-label="Zoom out" onClick={() => change((before) => zoomed(before, 1 / ZOOM))}>
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

function movedByKey(view: View, key: string): View | undefined {
  switch (key) {
    case 'ArrowLeft':
      return moved(view, KEY_PIXELS, 0);
    case 'ArrowRight':
      return moved(view, -KEY_PIXELS, 0);
    case 'ArrowUp':
      return moved(view, 0, KEY_PIXELS);
    case 'ArrowDown':
      return moved(view, 0, -KEY_PIXELS);
    case '+':
    case '=':
      return zoomed(view, ZOOM);
    case '-':
      return zoomed(view, 1 / ZOOM);
    default:
      return undefined;
  }
}

function followPointer(
  { clientX, clientY }: PointerEvent,
  react: { onMove: (dx: number, dy: number) => void; onClick: () => void },
): void {
  const controller = new AbortController();
  const { signal } = controller;
  let isMoved = false;
  addEventListener(
    'pointermove',
    (event) => {
      const [dx, dy] = [event.clientX - clientX, event.clientY - clientY];
      isMoved ||= Math.hypot(dx, dy) > CLICK_PIXELS;
      if (isMoved) react.onMove(dx, dy);
    },
    { signal },
  );
  addEventListener('pointercancel', () => controller.abort(), { signal });
  addEventListener(
    'pointerup',
    () => {
      controller.abort();
      if (!isMoved) react.onClick();
    },
    { signal },
  );
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

/** 1, 2 or 5 and zeros: the longest such length up to the given one. */
function roundLength(metres: number): number {
  const power = 10 ** Math.floor(Math.log10(metres));
  const factor = [5, 2, 1].find((one) => one * power <= metres) ?? 1;
  return factor * power;
}
