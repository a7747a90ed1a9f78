/**
 * Lists the stored locales that one criterion of a filter stands for. Audiences keep the criterion as it was written.
 */
import { OLD_CODES, SCRIPTS, storedLocale, usualScript } from './stored-locale.ts';

/** Other texts stand for themselves alone: filters compare character for character. */
const WRITTEN = /^([a-z]{2,3})(?:_([A-Z][a-z]{3}))?(?:_([A-Z]{2}|\d{3}))?$/;

/**
 * Old and new codes of a language are the same (`iw_IL`, `he_IL`), also codes stored by earlier releases. Without a
 * script, a locale stands for every script (`zh_HK`, `zh_Hans_HK`); with the usual script of its country, it also
 * stands for none (`zh_Hans_CN`, `zh_CN`).
 * @returns without duplicates
 */
export function localeSpellings(criterion: string): readonly string[] {
  const match = WRITTEN.test(criterion) ? WRITTEN.exec(storedLocale(criterion) ?? '') : null;
  if (match === null) return [criterion];
  const [, language = '', kept, region] = match;
  const wanted = kept ?? scriptIn(criterion, language);
  const scripts: (string | undefined)[] =
    wanted === undefined ? [undefined, ...(SCRIPTS.get(language) ?? [])] : [wanted];
  if (wanted !== undefined && region !== undefined && wanted === usualScript(language, region)) {
    scripts.push(undefined);
  }
  const languages = [language, ...(OLD_CODES.get(language) ?? [])];
  const spellings = languages.flatMap((code) =>
    scripts.map((script) => [code, script, region].filter((subtag) => subtag !== undefined).join('_')),
  );
  return [...new Set([criterion, ...spellings])];
}

/** The script that the stored form leaves out, because it is the usual one. */
function scriptIn(criterion: string, language: string): string | undefined {
  const script = WRITTEN.exec(criterion)?.[2];
  return script !== undefined && SCRIPTS.get(language)?.includes(script) === true ? script : undefined;
}
