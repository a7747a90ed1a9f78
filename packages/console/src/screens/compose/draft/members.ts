/** The members of JSON objects, and the fields of a form that show them. */
import { isObject } from '../../../filter-builder/language.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

/** @returns a copy with the member set, in its place; undefined removes it */
export function withMember(object: JsonObject, name: string, value: unknown): JsonObject {
  if (value !== undefined) return { ...object, [name]: value };
  return Object.fromEntries(Object.entries(object).filter(([key]) => key !== name));
}

/** @param path as in a fault of the API: `quiet_hours.from`, `variants[1].name` */
export function valueAt(value: unknown, path: string): unknown {
  if (path === '') return value;
  const [whole, index] = indexIn(path);
  if (index !== undefined)
    return Array.isArray(value) ? valueAt(value[index], path.slice(whole.length)) : undefined;
  if (!isObject(value)) return undefined;
  const key = keyIn(value, path);
  return valueAt(value[key], restAfter(path, key));
}

/** @returns a copy with another value at a path; undefined removes it */
export function withAt(value: unknown, path: string, next: unknown): unknown {
  if (path === '') return next;
  const [whole, index] = indexIn(path);
  if (Array.isArray(value)) {
    return value.flatMap((item, other) => {
      const changed = other === index ? withAt(item, path.slice(whole.length), next) : item;
      return changed === undefined ? [] : [changed];
    });
  }
  const object = isObject(value) ? value : {};
  const key = keyIn(object, path);
  return withMember(object, key, withAt(object[key], restAfter(path, key), next));
}

function indexIn(path: string): [whole: string, index: number | undefined] {
  const [whole = '', index] = /^\[(\d+)\]\.?/.exec(path) ?? [];
  return [whole, index === undefined ? undefined : Number(index)];
}

/** The keys of apps can have dots in them, which paths do not mark. */
function keyIn(object: JsonObject, path: string): string {
  const keys = Object.keys(object).filter(
    (key) => path.startsWith(key) && /^(?:[.[]|$)/.test(path.slice(key.length)),
  );
  return keys.sort((one, other) => other.length - one.length)[0] ?? /^[^.[]*/.exec(path)?.[0] ?? '';
}

function restAfter(path: string, key: string): string {
  return path.slice(key.length).replace(/^\./, '');
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
