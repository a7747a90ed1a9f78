/**
 * The variant of a device is stored with the reason of its outcome, as one text. So an outcome of an A/B test takes no more
 * room than any other, and the tally of a slice counts by variant (docs/decisions/0030-ab-variants.md).
 */

/** Between the reason and the variant. Neither has control characters: gateways' reasons are words, and ours are too. */
export const VARIANT_SEPARATOR = '\u001f';

export interface ReasonAndVariant {
  reason: string | null;
  /** A variant, or `HOLD_OUT`; undefined if the notification is no A/B test, or the device was left out before it had one. */
  variant: string | undefined;
}

/** @returns the text that is stored; null if there is neither a reason nor a variant */
export function withVariant(reason: string | null, variant: string | undefined): string | null {
  return variant === undefined ? reason : `${reason ?? ''}${VARIANT_SEPARATOR}${variant}`;
}

/** @param stored as it was stored; '' and null stand for neither */
export function splitReason(stored: string | null): ReasonAndVariant {
  if (stored === null) return { reason: null, variant: undefined };
  const at = stored.lastIndexOf(VARIANT_SEPARATOR);
  if (at === -1) return { reason: stored === '' ? null : stored, variant: undefined };
  return { reason: at === 0 ? null : stored.slice(0, at), variant: stored.slice(at + 1) };
}
