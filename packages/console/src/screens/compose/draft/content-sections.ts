/**
 * The sections of the content: `payload`, which everyone gets, and the keys that differ in a language, in a variant of an A/B
 * test, or in both. What a section leaves out comes from another one, by the rules of docs/content.md and docs/variants.md.
 */
import { isObject } from '../../../filter-builder/language.ts';
import { type JsonObject, withMember } from './members.ts';
import { canonicalTag, translationsFor } from './languages.ts';
import { variantsOf, withoutTest, withVariant } from './variants.ts';

export interface Section {
  /** The position in `variants`; undefined: the content that all variants share. */
  variant: number | undefined;
  /** A tag of `languagesOf`; undefined: the default. */
  language: string | undefined;
}

export const DEFAULT: Section = { variant: undefined, language: undefined };

/**
 * The languages of the notification and of its variants: canonical tags; a text that is no tag is returned unchanged.
 */
export function languagesOf(notification: JsonObject): readonly string[] {
  const keys = [notification, ...variantsOf(notification)].flatMap((owner) =>
    Object.keys(memberOf(owner, 'localized')),
  );
  return [...new Set(keys.map(nameOf))];
}

/** The keys that the section has itself. */
export function valuesOf(notification: JsonObject, section: Section): JsonObject {
  const owner = ownerOf(notification, section);
  const { language } = section;
  if (language === undefined) return memberOf(owner, 'payload');
  const localized = memberOf(owner, 'localized');
  return memberOf(localized, keyIn(localized, language));
}

export interface Inherited {
  value: unknown;
  from: Section;
}

/** What a device gets for a key that the section leaves out; undefined if it gets nothing. */
export function inherited(notification: JsonObject, section: Section, key: string): Inherited | undefined {
  const found = sectionsBehind(section)
    .map((from) => ({ values: valuesOf(notification, from), from }))
    .find(({ values }) => Object.hasOwn(values, key));
  const value = found?.values[key];
  return found === undefined || value === null ? undefined : { value, from: found.from };
}

/** The sections from which a section takes what it leaves out, best first. */
function sectionsBehind({ variant, language }: Section): readonly Section[] {
  const variants = variant === undefined ? [undefined] : [variant, undefined];
  const languages = language === undefined ? [undefined] : [...translationsFor(language), undefined];
  return languages
    .flatMap((tag) => variants.map((index) => ({ variant: index, language: tag })))
    .filter((other) => other.variant !== variant || other.language !== language);
}

/** @param value undefined leaves the key out, null removes the value of other sections */
export function withValue(
  notification: JsonObject,
  section: Section,
  key: string,
  value: unknown,
): JsonObject {
  const { variant, language } = section;
  const values = withMember(valuesOf(notification, section), key, value);
  const isEmpty = Object.keys(values).length === 0;
  if (language === undefined) {
    const isLeftOut = isEmpty && variant !== undefined;
    return withOwner(notification, variant, (owner) =>
      withMember(owner, 'payload', isLeftOut ? undefined : values),
    );
  }
  // A language that no other section has keeps its place without keys, until it is removed.
  const isElsewhere = variant !== undefined && hasLanguage(memberOf(notification, 'localized'), language);
  return withTranslation(notification, section, isEmpty && isElsewhere ? undefined : values);
}

/** Adds a language without texts to what all variants have, or to one variant. */
export function withLanguage(notification: JsonObject, section: Section): JsonObject {
  return withTranslation(notification, section, valuesOf(notification, section));
}

/** Removes a language from one variant, or from the whole notification. */
export function withoutLanguage(notification: JsonObject, section: Section): JsonObject {
  const removed = withTranslation(notification, section, undefined);
  if (section.variant !== undefined) return removed;
  return variantsOf(notification).reduce<JsonObject>(
    (left, _, variant) => withTranslation(left, { ...section, variant }, undefined),
    removed,
  );
}

