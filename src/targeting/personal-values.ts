/**
 * Leaves out values that may be about one person: a suggestion is shown to everyone who may read, so in doubt there is none.
 */
import type { SampledValue, ValueSample } from './sample-values.ts';

/** A value that only one device has is of one person. */
const DEVICES_MIN = 2;
/** So few different values are not unique, in an app with few devices either. */
const FEW_VALUES = 3;
/** An attribute with more different values than this share of its holders identifies users, who may have a few devices. */
const DIFFERENT_SHARE_MAX = 1 / 4;
/** An attribute with more values than this that look personal is of persons, whatever its other values look like. */
const PERSONAL_SHARE_MAX = 0.1;
const CHARACTERS_MAX = 100;

const PERSONAL = [
  /@/, // e-mail addresses and handles
  /\d[\d\s()./-]{5,}\d/, // telephone, customer and card numbers, dates of birth
  /[0-9a-f]{8}-[0-9a-f]{4}-/i, // UUIDs
  /^(?=.*\d)[\w-]{16,}$/, // keys and tokens
  /^[0-9a-f]{12,}$/i,
  /\b\d{1,3}(?:\.\d{1,3}){3}\b/, // IP addresses
  /-?\d{1,3}\.\d{3,}\s*[,;]\s*-?\d{1,3}\.\d{3,}/, // coordinates
];

export function looksPersonal(value: string): boolean {
  return value.length > CHARACTERS_MAX || PERSONAL.some((pattern) => pattern.test(value));
}

/**
 * @param isChosenByApp whether the app chooses the meaning of the values, as of custom attributes and tags
 * @returns the values that may be suggested, in the order of the sample; none if the attribute looks like one of persons
 */
export function suggestable(
  { values, different, holders }: ValueSample,
  { isChosenByApp, mayBeUnique }: { isChosenByApp: boolean; mayBeUnique: boolean },
): readonly SampledValue[] {
  if (!isChosenByApp) return values;
  const isUnique = different > Math.max(FEW_VALUES, holders * DIFFERENT_SHARE_MAX);
  const harmless = values.filter(({ value }) => !looksPersonal(value));
  const looksLikePersons = values.length - harmless.length > values.length * PERSONAL_SHARE_MAX;
  if (!mayBeUnique && (isUnique || looksLikePersons)) return [];
  return harmless.filter(({ devices }) => devices >= DEVICES_MIN);
}
