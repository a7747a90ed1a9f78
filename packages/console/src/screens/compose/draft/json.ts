/** The text of a notification, read without losing what the form does not know. */
import { isObject } from '../../../filter-builder/language.ts';
import { parseExact } from '../../../frame/api.ts';
import type { JsonObject } from './members.ts';

/** Reads a notification, or the whole body of a create request, from its text. */
export function readNotification(text: string): { notification?: JsonObject; fault?: string } {
  let value: unknown;
  try {
    value = parseExact(text);
  } catch (error) {
    return { fault: error instanceof Error ? error.message : 'It is not JSON.' };
  }
  if (!isObject(value)) return { fault: 'It must be an object: { "to": …, "payload": … }' };
  return { notification: isWhole(value) ? value.notification : value };
}

/** @returns the body of a create request with the text as it is, so the server reads exactly what was written */
export function bodyFrom(text: string): string {
  return isWhole(parseExact(text)) ? text : `{"notification":${text}}`;
}

export function textFrom(notification: JsonObject): string {
  return JSON.stringify(notification, null, 2);
}

function isWhole(value: unknown): value is { notification: JsonObject } {
  return isObject(value) && Object.keys(value).length === 1 && isObject(value['notification']);
}
