/** Circles and polygons: found by the name of a place, on a map, and as numbers. A device must be in one of them. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Content } from '../../kit/content.ts';
import { Icon } from '../../kit/icon.tsx';
import { type Fault, FaultLines, faultsBelow } from '../faults.tsx';
import { isObject, metresPerUnit, type Point, type Shape, shapeOf } from '../language.ts';
import { distanceBetween, distanceIn, rounded, roundLength, spotOf } from './mercator.ts';
import { firstView, PlaceMap } from './place-map.tsx';
import { PlaceSearch } from './place-search.tsx';
import { findHome, type Place } from './places.ts';
import { around, decimalsOf, onEarth, type View, viewOf } from './view.ts';
import { NumberInput } from '../value-inputs.tsx';
import { criterionWords } from '../words.ts';

interface PlaceProps {
  criteria: readonly unknown[];
  faults: readonly Fault[];
  onChange: (criteria: readonly unknown[]) => void;
}

/** What the map shows around a place that was found, and around the middle of the app's devices. */
const TOWN_METRES = 15_000;
const HOME_METRES = 700_000;

export function PlaceCriteria({ criteria, faults, onChange }: PlaceProps): Content {
  const shapes = shapesOf(criteria);
  const [view, setView] = useState<View>(() => firstView(shapes.map(({ shape }) => shape)));
  const [chosen, setChosen] = useState(0);
  const [drawing, setDrawing] = useState<readonly Point[] | undefined>(undefined);
  const [found, setFound] = useState<Place | undefined>(undefined);
  const circle = useRef<HTMLButtonElement>(null);
  useHome(shapes.length === 0, setView);
  const replace = (index: number, criterion: unknown): void => onChange(criteria.with(index, criterion));
  const add = (shape: Shape): void => {
    onChange([...criteria, criterionOf(shape)]);
    setChosen(criteria.length);
  };
  const finish = (): void => {
    if (drawing !== undefined && drawing.length >= 3) add({ kind: 'polygon', points: drawing });
    setDrawing(undefined);
  };
  const showAll = ({ width, height }: View): View =>
    viewOf(
      shapes.map(({ shape }) => shape),
      width,
      height,
    );
  const town = found !== undefined && isInMiddle(view, found) ? found : undefined;
  return (
    <div class="filter-places">
      <PlaceSearch
        onFind={(place) => {
          setFound(place);
          setView((before) => around(place, TOWN_METRES, before));
          circle.current?.focus();
        }}
      />
      <PlaceMap
        shapes={shapes}
        view={view}
        onView={setView}
        edits={{
          chosen,
          onChoose: setChosen,
          onChange: (index, shape) => replace(index, criterionOf(shape)),
          drawing,
          onCorner: (point) => setDrawing([...(drawing ?? []), point]),
        }}
      />
      <div class="buttons">
        {drawing === undefined ? (
          <>
            <button ref={circle} type="button" onClick={() => add(circleIn(view))}>
              <Icon name="plus" />
              {town === undefined ? 'Circle' : `Circle around ${town.name}`}
            </button>
            <button type="button" onClick={() => setDrawing([])}>
              <Icon name="plus" />
              Polygon
            </button>
            <button type="button" class="quiet" disabled={shapes.length === 0} onClick={() => setView(showAll)}>
              Show all
            </button>
          </>
        ) : (
          <>
            <button type="button" class="primary" disabled={drawing.length < 3} onClick={finish}>
              Finish the polygon
            </button>
            <button type="button" onClick={() => setDrawing(drawing.slice(0, -1))} disabled={drawing.length === 0}>
              Last corner back
            </button>
            <button type="button" class="quiet" onClick={() => setDrawing(undefined)}>
              Cancel
            </button>
            <span class="hint" role="status">
              {drawing.length === 0
                ? 'Click the corners on the map, or press Enter on it.'
                : `${drawing.length} corners`}
            </span>
          </>
        )}
      </div>
      <ol class="place-list">
        {criteria.map((criterion, index) => (
          <li key={index} class={index === chosen ? 'chosen' : undefined} onFocusIn={() => setChosen(index)}>
            <PlaceNumbers
              number={index + 1}
              criterion={criterion}
              faults={faultsBelow(faults, `[${index}]`)}
              onChange={(changed) => replace(index, changed)}
              onRemove={() => {
                setChosen(0);
                onChange(criteria.toSpliced(index, 1));
              }}
            />
          </li>
        ))}
      </ol>
    </div>
  );
}

