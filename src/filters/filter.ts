/**
 * The type of parsed filters. `filter-schema.ts` makes them from JSON; all later steps trust them. It is a union by kind, so
 * that a filter can hold only criteria that its attribute accepts.
 */
import type { Decimal } from './decimal.ts';
import type { VersionKey } from './dotted-version.ts';
import type { MathDate } from './math-date.ts';

export type Filter = FilterHead & FilterBody;

interface FilterHead {
  /** The name as written: a device attribute, `custom.<type>.<name>` or `events.<name>`. */
  name: string;
  /** `not_filter`: the filter selects the devices that the criteria do not select. */
  not: boolean;
}

export type FilterBody =
  | { kind: 'text'; column: TextColumn; criteria: readonly string[] }
  | { kind: 'tags'; criteria: readonly string[] }
  | { kind: 'device_id'; criteria: readonly string[] }
  | { kind: 'version'; column: VersionColumn; criteria: readonly VersionCriterion[] }
  | { kind: 'date'; column: DateColumn; criteria: readonly DateCriterion[] }
  | { kind: 'badge'; criteria: readonly NumberCriterion[] }
  | { kind: 'development'; criteria: readonly boolean[] }
  | { kind: 'place'; gpsOnly: boolean; criteria: readonly PlaceCriterion[] }
  | { kind: 'custom_string'; attribute: string; criteria: readonly string[] }
  | {
      kind: 'custom_number';
      attribute: string;
      type: 'integer' | 'float';
      criteria: readonly NumberCriterion[];
    }
  | { kind: 'custom_date'; attribute: string; criteria: readonly DateCriterion[] }
  | { kind: 'custom_boolean'; attribute: string; criteria: readonly boolean[] }
  | { kind: 'event'; event: string; criteria: readonly EventCriterion[] };

/** Columns of `devices` that have the same names as their attributes. */
export type TextColumn =
  | 'locale'
  | 'time_zone'
  | 'os_name'
  | 'country'
  | 'marketing_name'
  | 'user_id'
  | 'user_email'
  | 'notifications_allowed';
export type VersionColumn = 'os_version' | 'app_version' | 'sdk_version';
export type DateColumn = 'created_at' | 'registered_at';

export const boundKeys = ['gt', 'gte', 'lt', 'lte'] as const;
export type BoundKey = (typeof boundKeys)[number];
/** At least one bound. A value must satisfy all of them. */
export type Bounds<T> = { [key in BoundKey]?: T };

export function mapBounds<From, To>(
  { gt, gte, lt, lte }: Bounds<From>,
  map: (bound: From) => To,
): Bounds<To> {
  return {
    ...(gt !== undefined && { gt: map(gt) }),
    ...(gte !== undefined && { gte: map(gte) }),
    ...(lt !== undefined && { lt: map(lt) }),
    ...(lte !== undefined && { lte: map(lte) }),
  };
}

export type NumberCriterion =
  { kind: 'number'; value: Decimal } | { kind: 'number_range'; bounds: Bounds<Decimal> };

export type VersionCriterion =
  /** A string, which is compared as text. */
  | { kind: 'text'; value: string }
  /** A number, which is compared as a version. */
  | { kind: 'version'; value: VersionBound }
  | { kind: 'version_range'; bounds: Bounds<VersionBound> };

export interface VersionBound {
  written: string | Decimal;
  key: VersionKey;
}

export interface DateRangeCriterion {
  kind: 'date_range';
  bounds: Bounds<MathDate>;
}
/** From `startMs` (included) to `endMs` (excluded): a date means the whole day, a date-time one millisecond. */
export type DateCriterion =
  { kind: 'date'; written: string; startMs: number; endMs: number } | DateRangeCriterion;

/** Tests whether an event happened, how often, or when it last happened. */
export type EventCriterion = { kind: 'happened' } | NumberCriterion | DateRangeCriterion;

/** In degrees. */
export interface Point {
  latitude: number;
  longitude: number;
}
export type PlaceCriterion =
  | { kind: 'circle'; center: Point; distance: number; unit: DistanceUnit }
  | { kind: 'polygon'; points: readonly Point[] };

/** The units of a distance, in metres. */
export const METRES_PER_UNIT = {
  in: 0.0254,
  inch: 0.0254,
  yd: 0.9144,
  yards: 0.9144,
  ft: 0.3048,
  feet: 0.3048,
  km: 1_000,
  kilometers: 1_000,
  nauticalmiles: 1_852,
  mi: 1_609.344,
  miles: 1_609.344,
  m: 1,
  meters: 1,
} as const;
export type DistanceUnit = keyof typeof METRES_PER_UNIT;
