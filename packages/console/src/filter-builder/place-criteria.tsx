/** Circles and polygons: on a map and as numbers. A device must be in one of them. */
import { useState } from 'preact/hooks';
import type { Content } from '../kit/content.ts';
import { Icon } from '../kit/icon.tsx';
import { faultsBelow, type Fault } from './faults.ts';
import { isObject, metresPerUnit, numberOf, type Point, type Shape, shapeOf } from './language.ts';
import { distanceBetween, distanceIn, rounded } from './map/mercator.ts';
import { PlaceMap } from './map/place-map.tsx';
import { decimalsOf, onEarth, type View } from './map/view.ts';
import { NumberInput } from './value-inputs.tsx';
import { criterionWords } from './words.ts';

interface PlaceProps {
  criteria: readonly unknown[];
  faults: readonly Fault[];
  onChange: (criteria: readonly unknown[]) => void;
}

export function PlaceCriteria({ criteria, faults, onChange }: PlaceProps): Content {
  const [chosen, setChosen] = useState(0);
  const [view, setView] = useState<View | undefined>(undefined);
  const [drawing, setDrawing] = useState<readonly Point[] | undefined>(undefined);
  const [fitted, setFitted] = useState(0);
  const shapes = criteria.flatMap((criterion, index) => {
    const shape = shapeOf(criterion);
    return shape === undefined ? [] : [{ shape, index }];
  });
  const replace = (index: number, criterion: unknown): void =>
    onChange(criteria.map((one, place) => (place === index ? criterion : one)));
  const add = (shape: Shape): void => {
    onChange([...criteria, criterionOf(shape)]);
    setChosen(criteria.length);
  };
  const finish = (): void => {
    if (drawing !== undefined && drawing.length >= 3) add({ kind: 'polygon', points: drawing });
    setDrawing(undefined);
  };
  return (
    <div class="filter-places">
      <PlaceMap
        shapes={shapes}
        chosen={chosen}
        onChoose={setChosen}
        onChange={(index, shape) => replace(index, criterionOf(shape))}
        drawing={drawing}
        onCorner={(point) => setDrawing([...(drawing ?? []), point])}
        onView={setView}
        fitted={fitted}
      />
      <div class="buttons">
        {drawing === undefined ? (
          <>
            <button type="button" onClick={() => view !== undefined && add(circleIn(view))}>
              <Icon name="plus" />
              Circle
            </button>
            <button type="button" onClick={() => setDrawing([])}>
              <Icon name="plus" />
              Polygon
            </button>
            <button type="button" class="quiet" disabled={shapes.length === 0} onClick={() => setFitted(fitted + 1)}>
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
                onChange(criteria.filter((_, place) => place !== index));
              }}
            />
          </li>
        ))}
      </ol>
    </div>
  );
}

/** A circle around the middle of the map, a quarter as wide as the map. */
function circleIn(view: View): Shape {
  const middle = { x: view.width / 2, y: view.height / 2 };
  const center = onEarth(view, middle);
  const metres = distanceBetween(center, onEarth(view, { x: middle.x + view.width / 8, y: middle.y }));
  return {
    kind: 'circle',
    center: rounded(center, decimalsOf(view)),
    distance: distanceIn('km', metres),
    unit: 'km',
  };
}

function criterionOf(shape: Shape): unknown {
  return shape.kind === 'circle'
    ? { point: shape.center, distance: shape.distance, unit: shape.unit }
    : { polygon: shape.points };
}

interface NumbersProps {
  /** From 1. */
  number: number;
  criterion: unknown;
  faults: readonly Fault[];
  onChange: (criterion: unknown) => void;
  onRemove: () => void;
}

function PlaceNumbers({ number, criterion, faults, onChange, onRemove }: NumbersProps): Content {
  const fields = isObject(criterion) ? criterion : {};
  const { polygon, point, distance, unit } = fields;
  const isPolygon = Array.isArray(polygon);
  return (
    <div class="place-numbers">
      <span class="place-name">
        {isPolygon ? 'Polygon' : 'Circle'} {number}
      </span>
      {isPolygon ? (
        <Corners points={polygon} onChange={(points) => onChange({ polygon: points })} />
      ) : (
        <>
          <PointInputs point={point} onChange={(changed) => onChange({ ...fields, point: changed })} />
          <span class="place-radius">
            <label class="place-number">
              <span>Radius</span>
              <NumberInput
                label="Radius"
                size={7}
                value={distance}
                onChange={(changed) => onChange({ ...fields, distance: changed })}
              />
            </label>
            <select
              aria-label="Unit"
              onChange={({ currentTarget }) => onChange({ ...fields, unit: currentTarget.value })}>
              {Object.keys(metresPerUnit)
                .filter((one, index) => index < SHORT_UNITS || one === unit)
                .map((one) => (
                  <option key={one} value={one} selected={one === unit}>
                    {one}
                  </option>
                ))}
            </select>
          </span>
        </>
      )}
      <button type="button" class="quiet" aria-label={`Remove shape ${number}`} onClick={onRemove}>
        <Icon name="cross" />
      </button>
      {shapeOf(criterion) === undefined && <span class="hint">{criterionWords('location', criterion)}</span>}
      {faults.map(({ path, message }) => (
        <p class="fault" key={path}>
          {path} {message}
        </p>
      ))}
    </div>
  );
}

/**
 * How many units are offered: the first ones, which have short names; the others are longer names of the same units.
 */
const SHORT_UNITS = 7;
const CORNERS_SHOWN_MAX = 60;

function Corners({
  points,
  onChange,
}: {
  points: readonly unknown[];
  onChange: (points: readonly unknown[]) => void;
}): Content {
  return (
    <details class="place-corners">
      <summary>{points.length} corners</summary>
      <ol>
        {points.slice(0, CORNERS_SHOWN_MAX).map((point, index) => (
          <li key={index}>
            <PointInputs point={point} onChange={(changed) => onChange(points.with(index, changed))} />
            <button
              type="button"
              class="quiet"
              aria-label={`Remove corner ${index + 1}`}
              disabled={points.length <= 3}
              onClick={() => onChange(points.toSpliced(index, 1))}>
              <Icon name="cross" />
            </button>
          </li>
        ))}
      </ol>
      {points.length > CORNERS_SHOWN_MAX && <p class="hint">The other corners are in the JSON.</p>}
      <button type="button" class="quiet" onClick={() => onChange([...points, points.at(-1)])}>
        <Icon name="plus" />
        Corner
      </button>
    </details>
  );
}

function PointInputs({ point, onChange }: { point: unknown; onChange: (point: unknown) => void }): Content {
  const fields = isObject(point) ? point : {};
  const { latitude, longitude } = fields;
  const isOutside = Math.abs(numberOf(latitude) ?? 0) > 90 || Math.abs(numberOf(longitude) ?? 0) > 180;
  return (
    <>
      <label class="place-number">
        <span>Latitude</span>
        <NumberInput
          label="Latitude"
          value={latitude}
          onChange={(changed) => onChange({ latitude: changed, longitude })}
        />
      </label>
      <label class="place-number">
        <span>Longitude</span>
        <NumberInput
          label="Longitude"
          value={longitude}
          onChange={(changed) => onChange({ latitude, longitude: changed })}
        />
      </label>
      {isOutside && <span class="fault">-90 to 90, and -180 to 180</span>}
    </>
  );
}