/** A map of the places of a filter, to look at. */
export function ShownPlaces({ criteria }: { criteria: readonly unknown[] }): Content {
  const shapes = shapesOf(criteria);
  const [view, setView] = useState<View>(() => firstView(shapes.map(({ shape }) => shape)));
  return <PlaceMap shapes={shapes} view={view} onView={setView} />;
}

function shapesOf(criteria: readonly unknown[]): { shape: Shape; index: number }[] {
  return criteria.flatMap((criterion, index) => {
    const shape = shapeOf(criterion);
    return shape === undefined ? [] : [{ shape, index }];
  });
}

/** Begins where the devices are, unless there is a shape to begin with or the reader was faster. */
function useHome(isWanted: boolean, setView: (next: (view: View) => View) => void): void {
  useEffect(() => {
    if (!isWanted) return undefined;
    const controller = new AbortController();
    const begin = async (): Promise<void> => {
      const home = await findHome(controller.signal);
      if (home === undefined || controller.signal.aborted) return;
      setView((view) => (view.scale > view.width ? view : around(home, HOME_METRES, view)));
    };
    void begin();
    return () => controller.abort();
  }, []);
}

function isInMiddle({ center, scale }: View, place: Point): boolean {
  const { x, y } = spotOf(place);
  return Math.hypot(center.x - x, center.y - y) * scale < 1;
}

/** A circle around a country is of use, one around half the world is not. */
const RADIUS_METRES_MAX = 1_000_000;

/** A circle around the middle of the map whose round radius is up to a third of the map's height. */
function circleIn(view: View): Shape {
  const middle = { x: view.width / 2, y: view.height / 2 };
  const center = onEarth(view, middle);
  const third = distanceBetween(center, onEarth(view, { x: middle.x, y: middle.y - view.height / 3 }));
  const metres = Math.min(roundLength(third), RADIUS_METRES_MAX);
  const unit = metres < 1_000 ? 'm' : 'km';
  return { kind: 'circle', center: rounded(center, decimalsOf(view)), distance: distanceIn(unit, metres), unit };
}

function criterionOf(shape: Shape): unknown {
  return shape.kind === 'circle'
    ? { point: shape.center, distance: shape.distance, unit: shape.unit }
    : { polygon: shape.points };
}

/** The first ones have short names; the others are longer names of the same units. */
const SHORT_UNITS = 7;

function PlaceNumbers(props: {
  /** From 1. */
  number: number;
  criterion: unknown;
  faults: readonly Fault[];
  onChange: (criterion: unknown) => void;
  onRemove: () => void;
}): Content {
  const { number, criterion, faults, onChange, onRemove } = props;
  const fields = isObject(criterion) ? criterion : {};
  const { polygon, point, distance, unit } = fields;
  const { latitude, longitude } = isObject(point) ? point : {};
  const inputs: readonly (readonly [string, unknown, (to: unknown) => object])[] = [
    ['Latitude', latitude, (to) => ({ point: { latitude: to, longitude } })],
    ['Longitude', longitude, (to) => ({ point: { latitude, longitude: to } })],
    ['Radius', distance, (to) => ({ distance: to })],
  ];
  const units = Object.keys(metresPerUnit).filter((one, index) => index < SHORT_UNITS || one === unit);
  return (
    <div class="place-numbers">
      {Array.isArray(polygon) ? (
        <span>
          Polygon {number} <span class="muted">of {polygon.length} corners</span>
        </span>
      ) : (
        <>
          <span>Circle {number}</span>
          {inputs.map(([label, value, changed]) => (
            <label key={label}>
              <span>{label}</span>
              <NumberInput label={label} value={value} onChange={(to) => onChange({ ...fields, ...changed(to) })} />
            </label>
          ))}
          <select
            aria-label="Unit"
            onChange={({ currentTarget }) => onChange({ ...fields, unit: currentTarget.value })}>
            {units.map((one) => (
              <option key={one} value={one} selected={one === unit}>
                {one}
              </option>
            ))}
          </select>
        </>
      )}
      <button type="button" class="quiet" aria-label={`Remove shape ${number}`} onClick={onRemove}>
        <Icon name="cross" />
      </button>
      {shapeOf(criterion) === undefined && <span class="hint">{criterionWords('location', criterion)}</span>}
      <FaultLines faults={faults} />
    </div>
  );
}
