/**
 * Language tags as the server reads them: their canonical form, and which translations stand in for a language. A test
 * compares both with the server's.
 */

/** Pairs of languages whose readers understand both. */
const KINDRED: Readonly<Record<string, string>> = { nb: 'nn', nn: 'nb', yue: 'zh' };

/** Bokmål; `Intl` leaves the old code as it is. */
const OLD_NORWEGIAN = /^no(?![a-z])/i;

/** Languages with several scripts: a country in the name of a translation implies its script. */
const SEVERAL_SCRIPTS = new Set('az bs ff ha hi kk ks ku ky mn ms pa sd sr tg ug uz yue zh'.split(' '));

/** Longer languages are reserved: `english` is a mistake. */
const LANGUAGE_MAX = 3;

/** @returns the canonical tag, such as `zh-Hant-TW`, without extensions; undefined if the text is not a tag */
export function canonicalTag(text: string): string | undefined {
  try {
    const { baseName, language } = new Intl.Locale(text.replaceAll('_', '-').replace(OLD_NORWEGIAN, 'nb'));
    return language.length > LANGUAGE_MAX ? undefined : baseName.replace(/-[a-z0-9]-.*/, '');
  } catch {
    return undefined;
  }
}

/**
 * The translations that a device of a language gets, best first: the look-up of RFC 4647.
 * @param tag in its canonical form; for any other text, the result is only that text
 */
export function translationsFor(tag: string): readonly string[] {
  if (canonicalTag(tag) !== tag) return [tag];
  const { language, script, region } = new Intl.Locale(tag);
  const likely = scriptIn(language, region);
  const kindred = KINDRED[language];
  const others = kindred === undefined ? [] : lookedUp(joined(kindred, script ?? likely, region));
  return [...new Set([...lookedUp(tag), ...others])];
}

/** `zh` in Taiwan is written in `Hant`. */
function scriptIn(language: string, region: string | undefined): string | undefined {
  return region && new Intl.Locale(`${language}-${region}`).maximize().script;
}

function lookedUp(tag: string): string[] {
  const { language, script, region } = new Intl.Locale(tag);
  const likely = scriptIn(language, region);
  const tags: string[] = [];
  if (region !== undefined) {
    const variants = tag.split('-').slice(joined(language, script, region).split('-').length);
    for (let kept = variants.length; kept >= 0; kept--) {
      const end = [region, ...variants.slice(0, kept)];
      tags.push(joined(language, script ?? likely, ...end));
      if (script === undefined || script === likely) tags.push(joined(language, ...end));
    }
  }
  tags.push(tag, joined(language, script ?? likely), ...usualTags(language, script ?? likely), language);
  return tags;
}

/** `zh-Hant-TW` and `zh-TW` for `zh` in `Hant`. */
function usualTags(language: string, script: string | undefined): string[] {
  if (script === undefined || !SEVERAL_SCRIPTS.has(language)) return [];
  const { region } = new Intl.Locale(`${language}-${script}`).maximize();
  const isUsual = scriptIn(language, region) === script;
  return [joined(language, script, region), ...(isUsual ? [joined(language, region)] : [])];
}

function joined(...subtags: readonly (string | undefined)[]): string {
  return subtags.filter((subtag) => subtag !== undefined).join('-');
}
