/** Exact decimals: JSON numbers before a double rounds them. Only these compare 64-bit integers correctly. */

import { decimalParts } from '../json/lossless.ts';

/** The number `unscaled / 10 ** scale` in lowest terms, so that equal numbers have equal fields. */
export interface Decimal {
  readonly unscaled: bigint;
  readonly scale: number;
}

/** Enough for every double and int64; prevents a short text like `1e999999999` from becoming a gigabyte of digits. */
const DIGITS_MAX = 400;

/**
 * @param text a JSON number, `numberText`'s result
 * @returns undefined where the text is not a number, has more than 400 significant digits or is beyond 1e±400
 */
export function parseDecimal(text: string): Decimal | undefined {
  const parts = decimalParts(text);
  if (parts === undefined) return undefined;
  const { digits, exponent } = parts;
  if (digits.replace('-', '').length > DIGITS_MAX || Math.abs(exponent) > DIGITS_MAX) return undefined;
  const unscaled = BigInt(digits);
  return exponent > 0
    ? { unscaled: unscaled * 10n ** BigInt(exponent), scale: 0 }
    : { unscaled, scale: Math.abs(exponent) };
}

/** Plain notation without an exponent; equal numbers have equal texts. */
export function decimalText(decimal: Decimal): string {
  if (decimal.scale === 0) return String(decimal.unscaled);
  const sign = decimal.unscaled < 0n ? '-' : '';
  const digits = String(decimal.unscaled)
    .replace('-', '')
    .padStart(decimal.scale + 1, '0');
  return `${sign}${digits.slice(0, -decimal.scale)}.${digits.slice(-decimal.scale)}`;
}

/** Negative, zero or positive, as a comparator of `Array.sort` returns. */
export function compareDecimals(left: Decimal, right: Decimal): number {
  const scale = Math.max(left.scale, right.scale);
  const a = left.unscaled * 10n ** BigInt(scale - left.scale);
  const b = right.unscaled * 10n ** BigInt(scale - right.scale);
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
