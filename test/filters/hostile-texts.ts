/** Texts that try to escape from where they are inserted. */
import * as fc from 'fast-check';

/** Fragments with a meaning in SQL, JSON paths, array and range literals, or drivers. */
const PIECES = [
  ["'", "''", '"', '\\', "\\'", '`', ';', '--', '/*', '*/', '$1', '$$', '$values', '$.value', '@', '??', '?'],
  ['{', '}', '[', ']', '(', ')', ',', '{}', 'NULL', 'null', ' or true', ' or 1=1', '||', "'||'", '::text'],
  [
    'drop table devices',
    'union select',
    'pg_sleep(9)',
    'true',
    ':name',
    '%s',
    '%',
    '_',
    '\n',
    '\t',
    '\u2028',
  ],
  ['“', '’', '👩‍👩‍👧', 'é', 'e\u0301', '\u202e', '\ufeff', 'd.id', 'value', 'type', '__proto__', 'infinity'],
].flat();
export const hostile = fc
  .array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 8 })
  .map((parts) => parts.join(''));

/** Returns `count` different texts, the same ones in every run. */
export function hostileTexts(count: number): string[] {
  const texts = new Set(fc.sample(hostile, { numRuns: 2 * count, seed: 42 }));
  if (texts.size < count) throw new Error(`only ${texts.size} different texts`);
  return [...texts].slice(0, count);
}