/** The languages that were added and have no key yet, with their paths: creation would refuse them. */
export function emptyLanguages(
  notification: JsonObject,
): { path: string; language: string; section: Section }[] {
  const owners = [undefined, ...variantsOf(notification).keys()];
  return owners.flatMap((variant) => {
    const localized = memberOf(ownerOf(notification, { variant, language: undefined }), 'localized');
    return Object.entries(localized).flatMap(([key, values]) => {
      if (!isObject(values) || Object.keys(values).length > 0) return [];
      const section = { variant, language: nameOf(key) };
      return [
        {
          path: `notification.${pathIn(notification, section, '').slice(0, -1)}`,
          language: nameOf(key),
          section,
        },
      ];
    });
  });
}

/** What can be compiled while a language has no key yet: its devices get what they would get without it. */
export function withoutEmptyLanguages(notification: JsonObject): JsonObject {
  return emptyLanguages(notification).reduce(
    (left, { section }) => withTranslation(left, section, undefined),
    notification,
  );
}

function withTranslation(
  notification: JsonObject,
  { variant, language = '' }: Section,
  values: JsonObject | undefined,
): JsonObject {
  return withOwner(notification, variant, (owner) => {
    const localized = memberOf(owner, 'localized');
    const changed = withMember(localized, keyIn(localized, language), values);
    return withMember(owner, 'localized', Object.keys(changed).length === 0 ? undefined : changed);
  });
}

/** The notification without its test: everyone gets the content of that variant. */
export function withOnlyVariant(notification: JsonObject, variant: number): JsonObject {
  const own = valuesOf(notification, { variant, language: undefined });
  const payload = Object.fromEntries(
    Object.entries({ ...valuesOf(notification, DEFAULT), ...own }).filter(([key]) => own[key] !== null),
  );
  const localized = languagesOf(notification).flatMap((language) => {
    const values = {
      ...valuesOf(notification, { variant: undefined, language }),
      ...valuesOf(notification, { variant, language }),
    };
    return Object.keys(values).length === 0 ? [] : [[language, values] as const];
  });
  const all = localized.length === 0 ? undefined : Object.fromEntries(localized);
  return withMember({ ...withoutTest(notification), payload }, 'localized', all);
}

/** The path of a key of the section in a fault of the API, without `notification.`: `variants[1].localized.fr.title`. */
export function pathIn(notification: JsonObject, section: Section, key: string): string {
  const { variant, language } = section;
  const owner = variant === undefined ? '' : `variants[${variant}].`;
  if (language === undefined) return `${owner}payload.${key}`;
  return `${owner}localized.${keyIn(memberOf(ownerOf(notification, section), 'localized'), language)}.${key}`;
}

const PATH = /^notification\.(?:variants\[(\d+)\]\.)?(?:payload|localized\.([^.]+))(?:\.|$)/;

/** @returns the section that a fault of the API is about; undefined if it is about none */
export function sectionAt(path: string): Section | undefined {
  const match = PATH.exec(path);
  if (match === null) return undefined;
  const [, variant, key] = match;
  return {
    variant: variant === undefined ? undefined : Number(variant),
    language: key === undefined ? undefined : nameOf(key),
  };
}

export function isSameSection(one: Section, other: Section): boolean {
  return one.variant === other.variant && one.language === other.language;
}

function ownerOf(notification: JsonObject, { variant }: Section): JsonObject {
  return variant === undefined ? notification : (variantsOf(notification)[variant] ?? {});
}

function withOwner(
  notification: JsonObject,
  variant: number | undefined,
  changed: (owner: JsonObject) => JsonObject,
): JsonObject {
  return variant === undefined ? changed(notification) : withVariant(notification, variant, changed);
}

function memberOf(object: JsonObject, name: string): JsonObject {
  const value = object[name];
  return isObject(value) ? value : {};
}

function nameOf(key: string): string {
  return canonicalTag(key) ?? key;
}

function hasLanguage(localized: JsonObject, language: string): boolean {
  return Object.hasOwn(localized, keyIn(localized, language));
}

/** The key as it is written: `fr_CA` for the language `fr-CA`. */
function keyIn(localized: JsonObject, language: string): string {
  return Object.keys(localized).find((key) => nameOf(key) === language) ?? language;
}
