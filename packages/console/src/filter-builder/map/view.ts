/** The part of the world that a map shows. Positions on the screen are in CSS pixels from the upper left corner of the map. */
import type { Point, Shape } from '../language.ts';
import { outlineOf, pointAt, pointOf, type Spot, spotOf } from './mercator.ts';

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
export function viewOf(shapes: readonly Shape[], { width, height }: { width: number; height: number }): View {
  const spots = shapes.flatMap((shape) => outlineOf(shape).map(spotOf));
  if (spots.length === 0) return within({ center: { x: 0.5, y: 0.4 }, scale: width, width, height });
  const [left, top] = [Math.min(...spots.map(({ x }) => x)), Math.min(...spots.map(({ y }) => y))];
  const [right, bottom] = [Math.max(...spots.map(({ x }) => x)), Math.max(...spots.map(({ y }) => y))];
  const scale = Math.min(width / Math.max(right - left, SIZE_MIN), height / Math.max(bottom - top, SIZE_MIN));
  const center = { x: (left + right) / 2, y: (top + bottom) / 2 };
  return within({ center, scale: scale / PADDING, width, height });
}

/** Shows the surroundings of a point. @param metres from the middle to the nearer edge */
export function around(point: Point, metres: number, { width, height }: View): View {
  const edge = pointAt(point, metres, 90).longitude - point.longitude;
  const scale = (Math.min(width, height) / 2 / edge) * 360;
  return within({ center: spotOf(point), scale, width, height });
}

/** Keeps the map full: neither the poles nor empty space come into it. */
export function within({ center, scale: wanted, width, height }: View): View {
  const scale = Math.min(SCALE_MAX, Math.max(width, height, wanted));
  const kept = (middle: number, size: number): number =>
    Math.min(1 - size / scale / 2, Math.max(size / scale / 2, middle));
  return { width, height, scale, center: { x: kept(center.x, width), y: kept(center.y, height) } };
}

export function onScreen({ center, scale, width, height }: View, point: Point): Spot {
  const { x, y } = spotOf(point);
  return { x: (x - center.x) * scale + width / 2, y: (y - center.y) * scale + height / 2 };
}

export function onEarth({ center, scale, width, height }: View, { x, y }: Spot): Point {
  return pointOf({ x: (x - width / 2) / scale + center.x, y: (y - height / 2) / scale + center.y });
}

export function middleOf({ width, height }: View): Spot {
  return { x: width / 2, y: height / 2 };
}

/** Moves the map by pixels: what was at `x` is now at `x + dx`. */
export function moved(view: View, dx: number, dy: number): View {
  const { center, scale } = view;
  return within({ ...view, center: { x: center.x - dx / scale, y: center.y - dy / scale } });
}

/** Zooms by a factor; the place at `spot` stays where it is. */
export function zoomed(view: View, factor: number, spot: Spot = middleOf(view)): View {
  const { center, width, height } = view;
  const { scale } = within({ ...view, scale: view.scale * factor });
  const change = 1 / view.scale - 1 / scale;
  const x = center.x + (spot.x - width / 2) * change;
  return within({ ...view, scale, center: { x, y: center.y + (spot.y - height / 2) * change } });
}

/** The decimals of a degree that differ from one pixel to the next. */
export function decimalsOf({ scale }: View): number {
  return Math.max(1, Math.min(6, Math.ceil(Math.log10(scale / 360))));
}
