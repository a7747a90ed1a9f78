/** Compares how names look. A short form of https://www.unicode.org/reports/tr39/#Confusable_Detection. */

/** Letters that look like a Latin one, as small or as capital letters, because names are compared without regard to case. */
const CYRILLIC = ['авекмнорстухіјѕԁһԛԝѵ', 'abekmhopctyxijsdhqwv'] as const;
const GREEK = ['αβεζηικμνορτυχ', 'abezhikmvoptyx'] as const;
const OTHERS = ['ı', 'i'] as const;
const LATIN_OF: ReadonlyMap<string, string> = new Map(
  [CYRILLIC, GREEK, OTHERS].flatMap(([letters, latin]) =>
    Array.from(letters, (letter, index): [string, string] => [letter, latin.charAt(index)]),
  ),
);

/** @returns the same text for names that look the same */
export function appearanceOf(name: string): string {
  return Array.from(name.normalize('NFKC').toLowerCase(), (letter) => LATIN_OF.get(letter) ?? letter).join(
    '',
  );
}
