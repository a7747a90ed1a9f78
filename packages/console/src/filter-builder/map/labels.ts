/** Chooses which names fit on a map, and where, so that none covers another. */
import type { Point } from '../language.ts';
import type { Spot } from './mercator.ts';
import { onScreen, type View } from './view.ts';

export interface Label {
  name: string;
  /** The place itself, in pixels of the map. */
  dot: Spot;
  /** Where its text begins, ends or has its middle, on its base line. */
  x: number;
  y: number;
  anchor: 'start' | 'middle' | 'end';
}

interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** Of the text, which has 12 pixels; a wide letter has more, and many narrow ones make up for it. */
const CHARACTER_WIDTH = 7.2;
const ASCENT = 11;
const DESCENT = 4;
/** Between a place and its name, so that the handle of a circle around the place does not cover the name. */
const GAP = 12;
/** Of the buttons in the upper right corner. */
const BUTTONS = { width: 48, height: 84 };
/** Between names, so that the map stays one and does not become a list. */
const SPACE = 10;
const PIXELS_PER_LABEL = 9_000;

/**
 * @param places the most important first
 * @returns the labels, in the order of the places; each is wholly on the map and apart from the others and their dots
 */
export function labelsFor(view: View, places: readonly (Point & { name: string })[]): Label[] {
  const { width, height } = view;
  const taken: Box[] = [{ left: width - BUTTONS.width, top: 0, right: width, bottom: BUTTONS.height }];
  const fits = (label: Label): boolean => {
    const { left, top, right, bottom } = boxOf(label);
    if (left < 0 || top < 0 || right > width || bottom > height) return false;
    return !taken.some(
      (other) => left < other.right && right > other.left && top < other.bottom && bottom > other.top,
    );
  };
  const labels: Label[] = [];
  for (const place of places) {
    if (labels.length >= (width * height) / PIXELS_PER_LABEL) break;
    const label = candidates(place.name, onScreen(view, place)).find(fits);
    if (label === undefined) continue;
    const { left, top, right, bottom } = boxOf(label);
    taken.push({ left: left - SPACE, top: top - SPACE, right: right + SPACE, bottom: bottom + SPACE });
    labels.push(label);
  }
  return labels;
}

function candidates(name: string, dot: Spot): Label[] {
  return [
    { name, dot, x: dot.x + GAP, y: dot.y + 4, anchor: 'start' },
    { name, dot, x: dot.x - GAP, y: dot.y + 4, anchor: 'end' },
    { name, dot, x: dot.x, y: dot.y - GAP, anchor: 'middle' },
    { name, dot, x: dot.x, y: dot.y + GAP + ASCENT, anchor: 'middle' },
  ];
}

export function boxOf({ name, dot, x, y, anchor }: Label): Box {
  const width = name.length * CHARACTER_WIDTH;
  const start = { start: x, middle: x - width / 2, end: x - width }[anchor];
  return {
    left: Math.min(start, dot.x - 2),
    top: Math.min(y - ASCENT, dot.y - 2),
    right: Math.max(start + width, dot.x + 2),
    bottom: Math.max(y + DESCENT, dot.y + 2),
  };
}
