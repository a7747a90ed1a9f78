/** The part of the world that a map shows. Positions on the screen are in CSS pixels from the upper left corner of the map. */
import { boxOf, pointAt, pointOf, type Spot, spotOf } from './mercator.ts';
import type { Point, Shape } from '../language.ts';

export interface View {
  center: Spot;
  /** The width of the whole world in pixels. */
  scale: number;
  width: number;
  height: number;
}

/** The whole world is at least as wide as the map; at most, a street fills the map. */
const SCALE_MAX = 40_000_000;
const PADDING = 1.4;
/** A circle of a few metres would be on an empty map. */
const SIZE_MIN = 1e-5;

/** Shows the shapes, or the world if there are none. */
export function viewOf(shapes: readonly Shape[], width: number, height: number): View {
  const box = boxOf(shapes);
  if (box === undefined) return within({ center: { x: 0.5, y: 0.4 }, scale: width, width, height });
  const size = { x: Math.max(box.to.x - box.from.x, SIZE_MIN), y: Math.max(box.to.y - box.from.y, SIZE_MIN) };
  return within({
    center: { x: (box.from.x + box.to.x) / 2, y: (box.from.y + box.to.y) / 2 },
    scale: Math.min(width / size.x, height / size.y) / PADDING,
    width,
    height,
  });
}

/** Shows the surroundings of a point. @param metres from the middle to the nearer edge */
export function around(point: Point, metres: number, { width, height }: View): View {
  const edge = pointAt(point, metres, 90).longitude - point.longitude;
  const scale = (Math.min(width, height) / 2 / edge) * 360;
  return within({ center: spotOf(point), scale, width, height });
}

/** Keeps the map full: neither the poles nor empty space come into it. */
export function within(view: View): View {
  const { width, height } = view;
  const scale = Math.min(SCALE_MAX, Math.max(width, height, view.scale));
  const margin = { x: width / scale / 2, y: height / scale / 2 };
  return {
    width,
    height,
    scale,
    center: {
      x: Math.min(1 - margin.x, Math.max(margin.x, view.center.x)),
      y: Math.min(1 - margin.y, Math.max(margin.y, view.center.y)),
    },
  };
}

export function onScreen({ center, scale, width, height }: View, point: Point): Spot {
  const { x, y } = spotOf(point);
  return { x: (x - center.x) * scale + width / 2, y: (y - center.y) * scale + height / 2 };
}

export function onEarth({ center, scale, width, height }: View, { x, y }: Spot): Point {
  return pointOf({ x: (x - width / 2) / scale + center.x, y: (y - height / 2) / scale + center.y });
}

/** Moves the map by pixels: what was at `x` is now at `x + dx`. */
export function moved(view: View, dx: number, dy: number): View {
  const { center, scale } = view;
  return within({ ...view, center: { x: center.x - dx / scale, y: center.y - dy / scale } });
}

/** Zooms by a factor; the place at `spot` stays where it is. */
export function zoomed(
  view: View,
  factor: number,
  spot: Spot = { x: view.width / 2, y: view.height / 2 },
): View {
  const { center, width, height } = view;
  const scale = within({ ...view, scale: view.scale * factor }).scale;
  const [dx, dy] = [spot.x - width / 2, spot.y - height / 2];
  return within({
    ...view,
    scale,
    center: {
      x: center.x + dx / view.scale - dx / scale,
      y: center.y + dy / view.scale - dy / scale,
    },
  });
}

/** The decimals of a degree that differ from one pixel to the next. */
export function decimalsOf({ scale }: View): number {
  return Math.max(1, Math.min(6, Math.ceil(Math.log10(scale / 360))));
}
