/**
 * The optional key `sensitive` of a notification: which keys of its payloads nobody reads again. All replies are made from the
 * body that `redacted` returns; what is sent is stored apart (`stored-body.ts`).
 */
import { z } from 'zod';
import type { FaultDetail } from '../../api/errors.ts';
import { isJsonObject } from '../../api/parse.ts';
import { memberPath } from '../../json/lossless.ts';
import { payloadSchema } from '../payload.ts';

/** Stands in replies for every hidden text or value, so that its length is not known either. */
const HIDDEN = '[hidden]';

const KEYS_MAX = 50;
const rule = `must be true, false, or a list of 1 to ${KEYS_MAX} keys of the payload`;

export const sensitiveField = z
  .union([z.boolean(), z.array(z.string(rule), rule).min(1, rule).max(KEYS_MAX, rule)], rule)
  .describe(
    `Texts that nobody reads again, such as one-time codes: replies, searches and exports have \`${HIDDEN}\` in their place. ` +
      '`true` hides all texts and custom keys of the payload, of its translations and variants; a list of keys hides those. ' +
      'The texts are stored encrypted, and deleted as soon as the notification has ended.',
  );

export type Sensitive = z.output<typeof sensitiveField>;

/** The keys of Carillon's own that can be hidden. The others are names, numbers and flags, which say how a push is shown. */
const TEXTS: ReadonlySet<string> = new Set(['alert', 'title', 'subtitle', 'image']);
const LISTS: ReadonlySet<string> = new Set(['loc_args', 'title_loc_args', 'subtitle_loc_args']);

function canBeHidden(key: string): boolean {
  return TEXTS.has(key) || LISTS.has(key) || !Object.hasOwn(payloadSchema.shape, key);
}

export function hidesSome(sensitive: Sensitive | undefined): sensitive is true | string[] {
  return sensitive !== undefined && sensitive !== false;
}

export function sensitiveFaults(
  sensitive: Sensitive | undefined,
  notification: Readonly<Record<string, unknown>>,
): FaultDetail[] {
  if (!hidesSome(sensitive)) return [];
  const payloads = payloadsOf(notification);
  return [
    ...(sensitive === true ? [] : keyFaults(sensitive, payloads)),
    ...payloads.flatMap((payload) => copiedFaults(sensitive, payload)),
  ];
}

/** A key that is misspelt would leave a text readable. */
function keyFaults(keys: readonly string[], payloads: readonly Keys[]): FaultDetail[] {
  return keys.flatMap((key, index) => {
    const path = `notification.sensitive[${index}]`;
    if (!canBeHidden(key)) {
      const texts = [...TEXTS, ...LISTS].join(', ');
      return [{ path, message: `cannot be hidden: only ${texts} and custom keys can` }];
    }
    const isUsed = payloads.some(({ keys: used }) => Object.hasOwn(used, key));
    return isUsed ? [] : [{ path, message: 'is not a key of the payload' }];
  });
}

/** The notification was copied from a reply: sent like this, phones would show the mark. */
function copiedFaults(sensitive: true | readonly string[], { path, keys }: Keys): FaultDetail[] {
  return Object.entries(keys)
    .filter(([key, value]) => isHidden(sensitive, key) && isMark(value))
    .map(([key]) => ({
      path: memberPath(path, key),
      message: 'is the mark of a hidden text: write the text again',
    }));
}

function isMark(value: unknown): boolean {
  return value === HIDDEN || (Array.isArray(value) && value.length === 1 && value[0] === HIDDEN);
}

function isHidden(sensitive: true | readonly string[], key: string): boolean {
  return sensitive === true ? canBeHidden(key) : sensitive.includes(key);
}

/** Keys of a payload, or of a translation or variant of it, and where they were submitted. */
interface Keys {
  path: string;
  keys: Readonly<Record<string, unknown>>;
}

function payloadsOf(notification: Readonly<Record<string, unknown>>): Keys[] {
  const found: Keys[] = [];
  mapPayloads(notification, 'notification', (keys, path) => {
    found.push({ keys, path });
    return keys;
  });
  return found;
}

/** @returns the notification with the mark in place of each hidden value. A null stays, which removes a key */
export function redacted(
  sensitive: true | readonly string[],
  notification: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return mapPayloads(notification, '', (keys) => {
    const values = Object.entries(keys).map(([key, value]) => {
      if (value === null || !isHidden(sensitive, key)) return [key, value];
      return [key, LISTS.has(key) ? [HIDDEN] : HIDDEN];
    });
    return Object.fromEntries(values);
  });
}

type Change = (keys: Readonly<Record<string, unknown>>, path: string) => Readonly<Record<string, unknown>>;

/** Changes all keys of payloads in a notification, in its translations and variants as well. */
function mapPayloads(
  owner: Readonly<Record<string, unknown>>,
  path: string,
  change: Change,
): Record<string, unknown> {
  const entries = Object.entries(owner).map(([key, value]): [string, unknown] => {
    if (key === 'payload' && isJsonObject(value)) return [key, change(value, `${path}.payload`)];
    if (key === 'localized' && isJsonObject(value)) {
      const translations = Object.entries(value).map(([tag, keys]): [string, unknown] => [
        tag,
        isJsonObject(keys) ? change(keys, memberPath(`${path}.localized`, tag)) : keys,
      ]);
      return [key, Object.fromEntries(translations)];
    }
    if (key === 'variants' && Array.isArray(value)) {
      const variants = value.map((variant: unknown, index) =>
        isJsonObject(variant) ? mapPayloads(variant, `${path}.variants[${index}]`, change) : variant,
      );
      return [key, variants];
    }
    return [key, value];
  });
  return Object.fromEntries(entries);
}
