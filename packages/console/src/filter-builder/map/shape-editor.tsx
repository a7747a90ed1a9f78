/** A shape on the map with its handles. Handles are dragged, or moved by the arrow keys. */
import type { Content } from '../../kit/content.ts';
import type { Point, Shape } from '../language.ts';
import { distanceBetween, distanceIn, metresOf, outlineOf, pointAt, rounded, type Spot } from './mercator.ts';
import { followPointer } from './pointer.ts';
import { decimalsOf, onEarth, onScreen, type View } from './view.ts';

interface Handle {
  key: string;
  label: string;
  at: Point;
  /** Returns the shape with this handle at another place. */
  moveTo: (point: Point) => Shape;
  /** The shape without this handle; undefined if the handle is needed. */
  removed?: Shape | undefined;
  /** Adds a corner when it is moved. */
  isNew?: boolean;
}

const ARROWS: Readonly<Record<string, Spot>> = {
  ArrowLeft: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
  ArrowUp: { x: 0, y: -1 },
  ArrowDown: { x: 0, y: 1 },
};
const STEP_PIXELS = 10;
const CORNERS_WITH_MIDDLES_MAX = 60;

export function ShapePath({
  shape,
  view,
  isChosen,
  onChoose,
}: {
  shape: Shape;
  view: View;
  isChosen: boolean;
  onChoose: (() => void) | undefined;
}): Content {
  const spots = outlineOf(shape).map((point) => onScreen(view, point));
  const path = `M${spots.map(({ x, y }) => `${x.toFixed(1)},${y.toFixed(1)}`).join('L')}Z`;
  // A shape across the 180th meridian is on both sides of the map.
  return [-view.scale, 0, view.scale].map((offset) => (
    <path
      key={offset}
      class={isChosen ? 'place-shape chosen' : 'place-shape'}
      d={path}
      transform={`translate(${offset.toFixed(1)} 0)`}
      onPointerDown={onChoose}
    />
  ));
}

export function Handles({
  shape,
  number,
  view,
  onChange,
}: {
  shape: Shape;
  /** From 1. */
  number: number;
  view: View;
  onChange: (shape: Shape) => void;
}): Content {
  const decimals = decimalsOf(view);
  return handlesOf(shape, number).map(({ key, label, at, moveTo, removed, isNew }) => {
    const spot = onScreen(view, at);
    const move = (to: Spot): void => onChange(moveTo(rounded(onEarth(view, to), decimals)));
    const drag = (event: PointerEvent): void => {
      event.stopPropagation();
      followPointer(event, (dx, dy) => move({ x: spot.x + dx, y: spot.y + dy }));
    };
    const onKey = (event: KeyboardEvent): void => {
      const arrow = ARROWS[event.key];
      if (arrow !== undefined) {
        const step = event.shiftKey ? 1 : STEP_PIXELS;
        move({ x: spot.x + arrow.x * step, y: spot.y + arrow.y * step });
      } else if (['Delete', 'Backspace'].includes(event.key) && removed !== undefined) onChange(removed);
      else if (event.key === 'Enter' && isNew === true) move(spot);
      else return;
      event.preventDefault();
      event.stopPropagation();
    };
    return (
      <circle
        key={key}
        class={isNew === true ? 'place-handle new' : 'place-handle'}
        cx={spot.x.toFixed(1)}
        cy={spot.y.toFixed(1)}
        r={isNew === true ? 5 : 8}
        tabindex={0}
        role="button"
        aria-label={`${label}, ${at.latitude.toFixed(decimals)}, ${at.longitude.toFixed(decimals)}`}
        onPointerDown={drag}
        onKeyDown={onKey}
        onDblClick={removed === undefined ? undefined : () => onChange(removed)}
      />
    );
  });
}

function handlesOf(shape: Shape, number: number): Handle[] {
  if (shape.kind === 'polygon') return cornerHandles(shape, number);
  const { center, unit } = shape;
  const edge = pointAt(center, metresOf(shape), 90);
  return [
    {
      key: 'center',
      label: `Centre of circle ${number}`,
      at: center,
      moveTo: (point) => ({ ...shape, center: point }),
    },
    {
      key: 'edge',
      label: `Radius of circle ${number}`,
      at: edge,
      moveTo: (point) => {
        const distance = distanceIn(unit, distanceBetween(center, point));
        return { ...shape, distance: distance > 0 ? distance : shape.distance };
      },
    },
  ];
}

function cornerHandles({ points }: Shape & { kind: 'polygon' }, number: number): Handle[] {
  const corners = points.map((at, index): Handle => ({
    key: `corner ${index}`,
    label: `Corner ${index + 1} of polygon ${number}`,
    at,
    moveTo: (point) => ({ kind: 'polygon', points: points.with(index, point) }),
    removed: points.length > 3 ? { kind: 'polygon', points: points.toSpliced(index, 1) } : undefined,
  }));
  if (points.length < 2 || points.length > CORNERS_WITH_MIDDLES_MAX) return corners;
  const middles = points.map((from, index): Handle => {
    const to = points[(index + 1) % points.length] ?? from;
    return {
      key: `middle ${index} of ${points.length}`,
      label: `Add a corner after corner ${index + 1} of polygon ${number}`,
      at: { latitude: (from.latitude + to.latitude) / 2, longitude: (from.longitude + to.longitude) / 2 },
      moveTo: (point) => ({ kind: 'polygon', points: points.toSpliced(index + 1, 0, point) }),
      isNew: true,
    };
  });
  return [...corners, ...middles];
}
