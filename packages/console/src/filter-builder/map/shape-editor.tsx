/** A shape on the map with its handles. Handles are dragged, or moved by the arrow keys. */
import type { Point, Shape } from '../language.ts';
import { distanceBetween, distanceIn, metresOf, outlineOf, pointAt, rounded, type Spot } from './mercator.ts';
import { decimalsOf, onEarth, onScreen, type View } from './view.ts';

interface Handle {
  label: string;
  at: Point;
  /** Returns the shape with this handle at another place. */
  moveTo: (point: Point) => Shape;
  /** The shape without this handle; undefined if the handle is needed. */
  removed?: Shape | undefined;
  /** Adds a corner when it is moved. */
  isNew?: boolean;
}

export const ARROWS: Readonly<Record<string, Spot>> = {
  ArrowLeft: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
  ArrowUp: { x: 0, y: -1 },
  ArrowDown: { x: 0, y: 1 },
};
const STEP_PIXELS = 10;
const CORNERS_WITH_MIDDLES_MAX = 60;

/** A line through spots, for the `d` of a path. */
export function lineThrough(spots: readonly Spot[]): string {
  return `M${spots.map(({ x, y }) => `${x.toFixed(1)},${y.toFixed(1)}`).join('L')}`;
}

export function ShapePath({ shape, view, onChoose }: { shape: Shape; view: View; onChoose: () => void }) {
  const line = lineThrough(outlineOf(shape).map((point) => onScreen(view, point)));
  // A shape across the 180th meridian is on both sides of the map.
  return [-view.scale, 0, view.scale].map((offset) => (
    <path
      key={offset}
      class="place-shape"
      d={`${line}Z`}
      transform={`translate(${offset.toFixed(1)} 0)`}
      onPointerDown={onChoose}
    />
  ));
}

export function Handles(props: { shape: Shape; number: number; view: View; onChange: (shape: Shape) => void }) {
  const { shape, number, view, onChange } = props;
  const decimals = decimalsOf(view);
  const handles = shape.kind === 'polygon' ? cornerHandles(shape.points, number) : circleHandles(shape, number);
  return handles.map(({ label, at, moveTo, removed, isNew = false }) => {
    const spot = onScreen(view, at);
    const move = (to: Spot): void => onChange(moveTo(rounded(onEarth(view, to), decimals)));
    const onKey = (event: KeyboardEvent): void => {
      const arrow = ARROWS[event.key];
      const step = event.shiftKey ? 1 : STEP_PIXELS;
      if (arrow !== undefined) move({ x: spot.x + arrow.x * step, y: spot.y + arrow.y * step });
      else if (['Delete', 'Backspace'].includes(event.key) && removed !== undefined) onChange(removed);
      else if (event.key === 'Enter' && isNew) move(spot);
      else return;
      event.preventDefault();
      event.stopPropagation();
    };
    return (
      <circle
        key={`${label} ${handles.length}`}
        class="place-handle"
        cx={spot.x.toFixed(1)}
        cy={spot.y.toFixed(1)}
        r={isNew ? 5 : 8}
        tabindex={0}
        role="button"
        aria-label={`${label}, ${at.latitude.toFixed(decimals)}, ${at.longitude.toFixed(decimals)}`}
        onPointerDown={(event) => {
          event.stopPropagation();
          followPointer(event, (dx, dy) => move({ x: spot.x + dx, y: spot.y + dy }));
        }}
        onKeyDown={onKey}
        onDblClick={removed && (() => onChange(removed))}
      />
    );
  });
}

function circleHandles(circle: Shape & { kind: 'circle' }, number: number): Handle[] {
  const { center, unit } = circle;
  return [
    { label: `Centre of circle ${number}`, at: center, moveTo: (point) => ({ ...circle, center: point }) },
    {
      label: `Radius of circle ${number}`,
      at: pointAt(center, metresOf(circle), 90),
      moveTo: (point) => ({ ...circle, distance: distanceIn(unit, distanceBetween(center, point)) || circle.distance }),
    },
  ];
}

function polygon(points: readonly Point[]): Shape {
  return { kind: 'polygon', points };
}

function cornerHandles(points: readonly Point[], number: number): Handle[] {
  const corners = points.map((at, index): Handle => ({
    label: `Corner ${index + 1} of polygon ${number}`,
    at,
    moveTo: (point) => polygon(points.with(index, point)),
    removed: points.length > 3 ? polygon(points.toSpliced(index, 1)) : undefined,
  }));
  if (points.length < 2 || points.length > CORNERS_WITH_MIDDLES_MAX) return corners;
  const middles = points.map((from, index): Handle => {
    const to = points[(index + 1) % points.length] ?? from;
    return {
      label: `Add a corner after corner ${index + 1} of polygon ${number}`,
      at: { latitude: (from.latitude + to.latitude) / 2, longitude: (from.longitude + to.longitude) / 2 },
      moveTo: (point) => polygon(points.toSpliced(index + 1, 0, point)),
      isNew: true,
    };
  });
  return [...corners, ...middles];
}

/** A shorter movement is a click. */
const CLICK_PIXELS = 4;

/**
 * Follows the pointer until it is released, on the whole page: what was pressed may be replaced while it moves.
 * @param onMove called with the distance from where it was pressed
 * @param onClick called if it is released there
 */
export function followPointer(
  { clientX, clientY, button }: PointerEvent,
  onMove: (dx: number, dy: number) => void,
  onClick?: () => void,
): void {
  if (button !== 0) return;
  const controller = new AbortController();
  const { signal } = controller;
  let isMoved = false;
  const move = (event: PointerEvent): void => {
    const [dx, dy] = [event.clientX - clientX, event.clientY - clientY];
    isMoved ||= Math.hypot(dx, dy) > CLICK_PIXELS;
    if (isMoved) onMove(dx, dy);
  };
  const end = ({ type }: PointerEvent): void => {
    controller.abort();
    if (!isMoved && type === 'pointerup') onClick?.();
  };
  addEventListener('pointermove', move, { signal });
  addEventListener('pointerup', end, { signal });
  addEventListener('pointercancel', end, { signal });
}
