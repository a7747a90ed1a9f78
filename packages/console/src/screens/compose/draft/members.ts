/** The members of JSON objects, and the fields of a form that show them. */

export type JsonObject = Readonly<Record<string, unknown>>;

/** @returns a copy with the member set, in its place; undefined removes it */
export function withMember(object: JsonObject, name: string, value: unknown): JsonObject {
  if (value !== undefined) return { ...object, [name]: value };
  return Object.fromEntries(Object.entries(object).filter(([key]) => key !== name));
}

/** @returns the value as text for a field; '' if it is missing */
export function fieldText(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** @returns the number that a field holds; other text stays text, so that the server says what is wrong with it */
export function numberFrom(text: string): number | string | undefined {
  if (text.trim() === '') return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value : text;
}
