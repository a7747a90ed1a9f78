/** Parses the circles and polygons of a filter on `location` or `sdk_location`. */
import type { FaultDetail } from '../api/errors.ts';
import { numberText } from '../json/lossless.ts';
import { fault, type Read, readObject } from './criterion-schema.ts';
import { type DistanceUnit, METRES_PER_UNIT, type PlaceCriterion, type Point } from './filter.ts';

export const POLYGON_POINTS_MIN = 3;
export const POLYGON_POINTS_MAX = 1_000;
export const LATITUDE_MAX = 90;
export const LONGITUDE_MAX = 180;

type Fields = ReadonlyMap<string, unknown>;

export const readPlaceCriterion: Read<PlaceCriterion> = (value, path, faults) => {
  const fields = readObject(value);
  if (fields?.has('polygon') === true) return readPolygon(fields, path, faults);
  if (fields?.has('point') === true || fields?.has('distance') === true) {
    return readCircle(fields, path, faults);
  }
  return fault(faults, path, 'must be {point, distance, unit} or {polygon}');
};

function readCircle(fields: Fields, path: string, faults: FaultDetail[]): PlaceCriterion | undefined {
  refuseOtherKeys(fields, ['point', 'distance', 'unit'], path, faults);
  const center = readPoint(fields.get('point'), `${path}.point`, faults);
  const distance = readDouble(fields.get('distance'));
  const unit = fields.get('unit');
  if (distance === undefined || !Number.isFinite(distance) || distance <= 0) {
    fault(faults, `${path}.distance`, 'must be a number greater than 0');
  }
  if (!isDistanceUnit(unit)) {
    return fault(faults, `${path}.unit`, `must be one of ${Object.keys(METRES_PER_UNIT).join(', ')}`);
  }
  if (center === undefined || distance === undefined) return undefined;
  return { kind: 'circle', center, distance, unit };
}

function readPolygon(fields: Fields, path: string, faults: FaultDetail[]): PlaceCriterion | undefined {
  refuseOtherKeys(fields, ['polygon'], path, faults);
  const list = fields.get('polygon');
  const listPath = `${path}.polygon`;
  if (!Array.isArray(list) || list.length < POLYGON_POINTS_MIN || list.length > POLYGON_POINTS_MAX) {
    return fault(faults, listPath, `must be a list of ${POLYGON_POINTS_MIN} to ${POLYGON_POINTS_MAX} points`);
  }
  const points = list.map((point: unknown, index) => readPoint(point, `${listPath}[${index}]`, faults));
  return { kind: 'polygon', points: points.filter((point) => point !== undefined) };
}

function readPoint(value: unknown, path: string, faults: FaultDetail[]): Point | undefined {
  const fields = readObject(value);
  if (fields === undefined) return fault(faults, path, 'must be {latitude, longitude}');
  refuseOtherKeys(fields, ['latitude', 'longitude'], path, faults);
  const latitude = readDegrees(fields.get('latitude'), LATITUDE_MAX, `${path}.latitude`, faults);
  const longitude = readDegrees(fields.get('longitude'), LONGITUDE_MAX, `${path}.longitude`, faults);
  return latitude === undefined || longitude === undefined ? undefined : { latitude, longitude };
}

function readDegrees(value: unknown, limit: number, path: string, faults: FaultDetail[]): number | undefined {
  const degrees = readDouble(value);
  if (degrees === undefined || !(Math.abs(degrees) <= limit)) {
    return fault(faults, path, `must be a number from -${limit} to ${limit}`);
  }
  return degrees;
}

/** Coordinates are stored and computed as doubles. Adding 0 turns -0 into 0. */
function readDouble(value: unknown): number | undefined {
  const text = numberText(value);
  return text === undefined ? undefined : Number(text) + 0;
}

function refuseOtherKeys(fields: Fields, known: string[], path: string, faults: FaultDetail[]): void {
  for (const key of fields.keys()) {
    if (known.includes(key)) continue;
    fault(faults, `${path}.${key}`, `is not a known key; the known keys are ${known.join(', ')}`);
  }
}

function isDistanceUnit(value: unknown): value is DistanceUnit {
  return typeof value === 'string' && Object.hasOwn(METRES_PER_UNIT, value);
}
