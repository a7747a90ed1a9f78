/**
 * Translations of a payload: per locale, the keys that differ from `payload`. Each key is looked up on its own, from
 * the device's locale to its language to `payload`, so `fr-CA` need not repeat the keys of `fr`.
 */
import { z } from 'zod';
import type { FaultDetail } from '../../api/errors.ts';
import type { Payload } from '../../gateways/payload.ts';
import { memberPath } from '../../json/lossless.ts';
import { changesSchema, reservedKeyFaults, wholePayloadFaults } from '../payload.ts';
import { canonicalTag, LANGUAGE_TAG, tagsFor } from './locales.ts';

/** Each locale is compiled and measured at creation. */
const LOCALES_MAX = 100;

const tagRule = 'has a name that is not a language tag such as fr, fr-CA or zh-Hant';

export const localizedSchema = z
  .record(z.string(), changesSchema.meta({ minProperties: 1 }), 'must be an object of locales')
  .superRefine((locales, context) => {
    const tags = Object.keys(locales);
    if (tags.length === 0) context.addIssue('must have at least one locale');
    // Checking a tag takes 10 µs, so too many of them are not checked.
    if (tags.length > LOCALES_MAX) return context.addIssue(`must have at most ${LOCALES_MAX} locales`);
    for (const tag of tags) {
      if (canonicalTag(tag) === undefined)
        context.addIssue({ code: 'custom', path: [tag], message: tagRule });
    }
  })
  .meta({
    minProperties: 1,
    maxProperties: LOCALES_MAX,
    propertyNames: { pattern: LANGUAGE_TAG.source },
    description:
      'Translations by language tag (BCP 47): `fr`, `fr-CA`, `zh-Hant`; underscores and any case ' +
      'are accepted. A device gets each key from the best translation for its `locale`, otherwise ' +
      'from `payload`.',
  });

export type Localized = z.output<typeof localizedSchema>;

/**
 * @returns every payload that a device can get, except `payload`, with its canonical tag and the key as it
 *   was submitted
 */
export function translationsOf(payload: Payload, localized: Localized) {
  const byTag = new Map(
    Object.entries(localized).flatMap(([key, changed]) => {
      const locale = canonicalTag(key);
      return locale === undefined ? [] : [[locale, { key, changed }] as const];
    }),
  );
  return [...byTag].map(([locale, { key }]) => {
    let merged = payload;
    for (const tag of tagsFor(locale).toReversed()) merged = changedBy(merged, byTag.get(tag)?.changed);
    return { locale, key, payload: merged };
  });
}

/** @param changes null removes a key */
export function changedBy(payload: Payload, changes: Readonly<Record<string, unknown>> | undefined): Payload {
  if (changes === undefined) return payload;
  const merged = { ...payload, ...changes };
  return Object.fromEntries(Object.entries(merged).filter(([key]) => changes[key] !== null));
}

/** @param path of `localized`, such as `notification.localized`; a fault's path adds the locale as it was submitted */
export function localizedFaults(payload: Payload, localized: Localized, path: string): FaultDetail[] {
  const faults: FaultDetail[] = [];
  const seen = new Map<string, string>();
  for (const [key, changed] of Object.entries(localized)) {
    const at = memberPath(path, key);
    const tag = canonicalTag(key);
    const same = tag === undefined ? undefined : seen.get(tag);
    if (same !== undefined) faults.push({ path: at, message: `is the same locale as ${same}` });
    else if (tag !== undefined) seen.set(tag, key);
    if (Object.keys(changed).length === 0) faults.push({ path: at, message: 'must have at least one key' });
    faults.push(...reservedKeyFaults(changed, at));
  }
  if (faults.length > 0) return faults;
  return translationsOf(payload, localized).flatMap(({ key, payload: merged }) =>
    wholePayloadFaults(merged, memberPath(path, key)),
  );
}
