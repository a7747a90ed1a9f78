/** The variants of an A/B test in the notification that is being written, and how many devices it reaches. */
import { isObject } from '../../../filter-builder/language.ts';
import type { DeviceCount } from '../../../replies.ts';
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

/** Adds a variant, with the first letter that no other variant has as its name. The first two are added together. */
export function withNewVariant(notification: JsonObject): JsonObject {
  const variants = [...variantsOf(notification)];
  do {
    const taken = new Set(variants.map(({ name }) => String(name).toUpperCase()));
    variants.push({ name: 'ABCDEFGHI'.split('').find((letter) => !taken.has(letter)) ?? '', weight: 1 });
  } while (variants.length < VARIANTS_MIN);
  return { ...notification, variants };
}

export function withoutVariant(notification: JsonObject, index: number): JsonObject {
  return { ...notification, variants: variantsOf(notification).toSpliced(index, 1) };
}

/** The notification without its test: everyone gets the content that all variants share. */
export function withoutTest(notification: JsonObject): JsonObject {
  const members = ['variants', 'hold_out', 'experiment'];
  return members.reduce((left, name) => withMember(left, name, undefined), notification);
}

/** The share of the audience that each variant gets, and the share of the hold-out; undefined if a weight is not a number yet. */
export function sharesOf(notification: JsonObject): { ofVariants: (number | undefined)[]; holdOut: number } {
  const weights = variantsOf(notification).map(({ weight }) =>
    typeof weight === 'number' && weight > 0 ? weight : undefined,
  );
  const { hold_out: share } = notification;
  const holdOut = typeof share === 'number' && share > 0 && share < 1 ? share : 0;
  const sum = weights.reduce<number>((total, weight = 0) => total + weight, 0);
  const isKnown = !weights.includes(undefined);
  const ofVariants = weights.map((weight) =>
    weight && isKnown ? ((1 - holdOut) * weight) / sum : undefined,
  );
  return { ofVariants, holdOut };
}

export interface Reach {
  /** The devices that it is sent to: with a hold-out an estimate, because the hash of the user decides. */
  devices: number;
  isEstimate: boolean;
  withoutToken: number;
  heldOut: number;
}

/** How many devices a notification reaches, out of those that its recipients are. */
export function reachOf(
  notification: JsonObject,
  { device_count: all, reachable_count: reachable }: DeviceCount,
): Reach {
  const heldOut = Math.round(sharesOf(notification).holdOut * reachable);
  return { devices: reachable - heldOut, isEstimate: heldOut > 0, withoutToken: all - reachable, heldOut };
}

/** @returns the count and a tenth, because audiences grow until a notification is sent; at least one more */
export function proposedLimit(devices: number): number {
  return devices + Math.max(1, Math.ceil(devices / 10));
}
