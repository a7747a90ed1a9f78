/** Helpers for the values of a record. */

declare global {
  /** In Node since 22, not yet in TypeScript's library. */
  interface JSON {
    isRawJSON(value: unknown): value is { readonly rawJSON: string };
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value);
}

/**
 * @returns the text of a number, also of a number that the parser kept as raw JSON with all its digits; undefined for
 *   other values
 */
export function numberText(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return JSON.isRawJSON(value) ? value.rawJSON : undefined;
}

/** The path of a field for a report: `Location.City`; an empty name is shown as `""`. */
export function fieldPath(parent: string, name: string): string {
  const shown = name === '' ? '""' : name;
  return parent === '' ? shown : `${parent}.${shown}`;
}
