/** The title of every test is a sentence with a subject, so that a list of failures and `-t` can be read without `describe`. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from './markdown.ts';

const words = (text: string): Set<string> => new Set(text.trim().split(/\s+/));

/** No sentence begins with these verbs and conjunctions. Fragments began with them before there was this test. */
const NO_SUBJECT = words(`
  is are was were has have had does do did can cannot could may might must shall should will would not never
  aborts accepts agrees allows announces applies arrives asks becomes begins belongs brings carries closes comes
  compares continues counts covers creates cuts decides decrypts deletes delivers demands depends differs
  distinguishes doubles draws drops echoes ends equals exists expires explains fails falls finds follows forgets
  frees gets gives goes grants grows handles holds honors hands ignores installs invites judges keeps knows lacks
  lasts learns leads leaves lets listens lists logs looks loses makes means measures merges migrates names needs
  observes offers outlives passes plans prepares prints reaches reads redirects refers refills refuses registers
  rejects releases removes renews repeats replaces replies reports resolves resumes retires returns revokes runs
  says schedules seals searches sees selects sends serves shows shrinks signs skips spreads starts stays stops
  stores succeeds survives takes tells throws treats uses waits wakes works writes
  accept arrive become begin belong come contain decide depend demand find gather get give go keep leave lose make
  reach refuse reject see select send stay take wait wake
  that which who whose whom and or but nor because also again so than
`);

/** Nothing stands before them that they could mean. */
const PRONOUN = words('it its they them their these those this');

/** A sentence may begin with these if its subject follows a comma: "after two deaths, a push ends". */
const OPENING = words(`
  after although as at before behind between by during for from how however if in next of on once over since to
  under until unless when where whether while why with within without
`);

/** A plural or a verb: "queues the job" has no subject, "queues are closed" has one. */
const VERB_AND_OBJECT = /^[a-z]+s (?:an?|the|one|each|every|all|its|no|nothing) /;
const WORDS_MIN = 3;

/** @returns whether a title has a subject, as far as its first words show; a placeholder counts as one word */
function isSentence(title: string): boolean {
  const [first = ''] = title.split(' ');
  return !PRONOUN.has(first.toLowerCase()) && hasSubject(title.replace(/^at (?:least|most) /, ''));
}

function hasSubject(text: string): boolean {
  const [first = '', ...others] = text.split(/\s+/);
  const isName = /^[A-Z]{2}/.test(first); // such as GET
  const word = isName ? first : first.toLowerCase().replace(/[,:;]$/, '');
  if (others.length + 1 < WORDS_MIN || NO_SUBJECT.has(word) || VERB_AND_OBJECT.test(text)) return false;
  if (!OPENING.has(word)) return true;
  const comma = text.indexOf(', ');
  return comma !== -1 && hasSubject(text.slice(comma + 2));
}

const TEXT = /(['"`])((?:\\.|(?!\1)[^\\])*)\1/.source;
const PLAIN = new RegExp(String.raw`\b(?:it|test)(?:\.skip)?\(\s*${TEXT},`, 'g');
const TABLE = /\b(?:it|test)\.(?:each|for)\b/g;
const TABLE_TITLE = new RegExp(String.raw`\)\(\s*${TEXT},`);
const PLACEHOLDER = /^%[sdifjo]/;

/** The titles in a file as Prettier formats it; one that begins with a value of its table, for each row that can be read. */
function titlesIn(source: string): string[] {
  const plain = [...source.matchAll(PLAIN)].map(([, , title = '']) => title);
  const ofTables = [...source.matchAll(TABLE)].flatMap(({ index }) => {
    const found = TABLE_TITLE.exec(source.slice(index));
    if (found === null) return [];
    const [, , title = ''] = found;
    if (!PLACEHOLDER.test(title)) return [title];
    const rows = firstTextsOf(source.slice(index, index + found.index));
    if (rows.length > 0) return rows.map((row) => title.replace(PLACEHOLDER, () => row));
    return title.includes(' ') ? [title] : []; // the rows are made elsewhere
  });
  return [...plain, ...ofTables].map((title) =>
    title.replaceAll(/\\(?=['"`])/g, '').replaceAll(/\$\{[^}]*\}/g, '…'),
  );
}

/** @returns the text that each row of a table begins with */
function firstTextsOf(table: string): string[] {
  const [, indent] = /\(\[\n( +)/.exec(table) ?? [];
  const pattern =
    indent === undefined
      ? new RegExp(String.raw`[[,] ?${TEXT}`, 'g')
      : new RegExp(String.raw`^${indent}(?:\[\s*)?${TEXT},`, 'gm');
  return [...table.matchAll(pattern)].map(([, , text = '']) => text);
}

const folders = readdirSync(path.join(ROOT, 'packages'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => `packages/${name}/test`);
const files = ['test', ...folders].flatMap((folder) =>
  readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => path.join(folder, name)),
);
const titles = files.flatMap((file) =>
  titlesIn(readFileSync(path.join(ROOT, file), 'utf8')).map((title) => ({ file, title })),
);

it('every title is a sentence with a subject, of at least three words', () => {
  expect(titles.length).toBeGreaterThan(1_000);
  const fragments = titles.filter(({ title }) => !isSentence(title));
  expect(fragments.map(({ file, title }) => `${file}: ${title}`)).toEqual([]);
});

it.each([
  'that may evict keys is a warning',
  'refuses one byte more',
  'is counted once, even if its answer was lost',
  'with a template',
  'to one device, on the direct path',
  'keys revoke',
])('the title "%s" is a fragment', (title) => {
  expect(isSentence(title)).toBe(false);
});

it.each(['a Redis that may evict keys is a warning', 'after two deaths, a push ends'])(
  'the title "%s" is a sentence',
  (title) => {
    expect(isSentence(title)).toBe(true);
  },
);

it('a title that begins with a value of a table is read with each of its values', () => {
  const source = `test.each([\n  ['a key', 1],\n  [\n    'with a tag', 2],\n])('%s is sent', (name) => {});`;
  expect(titlesIn(source)).toEqual(['a key is sent', 'with a tag is sent']);
});
