/** What a reader cannot see, or takes for something else, is found in any text. */
import { expect, it } from 'vitest';
import { findSuspects } from '../src/kit/hidden-characters/find.ts';

it.each([
  ['an override of direction', 'live\u202Eevil', ['live', { text: '\u202E', code: 'U+202E' }, 'evil']],
  ['a space without width', 'ad\u200Bmin', ['ad', { text: '\u200B', code: 'U+200B' }, 'min']],
  ['a soft hyphen', 'ad\u00ADmin', ['ad', { text: '\u00AD', code: 'U+00AD' }, 'min']],
  ['an escape of a terminal', '\u001B[31m', [{ text: '\u001B', code: 'U+001B' }, '[31m']],
  ['a zero', 'a\0b', ['a', { text: '\0', code: 'U+0000' }, 'b']],
  ['a mark of byte order', '\uFEFFa', [{ text: '\uFEFF', code: 'U+FEFF' }, 'a']],
  ['a Cyrillic letter in a word', 'to аdmin', ['to ', { text: 'аdmin', scripts: ['Latin', 'Cyrillic'] }]],
  ['a Greek letter in a word', 'αpple', [{ text: 'αpple', scripts: ['Latin', 'Greek'] }]],
])('%s is found', (_what, text, parts) => {
  expect(findSuspects(text)).toEqual(parts);
});

it.each([
  ['a tab and a line break', 'a\tb\nc'],
  ['an emoji of several characters', '👩\u200D🚀 and 🏴󠁧󠁢󠁥󠁮󠁧󠁿'],
  ['Persian with a joiner', 'می\u200Cخواهم'],
  ['a mark of direction for one place', 'קובץ\u200F!'],
  ['a Russian word by an English one', 'iPhone для всех'],
  ['a Greek sentence', 'Καλημέρα κόσμε'],
])('%s is not suspect', (_what, text) => {
  expect(findSuspects(text)).toEqual([text]);
});
