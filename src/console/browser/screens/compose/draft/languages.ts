/**
 * Language tags as the server reads them: their canonical form, and which translations stand in for a language. A test
 * compares both with those of the server.
 */

/** Languages that readers of the other one understand. */
const KINDRED: Readonly<Record<string, string>> = { nb: 'no', nn: 'no', no: 'nb' };

/** Longer ones are reserved: `english` is a mistake. */
const LANGUAGE_MAX = 3;

/** @returns the canonical tag, such as `zh-Hant-TW`, without extensions; undefined if the text is none */
export function canonicalTag(text: string): string | undefined {
  try {
    const { baseName, language } = new Intl.Locale(text.replaceAll('_', '-'));
    return language.length > LANGUAGE_MAX ? undefined : baseName.replace(/-[a-z0-9]-.*/, '');
  } catch {
    return undefined;
  }
}

/**
 * The translations that a device of a language gets, best first: the look-up of RFC 4647.
 * @param tag in its canonical form; any other text has only itself
 */
export function translationsFor(tag: string): readonly string[] {
  if (canonicalTag(tag) !== tag) return [tag];
  const { language, script, region } = new Intl.Locale(tag);
  const likely = region && new Intl.Locale(`${language}-${region}`).maximize().script;
  const tags: string[] = [];
  if (region !== undefined) {
    const variants = tag.split('-').slice(joined(language, script, region).split('-').length);
    for (let kept = variants.length; kept >= 0; kept--) {
      const end = [region, ...variants.slice(0, kept)];
      tags.push(joined(language, script ?? likely, ...end));
      if (script === undefined || script === likely) tags.push(joined(language, ...end));
    }
  }
  const kindred = KINDRED[language];
  tags.push(tag, joined(language, script ?? likely), language, ...(kindred === undefined ? [] : [kindred]));
  return [...new Set(tags)];
}

function joined(...subtags: readonly (string | undefined)[]): string {
  return subtags.filter((subtag) => subtag !== undefined).join('-');
}
