/** A map of the world with shapes on it. Drag and wheel, or arrows and + and -, move it; handles change the chosen shape. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { plural } from '../../kit/format.ts';
import { type Point, type Shape, shapeOf } from '../language.ts';
import { labelsFor } from './labels.ts';
import { pointName, useOutlines, usePlacesIn, WORLD_SIZE } from './map-data.ts';
import { rounded, type Spot } from './mercator.ts';
import { ARROWS, followPointer, Handles, lineThrough, ShapePath } from './shape-editor.tsx';
import { decimalsOf, middleOf, moved, onEarth, onScreen, type View, viewOf, within, zoomed } from './view.ts';

/** What a reader may change on the map; without it, the map only shows. */
interface MapEdits {
  chosen: number;
  onChoose: (index: number) => void;
  onChange: (index: number, shape: Shape) => void;
  /** The corners that the reader has clicked so far; undefined while no polygon is drawn. */
  drawing: readonly Point[] | undefined;
  onCorner: (point: Point) => void;
}

const FIRST_SIZE = { width: 640, height: 340 };
const STEP_PIXELS = 60;
const ZOOM = 1.5;

/**
 * The view with which a map begins, before it knows its width. The next one is given as a function, because the pointer may move twice
 * before the map is drawn again.
 */
export function useView(criteria: readonly unknown[]) {
  return useState<View>(() => viewOf(shapesOf(criteria), FIRST_SIZE));
}

export function shapesOf(criteria: readonly unknown[]): Shape[] {
  return criteria.map(shapeOf).filter((shape) => shape !== undefined);
}

/** A map of the places of a filter, to look at. */
export function ShownPlaces({ criteria }: { criteria: readonly unknown[] }) {
  const [view, setView] = useView(criteria);
  return <PlaceMap criteria={criteria} view={view} onView={setView} />;
}

export function PlaceMap(props: {
  criteria: readonly unknown[];
  view: View;
  onView: (next: (before: View) => View) => void;
  edits?: MapEdits;
}) {
  const { criteria, view, onView, edits } = props;
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
  const onMove = (dx: number, dy: number): void => onView(({ width }) => moved({ ...view, width }, dx, dy));
  const onPointerDown = (event: PointerEvent): void => {
    const { left = 0, top = 0 } = frame.current?.getBoundingClientRect() ?? {};
    const onClick = (): void => corner({ x: event.clientX - left, y: event.clientY - top });
    followPointer(event, onMove, drawing && onClick);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const { key } = event;
    const arrow = ARROWS[key];
    const factor = ['+', '='].includes(key) ? ZOOM : key === '-' ? 1 / ZOOM : undefined;
    if (arrow !== undefined) onView((before) => moved(before, -arrow.x * STEP_PIXELS, -arrow.y * STEP_PIXELS));
    else if (factor !== undefined) onView((before) => zoomed(before, factor));
    else if (key === 'Enter' && drawing !== undefined) corner(middleOf(view));
    else return;
    event.preventDefault();
  };
  const keys = 'Arrow keys move it, plus and minus zoom';
  const active = edits && shapeOf(criteria[edits.chosen]);
  return (
    <div class={drawing === undefined ? 'place-map' : 'place-map drawing'} ref={frame}>
      <svg
        width={view.width}
        height={view.height}
        viewBox={`0 0 ${view.width} ${view.height}`}
        role="group"
        aria-roledescription="map"
        tabindex={0}
        aria-label={
          drawing === undefined
            ? `Map with ${plural(shapesOf(criteria).length, 'shape')}. ${keys}.`
            : `Map. ${keys}, Enter adds a corner in the middle.`
        }
        onPointerDown={onPointerDown}
        onKeyDown={onKeyDown}>
        <Background view={view} />
        {criteria.map((criterion, index) => {
          const shape = shapeOf(criterion);
          return shape && <ShapePath key={index} shape={shape} view={view} onChoose={() => edits?.onChoose(index)} />;
        })}
        <PlaceNames view={view} />
        {drawing !== undefined && <Drawing corners={drawing} view={view} />}
        {edits !== undefined && active !== undefined && drawing === undefined && (
          <Handles
            shape={active}
            number={edits.chosen + 1}
            view={view}
            onChange={(shape) => edits.onChange(edits.chosen, shape)}
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
    </div>
  );
}

/** Land and borders, for the `svg` of a map. */
export function Background({ view }: { view: View }) {
  const outlines = useOutlines(view);
  const { center, scale, width, height } = view;
  const [x, y] = [width / 2 - center.x * scale, height / 2 - center.y * scale];
  return (
    <g aria-hidden="true" transform={`translate(${x.toFixed(2)} ${y.toFixed(2)}) scale(${scale / WORLD_SIZE})`}>
      <path class="place-land" d={outlines.map(({ land }) => land).join('')} />
      <path class="place-borders" d={outlines.map(({ borders }) => borders).join('')} />
    </g>
  );
}

/** The names of the largest places. Zoomed in between towns, the map says where it is. */
function PlaceNames({ view }: { view: View }) {
  const labels = labelsFor(view, usePlacesIn(view));
  return (
    <g class="place-names" aria-hidden="true">
      {labels.length === 0 && (
        <text x="10" y="20">
          {pointName(onEarth(view, middleOf(view)))}
        </text>
      )}
      {labels.map(({ name, dot, x, y, anchor }) => (
        <g key={`${name} ${dot.x} ${dot.y}`}>
          <circle cx={dot.x.toFixed(1)} cy={dot.y.toFixed(1)} r="2" />
          <text x={x.toFixed(1)} y={y.toFixed(1)} text-anchor={anchor}>
            {name}
          </text>
        </g>
      ))}
    </g>
  );
}

/** The corners of a polygon that is being drawn, and a cross in the middle. */
function Drawing({ corners, view }: { corners: readonly Point[]; view: View }) {
  const spots = corners.map((point) => onScreen(view, point));
  const { x, y } = middleOf(view);
  return (
    <g class="place-drawing" aria-hidden="true">
      <path d={`M${x - 8},${y}h16M${x},${y - 8}v16`} />
      {spots.length > 1 && <path d={lineThrough(spots)} />}
      {spots.map((spot, index) => (
        <circle key={index} cx={spot.x} cy={spot.y} r="5" />
      ))}
    </g>
  );
}
