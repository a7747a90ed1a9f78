/** Circles and polygons: found by the name of a place, on a map, and as numbers. A device must be in one of them. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { Icon } from '../../kit/icon.tsx';
import { AddButton, RemoveButton } from '../buttons.tsx';
import { Combobox } from '../combobox.tsx';
import { NumberInput } from '../criterion-list.tsx';
import { type CriteriaProps, FaultLines, faultsBelow } from '../faults.tsx';
import { isObject, metresPerUnit, type Point, type Shape, shapeOf } from '../language.ts';
import { useFound } from '../suggestions.ts';
import { criterionWords } from '../words.ts';
import { findHome, findPlaces, type Place } from './map-data.ts';
import { distanceBetween, distanceIn, rounded, roundLength, spotOf } from './mercator.ts';
import { PlaceMap, shapesOf, useView } from './place-map.tsx';
import { around, decimalsOf, middleOf, onEarth, type View } from './view.ts';

/** What the map shows around a place that was found, and around the middle of the app's devices. */
const TOWN_METRES = 15_000;
const HOME_METRES = 700_000;

export function PlaceCriteria({ criteria, faults, onChange }: CriteriaProps) {
  const [view, setView] = useView(criteria);
  const [chosen, setChosen] = useState(0);
  const [drawing, setDrawing] = useState<readonly Point[] | undefined>(undefined);
  const [found, setFound] = useState<Place | undefined>(undefined);
  const circle = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (shapesOf(criteria).length > 0) return undefined;
    const controller = new AbortController();
    // Begins where the devices are, unless the reader was faster.
    const begin = async (): Promise<void> => {
      const home = await findHome(controller.signal);
      if (home === undefined || controller.signal.aborted) return;
      setView((before) => (before.scale > before.width ? before : around(home, HOME_METRES, before)));
    };
    void begin();
    return () => controller.abort();
  }, []);
  const add = (shape: Shape): void => {
    onChange([...criteria, criterionOf(shape)]);
    setChosen(criteria.length);
  };
  const finish = (): void => {
    if (drawing !== undefined && drawing.length >= 3) add({ kind: 'polygon', points: drawing });
    setDrawing(undefined);
  };
  return (
    <div class="stack close">
      <PlaceSearch
        onFind={(place) => {
          setFound(place);
          setView((before) => around(place, TOWN_METRES, before));
          circle.current?.focus();
        }}
      />
      <PlaceMap
        criteria={criteria}
        view={view}
        onView={setView}
        edits={{
          chosen,
          onChoose: setChosen,
          onChange: (index, shape) => onChange(criteria.with(index, criterionOf(shape))),
          drawing,
          onCorner: (point) => setDrawing([...(drawing ?? []), point]),
        }}
      />
      <div class="buttons">
        {drawing === undefined ? (
          <>
            <button ref={circle} type="button" onClick={() => add(circleIn(view))}>
              <Icon name="plus" />
              {found !== undefined && isInMiddle(view, found) ? `Circle around ${found.name}` : 'Circle'}
            </button>
            <AddButton onClick={() => setDrawing([])}>Polygon</AddButton>
          </>
        ) : (
          <>
            <button type="button" class="primary" disabled={drawing.length < 3} onClick={finish}>
              Finish the polygon
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
      <ul class="stack close">
        {criteria.map((criterion, index) => (
          <li key={index} class="place-numbers" onFocusIn={() => setChosen(index)}>
            <PlaceNumbers
              number={index + 1}
              criterion={criterion}
              onChange={(changed) => onChange(criteria.with(index, changed))}
            />
            <RemoveButton
              what={`shape ${index + 1}`}
              onClick={() => {
                setChosen(0);
                onChange(criteria.toSpliced(index, 1));
              }}
            />
            {shapeOf(criterion) === undefined && <span class="hint">{criterionWords('location', criterion)}</span>}
            <FaultLines faults={faultsBelow(faults, `[${index}]`)} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function PlaceSearch({ onFind }: { onFind: (place: Place) => void }) {
  const [text, setText] = useState('');
  const asked = text.trim() || undefined;
  const found = useFound(findPlaces, asked) ?? [];
  const options = (asked === undefined ? [] : found).map((place, index) => ({
    key: String(index),
    label: place.name,
    detail: [place.region, place.country].filter((part) => part !== '' && part !== place.name).join(', '),
    place,
  }));
  return (
    <Combobox
      aria-label="Find a town"
      placeholder="Find a town …"
      value={text}
      options={options}
      takesFirst
      onText={setText}
      onChoose={({ place }) => {
        setText('');
        onFind(place);
      }}
    />
  );
}

function isInMiddle({ center, scale }: View, place: Place): boolean {
  const { x, y } = spotOf(place);
  return Math.hypot(center.x - x, center.y - y) * scale < 1;
}

/** A circle around a country is of use, one around half the world is not. */
const RADIUS_METRES_MAX = 1_000_000;

/** A circle around the middle of the map whose round radius is up to a third of the map's height. */
function circleIn(view: View): Shape {
  const { x, y } = middleOf(view);
  const center = onEarth(view, { x, y });
  const third = distanceBetween(center, onEarth(view, { x, y: y - view.height / 3 }));
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

function PlaceNumbers(props: { number: number; criterion: unknown; onChange: (criterion: unknown) => void }) {
  const { number, criterion, onChange } = props;
  const fields = isObject(criterion) ? criterion : {};
  const { polygon, point, distance, unit } = fields;
  if (Array.isArray(polygon)) {
    return (
      <span>
        Polygon {number} <span class="muted">of {polygon.length} corners</span>
      </span>
    );
  }
  const { latitude, longitude } = isObject(point) ? point : {};
  const inputs: readonly (readonly [string, unknown, (to: unknown) => object])[] = [
    ['Latitude', latitude, (to) => ({ point: { latitude: to, longitude } })],
    ['Longitude', longitude, (to) => ({ point: { latitude, longitude: to } })],
    ['Radius', distance, (to) => ({ distance: to })],
  ];
  const units = Object.keys(metresPerUnit).filter((one, index) => index < SHORT_UNITS || one === unit);
  return (
    <>
      <span>Circle {number}</span>
      {inputs.map(([label, value, changed]) => (
        <label key={label}>
          <span>{label}</span>
          <NumberInput label={label} value={value} onChange={(to) => onChange({ ...fields, ...changed(to) })} />
        </label>
      ))}
      <select aria-label="Unit" onChange={({ currentTarget }) => onChange({ ...fields, unit: currentTarget.value })}>
        {units.map((one) => (
          <option key={one} value={one} selected={one === unit}>
            {one}
          </option>
        ))}
      </select>
    </>
  );
}
