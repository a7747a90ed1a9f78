/**
 * The sections of the content: `payload`, which everyone gets, and the keys that differ in a language, in a variant of an A/B
 * test, or in both. What a section leaves out comes from another one, by the rules of docs/content.md and docs/variants.md.
 */
import { isObject } from '../../../filter-builder/language.ts';
import { languageName } from '../../../kit/format.ts';
import { type JsonObject, withMember } from './members.ts';
import { canonicalTag, translationsFor } from './languages.ts';
import { variantName, variantsOf, withoutTest } from './variants.ts';

export interface Section {
  /** The position in `variants`; undefined: the content that all variants share. */
  variant: number | undefined;
  /** A tag of `languagesOf`; undefined: the default. */
  language: string | undefined;
}

export const DEFAULT: Section = { variant: undefined, language: undefined };

export function isSameSection(one: Section, other: Section): boolean {
  return one.variant === other.variant && one.language === other.language;
}

/** 'the default', 'French', 'variant B', 'French of variant B' */
export function sectionWords(notification: JsonObject, { variant, language }: Section): string {
  const tongue = language === undefined ? undefined : languageName(language);
  if (variant === undefined) {
    return tongue ?? (variantsOf(notification).length > 0 ? 'all variants' : 'the default');
  }
  const name = `variant ${variantName(notification, variant).replace(/^variant /, '')}`;
  return tongue === undefined ? name : `${tongue} of ${name}`;
}

/** The languages of the notification and of its variants: canonical tags; a text that is no tag is returned unchanged. */
export function languagesOf(notification: JsonObject): readonly string[] {
  const keys = [notification, ...variantsOf(notification)].flatMap((owner) =>
    Object.keys(memberOf(owner, 'localized')),
  );
  return [...new Set(keys.map(nameOf))];
}

/** Whether nobody has written anything yet: such a form is not marked as faulty. */
export function isUnwritten(notification: JsonObject): boolean {
  const others = languagesOf(notification).length + variantsOf(notification).length;
  return others === 0 && Object.keys(valuesOf(notification, DEFAULT)).length === 0;
}

/** The keys that the section has itself. */
export function valuesOf(notification: JsonObject, { variant, language }: Section): JsonObject {
  const owner = ownerOf(notification, variant);
  if (language === undefined) return memberOf(owner, 'payload');
  const localized = memberOf(owner, 'localized');
  return memberOf(localized, keyIn(localized, language));
}

/** What a device gets for a key that the section leaves out; undefined if it gets nothing. */
export function inherited(
  notification: JsonObject,
  section: Section,
  key: string,
): { value: unknown; from: Section } | undefined {
  const from = sectionsBehind(section).find((one) => Object.hasOwn(valuesOf(notification, one), key));
  const value = from && valuesOf(notification, from)[key];
  return from === undefined || value === null ? undefined : { value, from };
}

/** The sections from which a section takes what it leaves out, best first. */
function sectionsBehind({ variant, language }: Section): readonly Section[] {
  const variants = variant === undefined ? [undefined] : [variant, undefined];
  const languages = language === undefined ? [undefined] : [...translationsFor(language), undefined];
  return languages
    .flatMap((tag) => variants.map((index) => ({ variant: index, language: tag })))
    .filter((other) => !isSameSection(other, { variant, language }));
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
    const kept = isEmpty && variant !== undefined ? undefined : values;
    return withOwner(notification, variant, (owner) => withMember(owner, 'payload', kept));
  }
  // A language that no other section has keeps its place without keys, until it is removed.
  const shared = memberOf(notification, 'localized');
  const isElsewhere = variant !== undefined && Object.hasOwn(shared, keyIn(shared, language));
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
  const sections = [undefined, ...variantsOf(notification).keys()].flatMap((variant) =>
    Object.entries(memberOf(ownerOf(notification, variant), 'localized'))
      .filter(([, values]) => isObject(values) && Object.keys(values).length === 0)
      .map(([key]) => ({ variant, language: nameOf(key) })),
  );
  return sections.map((section) => {
    const path = pathIn(notification, section, '').slice(0, -1);
    return { path: `notification.${path}`, language: section.language, section };
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
  section: Section,
  values: JsonObject | undefined,
): JsonObject {
  const { variant, language = '' } = section;
  return withOwner(notification, variant, (owner) => {
    const localized = memberOf(owner, 'localized');
    const changed = withMember(localized, keyIn(localized, language), values);
    return withMember(owner, 'localized', Object.keys(changed).length === 0 ? undefined : changed);
  });
}

/** The notification without its test: everyone gets the content of that variant. */
export function withOnlyVariant(notification: JsonObject, variant: number): JsonObject {
  const merged = (language: string | undefined): JsonObject => ({
    ...valuesOf(notification, { variant: undefined, language }),
    ...valuesOf(notification, { variant, language }),
  });
  const payload = Object.entries(merged(undefined)).filter(([, value]) => value !== null);
  const localized = languagesOf(notification)
    .map((language) => [language, merged(language)] as const)
    .filter(([, values]) => Object.keys(values).length > 0);
  const all = localized.length === 0 ? undefined : Object.fromEntries(localized);
  return withMember({ ...withoutTest(notification), payload: Object.fromEntries(payload) }, 'localized', all);
}

/** The path of a key of the section in a fault of the API, without `notification.`: `variants[1].localized.fr.title`. */
export function pathIn(notification: JsonObject, { variant, language }: Section, key: string): string {
  const owner = variant === undefined ? '' : `variants[${variant}].`;
  if (language === undefined) return `${owner}payload.${key}`;
  return `${owner}localized.${keyIn(memberOf(ownerOf(notification, variant), 'localized'), language)}.${key}`;
}

const PATH = /^notification\.(?:variants\[(\d+)\]\.)?(?:payload|localized\.([^.]+))(?:\.|$)/;

/** @returns the section that a fault of the API is about; undefined if it is about none */
export function sectionAt(path: string): Section | undefined {
  const [whole, variant, key] = PATH.exec(path) ?? [];
  return whole === undefined
    ? undefined
    : { variant: variant ? Number(variant) : undefined, language: key && nameOf(key) };
}

function ownerOf(notification: JsonObject, variant: number | undefined): JsonObject {
  return variant === undefined ? notification : (variantsOf(notification)[variant] ?? {});
}

function withOwner(
  notification: JsonObject,
  variant: number | undefined,
  changed: (owner: JsonObject) => JsonObject,
): JsonObject {
  const variants = variantsOf(notification);
  if (variant === undefined) return changed(notification);
  const owner = variants[variant];
  return owner === undefined
    ? notification
    : { ...notification, variants: variants.with(variant, changed(owner)) };
}

function memberOf(object: JsonObject, name: string): JsonObject {
  const value = object[name];
  return isObject(value) ? value : {};
}

function nameOf(key: string): string {
  return canonicalTag(key) ?? key;
}

/** The key as it is written: `fr_CA` for the language `fr-CA`. */
function keyIn(localized: JsonObject, language: string): string {
  return Object.keys(localized).find((key) => nameOf(key) === language) ?? language;
}
