/** The variants of an A/B test in the notification that is being written. */
import { isObject } from '../../../filter-builder/language.ts';
import { type JsonObject, withMember } from './members.ts';

export const VARIANTS_MIN = 2;
export const VARIANTS_MAX = 8;

/** @returns the variants; empty if the notification is no A/B test, or if they can be edited only as JSON */
export function variantsOf(notification: JsonObject): readonly JsonObject[] {
  const { variants } = notification;
  return Array.isArray(variants) && variants.every(isObject) ? variants : [];
}

/** The name of a variant, or its number while it has none. */
export function variantName(notification: JsonObject, index: number): string {
  const name = variantsOf(notification)[index]?.['name'];
  return typeof name === 'string' && name !== '' ? name : `variant ${index + 1}`;
}

export function withVariant(
  notification: JsonObject,
  index: number,
  changed: (variant: JsonObject) => JsonObject,
): JsonObject {
  const variants = variantsOf(notification);
  if (variants[index] === undefined) return notification;
  return {
    ...notification,
    variants: variants.map((variant, other) => (other === index ? changed(variant) : variant)),
  };
}

/** Adds a variant, with the first letter that no other variant has as its name. The first two are added together. */
export function withNewVariant(notification: JsonObject): JsonObject {
  const variants = [...variantsOf(notification)];
  do variants.push({ name: freeName(variants), weight: 1 });
  while (variants.length < VARIANTS_MIN);
  return { ...notification, variants };
}

function freeName(variants: readonly JsonObject[]): string {
  const taken = new Set(variants.map(({ name }) => String(name).toLowerCase()));
  return 'ABCDEFGHI'.split('').find((letter) => !taken.has(letter.toLowerCase())) ?? '';
}

export function withoutVariant(notification: JsonObject, index: number): JsonObject {
  return { ...notification, variants: variantsOf(notification).filter((_, other) => other !== index) };
}

/** The notification without its test: everyone gets the content that all variants share. */
export function withoutTest(notification: JsonObject): JsonObject {
  return ['variants', 'hold_out', 'experiment'].reduce(
    (left, name) => withMember(left, name, undefined),
    notification,
  );
}

/**
 * The share of the audience that each variant gets, and the share of the hold-out; undefined if a weight is not a
 * number yet.
 */
export function sharesOf(notification: JsonObject): { ofVariants: (number | undefined)[]; holdOut: number } {
  const weights = variantsOf(notification).map(({ weight }) =>
    typeof weight === 'number' && weight > 0 ? weight : undefined,
  );
  const { hold_out: share } = notification;
  const holdOut = typeof share === 'number' && share > 0 && share < 1 ? share : 0;
  const sum = weights.reduce<number>((total, weight = 0) => total + weight, 0);
  const isKnown = weights.every((weight) => weight !== undefined);
  return {
    ofVariants: weights.map((weight) =>
      weight === undefined || !isKnown ? undefined : ((1 - holdOut) * weight) / sum,
    ),
    holdOut,
  };
}
