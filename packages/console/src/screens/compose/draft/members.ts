/** The members of JSON objects, and the fields of a form that show them. */
import { isObject } from '../../../filter-builder/language.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

/** @returns a copy with the member set, in its place; undefined removes it */
export function withMember(object: JsonObject, name: string, value: unknown): JsonObject {
  if (value !== undefined) return { ...object, [name]: value };
  return Object.fromEntries(Object.entries(object).filter(([key]) => key !== name));
}

/** @param path as in a fault of the API: `quiet_hours.from`, `variants[1].name` */
export function valueAt(object: JsonObject, path: string): unknown {
  let value: unknown = object;
  for (const key of path.split(/\]?[.[]/)) {
    if (Array.isArray(value)) value = value[Number(key)];
    else value = isObject(value) ? value[key] : undefined;
  }
  return value;
}

/** @returns a copy with another value at a path; undefined removes it */
export function withAt(value: unknown, path: string, next: unknown): unknown {
  if (path === '') return next;
  if (Array.isArray(value)) {
    const [whole = '', index] = /^\[(\d+)\]\.?/.exec(path) ?? [];
    return value.flatMap((item, other) => {
      const changed = other === Number(index) ? withAt(item, path.slice(whole.length), next) : item;
      return changed === undefined ? [] : [changed];
    });
  }
  const object = isObject(value) ? value : {};
  const key = keyIn(object, path);
  return withMember(object, key, withAt(object[key], path.slice(key.length).replace(/^\./, ''), next));
}

/** The keys of apps can have dots in them, which paths do not mark. */
function keyIn(object: JsonObject, path: string): string {
  const keys = Object.keys(object).filter(
    (key) => path.startsWith(key) && /^(?:[.[]|$)/.test(path.slice(key.length)),
  );
  return keys.sort((one, other) => other.length - one.length)[0] ?? /^[^.[]*/.exec(path)?.[0] ?? '';
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
