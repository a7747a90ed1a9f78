/**
 * Characters that a reader cannot see or that turn the text around, and words that mix letters of scripts which look alike.
 * Source: Unicode, Bidirectional Algorithm (UAX #9), Security Considerations (UTR #36) and Security Mechanisms (UTS #39).
 */

/**
 * Control characters but tab and line breaks, marks and overrides of direction, and what has no width. Those that emoji and scripts need
 * to join letters (U+200C, U+200D), and marks of direction for one place (U+200E, U+200F, U+061C), are not among them.
 */
const HIDDEN =
  '[\\0-\\u0008\\u000B\\u000C\\u000E-\\u001F\\u007F-\\u009F\\u00AD\\u200B\\u2028-\\u202E\\u2060-\\u206F\\uFEFF\\uFFF9-\\uFFFB]';
const SUSPECT = new RegExp(String.raw`${HIDDEN}|[\p{Script=Cyrillic}\p{Script=Greek}]`, 'u');
const PART = new RegExp(String.raw`(${HIDDEN})|\p{L}[\p{L}\p{M}]*`, 'gu');
const SCRIPTS = [
  ['Latin', /\p{Script=Latin}/u],
  ['Cyrillic', /\p{Script=Cyrillic}/u],
  ['Greek', /\p{Script=Greek}/u],
] as const;

/** A part of a text that is not what it looks like. */
export type Suspect = { text: string } & ({ code: string } | { scripts: readonly string[] });

/** @returns the text in parts: those without a fault as they are, a hidden character with its code (`U+202E`), a mixed word with its scripts */
export function findSuspects(text: string): readonly (string | Suspect)[] {
  if (!SUSPECT.test(text)) return [text];
  const parts: (string | Suspect)[] = [];
  let end = 0;
  for (const { 0: part, 1: hidden, index } of text.matchAll(PART)) {
    const scripts = SCRIPTS.filter(([, pattern]) => pattern.test(part)).map(([name]) => name);
    if (hidden === undefined && scripts.length < 2) continue;
    parts.push(
      text.slice(end, index),
      hidden === undefined ? { text: part, scripts } : { text: part, code: codeOf(part) },
    );
    end = index + part.length;
  }
  return [...parts, text.slice(end)].filter((part) => part !== '');
}

function codeOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
