/** Exact decimals: JSON numbers that were not rounded to a double. A double cannot compare 64-bit integers correctly. */

import { digitsAndExponent } from '../json/lossless.ts';

/** The number `unscaled / 10 ** scale` in lowest terms, so that equal numbers have equal fields. */
export interface Decimal {
  readonly unscaled: bigint;
  readonly scale: number;
}

/** Enough for every double and int64; prevents `1e999999999` from becoming a gigabyte of digits. */
const DIGITS_MAX = 400;

/**
 * @param text a JSON number from `numberText`
 * @returns undefined if the text is not a number, has more than 400 significant digits, or its exponent is beyond ±400
 */
export function parseDecimal(text: string): Decimal | undefined {
  const parts = digitsAndExponent(text);
  if (parts === undefined) return undefined;
  const { digits, exponent } = parts;
  if (digits.replace('-', '').length > DIGITS_MAX || Math.abs(exponent) > DIGITS_MAX) return undefined;
  const unscaled = BigInt(digits);
  return exponent > 0
    ? { unscaled: unscaled * 10n ** BigInt(exponent), scale: 0 }
    : { unscaled, scale: Math.abs(exponent) };
}

/** @returns plain notation without an exponent; equal numbers have equal texts */
export function decimalText(decimal: Decimal): string {
  if (decimal.scale === 0) return String(decimal.unscaled);
  const sign = decimal.unscaled < 0n ? '-' : '';
  const digits = String(decimal.unscaled)
    .replace('-', '')
    .padStart(decimal.scale + 1, '0');
  return `${sign}${digits.slice(0, -decimal.scale)}.${digits.slice(-decimal.scale)}`;
}

/** A comparator for `Array.sort`. */
export function compareDecimals(left: Decimal, right: Decimal): number {
  const scale = Math.max(left.scale, right.scale);
  const a = left.unscaled * 10n ** BigInt(scale - left.scale);
  const b = right.unscaled * 10n ** BigInt(scale - right.scale);
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
