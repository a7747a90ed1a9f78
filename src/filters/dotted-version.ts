/** Dotted versions, in the same order as the database's `version_key` function. */

/** The numbers of a version without trailing zeros: `14.0` is `[14]`, `3.10-beta` is `[3, 10]`. */
export type VersionKey = readonly bigint[];

export const VERSION_CHARACTERS_MAX = 255;

/** @returns undefined if the text does not begin with a number */
export function versionKey(text: string): VersionKey | undefined {
  const match = /^[0-9]+(?:\.[0-9]+)*/.exec(text.slice(0, VERSION_CHARACTERS_MAX));
  if (match === null) return undefined;
  const numbers = match[0].split('.').map(BigInt);
  while (numbers.length > 1 && numbers.at(-1) === 0n) numbers.pop();
  return numbers;
}

/** A version in a range: dotted numbers, optionally with a suffix, which is ignored: `3.10-beta`. */
export const WRITTEN_VERSION = /^[0-9]+(?:\.[0-9]+)*(?:[-+ ].+)?$/;

/** Whether the whole text is a version. `versionKey` alone would read `1.x`, `1..2` and `1e3` as 1 and hide the mistake. */
export function isWrittenVersion(text: string): boolean {
  return text.length <= VERSION_CHARACTERS_MAX && WRITTEN_VERSION.test(text);
}

/** A comparator for `Array.sort`. */
export function compareVersions(left: VersionKey, right: VersionKey): number {
  for (const [index, number] of left.entries()) {
    const other = right[index];
    if (other === undefined || number > other) return 1;
    if (number < other) return -1;
  }
  return left.length - right.length;
}
