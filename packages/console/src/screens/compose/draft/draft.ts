/**
 * The notification that is being written. Its JSON text is the truth; the form shows it and changes it.
 *
 * It is kept in the session storage of the tab, so a reload loses nothing and closing the tab ends it. It is not in the address:
 * addresses end up in the logs of servers and proxies and in the browser's history, where payloads must not be.
 */
import { signal } from '@preact/signals';
import { isObject } from '../../../filter-builder/language.ts';
import { parseExact } from '../../../frame/api.ts';
import { app, session } from '../../../frame/session.ts';
import type { JsonObject } from './members.ts';

export interface Draft {
  text: string;
  /** The `Idempotency-Key` of this text, so a second click, or one after a reload, sends nothing. */
  sendKey: string;
  /** Whether the writer wants no limit of recipients; then no limit is proposed. */
  isUnlimited: boolean;
}

export const EMPTY_TEXT = textFrom({ payload: {} });

export const draft = signal<Draft>(newDraft(EMPTY_TEXT));
/**
 * The text before something was lost, which can be brought back: a section that was removed just now, with its name, until the next
 * change; or the whole draft, when it was replaced.
 */
export const lost = signal<{ text: string; name?: string } | undefined>(undefined);

let keptUnder: string | undefined;

/** Reads the draft of this user and app. Call it before the screen is shown. */
export function openDraft(): void {
  const name = `carillon.compose ${session.value?.user.id ?? ''} ${app.value?.id ?? ''}`;
  if (name === keptUnder) return;
  keptUnder = name;
  lost.value = undefined;
  draft.value = stored(name) ?? newDraft(EMPTY_TEXT);
}

/** @returns the written notification; undefined while its text is not JSON */
export function written(): JsonObject | undefined {
  return readNotification(draft.value.text).notification;
}

export function change(notification: JsonObject): void {
  changeText(textFrom(notification));
}

/** Removes a section of the notification, which can be restored until the next change. @param name the name of the section */
export function remove(notification: JsonObject, name: string): void {
  const { text } = draft.value;
  change(notification);
  lost.value = { text, name };
}

export function changeText(text: string): void {
  if (lost.value?.name !== undefined) lost.value = undefined;
  if (text !== draft.value.text) keep({ ...draft.value, text, sendKey: newKey() });
}

/** Begins with another notification. The present one can be restored if it has any content. */
export function replaceText(text: string): void {
  lost.value = draft.value.text === EMPTY_TEXT ? undefined : { text: draft.value.text };
  keep(newDraft(text));
}

export function restore(): void {
  if (lost.value !== undefined) keep(newDraft(lost.value.text));
  lost.value = undefined;
}

export function setUnlimited(isUnlimited: boolean): void {
  keep({ ...draft.value, isUnlimited });
}

export function clearDraft(): void {
  lost.value = undefined;
  keep(newDraft(EMPTY_TEXT));
}

/** 128 random bits, in hex. `crypto.randomUUID` is missing on pages without TLS. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function newDraft(text: string): Draft {
  return { text, sendKey: newKey(), isUnlimited: false };
}

function keep(changed: Draft): void {
  draft.value = changed;
  if (keptUnder === undefined) return;
  try {
    if (changed.text === EMPTY_TEXT) sessionStorage.removeItem(keptUnder);
    else sessionStorage.setItem(keptUnder, JSON.stringify(changed));
  } catch {
    // The storage is full or switched off; then the draft lives as long as the page.
  }
}

function stored(name: string): Draft | undefined {
  try {
    const kept: Partial<Draft> = JSON.parse(sessionStorage.getItem(name) ?? '{}');
    const { text, sendKey, isUnlimited } = kept;
    if (typeof text !== 'string' || typeof sendKey !== 'string') return undefined;
    return { text, sendKey, isUnlimited: isUnlimited === true };
  } catch {
    return undefined;
  }
}

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
