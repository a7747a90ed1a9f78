/**
 * Which group of an A/B test a device is in: one of the variants, or the hold-out. It is computed from ids alone, so it is
 * the same whenever and wherever it is asked, and nothing is stored for it (docs/decisions/0030-ab-variants.md).
 */
import { hash } from 'node:crypto';

/** The group of the devices to which nothing is sent. No variant may have this name. */
export const HOLD_OUT = 'hold_out';

export interface Groups {
  readonly variants: readonly { readonly name: string; readonly weight: number }[];
  /** The share of the audience that gets nothing: 0 to 1. */
  readonly holdOut: number;
}

/** The devices of a user are in the same group; a device without a user is on its own. */
export interface Subject {
  readonly deviceId: string;
  readonly userId: string | null;
}

/** How many hexadecimal digits of the hash are used: as many as a double holds. */
const HASH_DIGITS = 12;

/** @param seed the id of the notification, or the name of its experiment @returns 0 to 1, evenly distributed */
export function positionOf(seed: string, { deviceId, userId }: Subject): number {
  const subject = userId === null ? `device ${deviceId}` : `user ${userId}`;
  // Hashing text takes half the time of hashing a buffer.
  const digits = hash('sha256', `${seed} ${subject}`, 'hex').slice(0, HASH_DIGITS);
  return Number.parseInt(digits, 16) / 16 ** HASH_DIGITS;
}

/** @returns the name of a variant, or `HOLD_OUT`: the first positions are held out, the variants follow in order */
export function groupAt(position: number, { variants, holdOut }: Groups): string {
  if (position < holdOut) return HOLD_OUT;
  const total = variants.reduce((sum, { weight }) => sum + weight, 0);
  let left = ((position - holdOut) / (1 - holdOut)) * total;
  for (const { name, weight } of variants) {
    if (left < weight) return name;
    left -= weight;
  }
  // Rounding may leave a position at the very end.
  return variants.at(-1)?.name ?? HOLD_OUT;
}

/** @returns the share of the audience that each group is to have, the hold-out last if there is one */
export function sharesOf({ variants, holdOut }: Groups): { name: string; share: number }[] {
  const total = variants.reduce((sum, { weight }) => sum + weight, 0);
  const shares = variants.map(({ name, weight }) => ({ name, share: ((1 - holdOut) * weight) / total }));
  return holdOut > 0 ? [...shares, { name: HOLD_OUT, share: holdOut }] : shares;
}
