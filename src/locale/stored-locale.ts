/**
 * The stored form of a locale: `ll_CC`, as far as it is known. It has a script only if the language has several and
 * this one is not usual in the country: `zh_Hans_HK`, but `zh_CN`. Replies show the script apart (`shownLocale`), and a
 * filter on `zh_HK` finds both (`spellings.ts`), so only translations depend on it.
 */

/** Languages that are written in several scripts, which phones and translators distinguish (CLDR). */
export const SCRIPTS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    az: ['Latn', 'Cyrl', 'Arab'],
    bs: ['Latn', 'Cyrl'],
    ff: ['Latn', 'Adlm'],
    ha: ['Latn', 'Arab'],
    hi: ['Deva', 'Latn'],
    kk: ['Cyrl', 'Arab', 'Latn'],
    ks: ['Arab', 'Deva'],
    ku: ['Latn', 'Arab'],
    ky: ['Cyrl', 'Arab', 'Latn'],
    mn: ['Cyrl', 'Mong'],
    ms: ['Latn', 'Arab'],
    pa: ['Guru', 'Arab'],
    sd: ['Arab', 'Deva'],
    sr: ['Cyrl', 'Latn'],
    tg: ['Cyrl', 'Arab'],
    ug: ['Arab', 'Cyrl'],
    uz: ['Latn', 'Cyrl', 'Arab'],
    yue: ['Hant', 'Hans'],
    zh: ['Hans', 'Hant'],
  }),
);

/** Maps old codes, which Java and old databases still use, to the new codes of CLDR. `Intl` knows all but `no`. */
export const OLD_CODES: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({ fil: ['tl'], he: ['iw'], id: ['in'], jv: ['jw'], nb: ['no'], ro: ['mo'], yi: ['ji'] }),
);

/** Subtags after `zh`: languages of their own (BCP 47, 2.2.2), and .NET's old names of the scripts. */
const CHINESE: Readonly<Record<string, string>> = {
  cmn: 'zh',
  yue: 'yue',
  chs: 'zh-Hans',
  cht: 'zh-Hant',
};

/**
 * A language of two or three letters and further subtags, then suffixes that say nothing about the language: an
 * encoding (`.UTF-8`), keywords of ICU (`@rg=gbzzzz`), extensions as Java writes them (`#u-nu-thai`), other languages
 * (`,en;q=0.9`).
 */
export const SENT_LOCALE = /^([A-Za-z]{2,3})((?:[-_][A-Za-z0-9]{0,8})*)(?:[.@,;#].*)?$/;
/** BCP 47's word for no language. */
export const NO_LANGUAGE = /^[Uu][Nn][Dd](?:[-_.@,;#]|$)/;
/** Java writes the script after a `#`. */
const SCRIPT_AFTER_HASH = /#([A-Za-z]{4})(?:_|$)/;

const REGION = /^(?:[A-Za-z]{2}|\d{3})$/;
const SCRIPT = /^[A-Za-z]{4}$/;

/** A phone may send any text, so the memory is bounded. There are some 700 real locales, in a few spellings each. */
const KNOWN_MAX = 4_000;
const known = new Map<string, string | undefined>();

/** @returns undefined if the text names no language; the stored form of a stored form is itself */
export function storedLocale(sent: string): string | undefined {
  if (known.has(sent)) return known.get(sent);
  const stored = readLocale(sent);
  if (known.size < KNOWN_MAX) known.set(sent, stored);
  return stored;
}

function readLocale(sent: string): string | undefined {
  const match = SENT_LOCALE.exec(sent);
  if (match === null || NO_LANGUAGE.test(sent)) return undefined;
  const [, first = '', rest = ''] = match;
  const subtags = rest.split(/[-_]/).slice(1);
  // Extensions and private use begin with a single letter or digit.
  const end = subtags.findIndex((subtag) => subtag.length === 1);
  const named = end === -1 ? subtags : subtags.slice(0, end);
  const region = named.find((subtag) => REGION.test(subtag));
  const written = named.find((subtag) => SCRIPT.test(subtag)) ?? SCRIPT_AFTER_HASH.exec(sent)?.[1];
  const [language = '', dialectScript] = languageOf(first.toLowerCase(), named).split('-');
  const tag = [language, written ?? dialectScript, region].filter((subtag) => subtag !== undefined);
  const canonical = new Intl.Locale(tag.join('-'));
  const current = canonical.language === 'no' ? 'nb' : canonical.language;
  const script = scriptToKeep(current, canonical.script, canonical.region);
  return [current, script, canonical.region].filter((subtag) => subtag !== undefined).join('_');
}

function languageOf(first: string, [second = '', ...others]: readonly string[]): string {
  if (first === 'zh') return CHINESE[second.toLowerCase()] ?? first;
  // Java's and glibc's old name of Nynorsk: `no_NO_NY`.
  return first === 'no' && others.includes('NY') ? 'nn' : first;
}

function scriptToKeep(
  language: string,
  script: string | undefined,
  region: string | undefined,
): string | undefined {
  if (script === undefined || SCRIPTS.get(language)?.includes(script) !== true) return undefined;
  return region !== undefined && script === usualScript(language, region) ? undefined : script;
}

/** According to CLDR. */
export function usualScript(language: string, region: string): string | undefined {
  return new Intl.Locale(`${language}-${region}`).maximize().script;
}

/** A stored locale with a script. Earlier releases always kept the script. */
const WITH_SCRIPT = /^([a-z]{2,3})_([A-Z][a-z]{3})(_(?:[A-Z]{2}|\d{3}))?$/;
const SHORTEST_WITH_SCRIPT = 'zh_Hans'.length;

export function shownLocale(stored: string | null): { locale: string | null; script: string | null } {
  const match = stored !== null && stored.length >= SHORTEST_WITH_SCRIPT ? WITH_SCRIPT.exec(stored) : null;
  if (match === null) return { locale: stored, script: null };
  const [, language = '', script = '', region = ''] = match;
  return { locale: `${language}${region}`, script };
}

/**
 * Joins the fields of a reply into a stored locale. @param locale in its stored form; a script in it takes precedence
 * over `script`
 */
export function joinedLocale(locale: string, script: string): string {
  return storedLocale(`${locale}_#${script}`) ?? locale;
}
