/**
 * Looks up the best of several translations for a device's locale: the look-up of RFC 4647 (section 3.4), which drops
 * the last subtag until something matches. Both sides are first brought into the canonical form of BCP 47: `iw_IL` from
 * an old Android becomes `he-IL`, and case and underscores do not matter.
 */
import { SCRIPTS } from '../../locale/stored-locale.ts';

/** Pairs of languages that phones send for each other and that readers of either understand. */
const KINDRED: Readonly<Record<string, string>> = { nb: 'nn', nn: 'nb', yue: 'zh' };

/** A language, and further subtags. Longer languages are reserved: `english` is a mistake. */
export const LANGUAGE_TAG = /^[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{1,8})*$/;

/** As long as the locale of a device. */
const TAG_CHARACTERS_MAX = 255;

/** Bokmål; `Intl` leaves the old code as it is. */
const OLD_NORWEGIAN = /^no(?![a-z])/i;

/** @returns the canonical tag, such as `zh-Hant-TW`, without extensions; undefined if the text is not a tag */
export function canonicalTag(text: string): string | undefined {
  // `Intl` takes 200 ms for a megabyte of subtags.
  if (text.length > TAG_CHARACTERS_MAX || !LANGUAGE_TAG.test(text)) return undefined;
  try {
    const { baseName } = new Intl.Locale(text.replaceAll('_', '-').replace(OLD_NORWEGIAN, 'nb'));
    // The runtime turns the variant `POSIX` into an extension of the base name.
    return baseName.replace(/-[a-z0-9]-.*/, '');
  } catch {
    return undefined;
  }
}

/**
 * The tags that suit a locale, best first. A script that is left out is taken from the region, because phones and
 * translators differ in writing it: `zh_TW` and `zh_Hant_TW` both lead to `zh-Hant-TW`, `zh-TW`, `zh-Hant`, `zh`. Where a language is
 * written in several scripts, the region in which a script is usual stands for it: `zh_Hans_HK` leads to `zh-CN` too.
 * @param locale of a device, such as `fr_CA`
 * @returns canonical tags; empty if the text begins with no language
 */
export function tagsFor(locale: string): readonly string[] {
  const subtags = locale.replaceAll('_', '-').split('-');
  // Phones append variants that BCP 47 does not allow.
  let tag = canonicalTag(subtags.join('-'));
  while (tag === undefined && subtags.pop() !== undefined) tag = canonicalTag(subtags.join('-'));
  if (tag === undefined) return [];
  const { language, script, region } = new Intl.Locale(tag);
  const kindred = KINDRED[language];
  const likely = region && new Intl.Locale(`${language}-${region}`).maximize().script;
  const others = kindred === undefined ? [] : tagsOf(tagOf([kindred, script ?? likely, region]));
  return [...new Set([...tagsOf(tag), ...others])];
}

function tagsOf(tag: string): string[] {
  const { language, script, region } = new Intl.Locale(tag);
  const likely = region && new Intl.Locale(`${language}-${region}`).maximize().script;
  const scripted = [language, script ?? likely];
  const variants = tag.split('-').slice(tagOf([language, script, region]).split('-').length);

  const tags: string[] = [];
  if (region !== undefined) {
    for (let kept = variants.length; kept >= 0; kept--) {
      const end = [region, ...variants.slice(0, kept)];
      tags.push(tagOf([...scripted, ...end]));
      if (script === undefined || script === likely) tags.push(tagOf([language, ...end]));
    }
  }
  tags.push(tag, tagOf(scripted), ...usualTags(language, script ?? likely), language);
  return tags;
}

/** `zh-Hant-TW` and `zh-TW` for `zh` in `Hant`: translators name a script by its country. */
function usualTags(language: string, script: string | undefined): string[] {
  if (script === undefined || !SCRIPTS.has(language)) return [];
  const { region } = new Intl.Locale(`${language}-${script}`).maximize();
  const unscripted = new Intl.Locale(`${language}-${region ?? ''}`).maximize().script;
  return [tagOf([language, script, region]), ...(unscripted === script ? [tagOf([language, region])] : [])];
}

function tagOf(subtags: readonly (string | undefined)[]): string {
  return subtags.filter((subtag) => subtag !== undefined).join('-');
}

/** A device may send any text as a locale, so the memory is bounded. There are some 700 real locales. */
const KNOWN_MAX = 2_000;

/**
 * Chooses among translations; caches what it found, because a bulk notification has a million devices and a hundred locales.
 * @param offered canonical tags
 * @returns a function from a device's locale to the best tag; undefined: none suits
 */
export function openLookUp(offered: ReadonlySet<string>): (locale: string | null) => string | undefined {
  const known = new Map<string, string | undefined>();
  return (locale) => {
    if (locale === null) return undefined;
    if (known.has(locale)) return known.get(locale);
    const found =
      tagsFor(locale).find((tag) => offered.has(tag)) ??
      tagsFor(withLikelyScript(locale)).find((tag) => offered.has(tag));
    if (known.size < KNOWN_MAX) known.set(locale, found);
    return found;
  };
}

/** A device that says no more than `zh` reads the script that most people write it in. */
function withLikelyScript(language: string): string {
  if (!SCRIPTS.has(language)) return language;
  return tagOf([language, new Intl.Locale(language).maximize().script]);
}
