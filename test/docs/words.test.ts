/** The words that docs/glossary.md says we do not use are not used: in code, comments, tests, SQL and documents. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readPage, ROOT, tableAfter } from './markdown.ts';

/** These name the words themselves. */
const EXEMPT = new Set(['docs/glossary.md', 'test/docs/words.test.ts']);
/** What clients, packages and peers of the bench install and build in their folders. */
const INSTALLED = /^(?:clients|packages|bench\/peers)\/[^/]+\/(?:node_modules|dist|\.venv|target)\//;
const KINDS = /\.(?:tsx?|js|py|go|java|md|sql|ya?ml)$/;

const texts = [
  'src',
  'packages',
  'bin',
  'bench',
  'scripts',
  'test',
  'migrations',
  'deploy',
  'docs',
  'clients',
]
  .flatMap((directory) =>
    readdirSync(path.join(ROOT, directory), { recursive: true, encoding: 'utf8' }).map((name) =>
      path.join(directory, name),
    ),
  )
  .concat('README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md')
  .filter((file) => KINDS.test(file) && !EXEMPT.has(file) && !INSTALLED.test(file))
  .map((file) => ({ file, lines: readFileSync(path.join(ROOT, file), 'utf8').split('\n') }));

const words = tableAfter(readPage('docs/glossary.md'), '<!-- words not used -->').flatMap(([cell = '']) =>
  cell.split(',').map((word) => word.trim()),
);

it('docs/glossary.md names words that are not used', () => {
  expect(words.length).toBeGreaterThan(10);
});

/** How far a word may be from what it belongs to, in lines. */
const NEAR = 3;
/** Those of the table that a program can judge: its other words have too many places that are right. */
const ONE_MEANING = [
  { word: 'broadcast', pattern: /broadcast/i, belongsTo: /channel|releaseBroadcasts/i },
  {
    word: 'claim',
    pattern: /claim/i,
    belongsTo: /delivery|notification|slices|openid|oidc|provider-token|identity/i,
  },
  {
    // A name of a type or a function; in a sentence it is an everyday word.
    word: 'part',
    pattern: /\b(?:type|interface|class|function)\s+\w*[pP]arts?(?![a-z])/,
    belongsTo: /^src\/delivery\/(?:outcomes|slice-store)/,
  },
  {
    word: 'batch',
    pattern: /batch/i,
    belongsTo: /notification|batch_handled|BatchSpanProcessor|the body|the import/i,
  },
];

it('the words with one meaning are those that docs/glossary.md lists', () => {
  const listed = tableAfter(readPage('docs/glossary.md'), '<!-- words with one meaning -->').map(
    ([word]) => word,
  );
  expect(listed).toEqual(expect.arrayContaining(ONE_MEANING.map(({ word }) => word)));
});

it.each(ONE_MEANING)('"$word" is said in the server of nothing else', ({ pattern, belongsTo }) => {
  const found = texts
    .filter(({ file }) => file.startsWith('src/') && !belongsTo.test(file))
    .flatMap(({ file, lines }) =>
      lines.flatMap((line, index) =>
        pattern.test(line) &&
        !belongsTo.test(lines.slice(Math.max(0, index - NEAR), index + NEAR + 1).join('\n'))
          ? [`${file}:${index + 1}: ${line.trim()}`]
          : [],
      ),
    );
  expect(found).toEqual([]);
});

describe.each(words)('the word "%s"', (word) => {
  it(`the word "${word}" is used nowhere`, () => {
    const pattern = new RegExp(`(?<![\\w.])${word.replaceAll(' ', '\\s+')}(?![\\w.])`, 'i');
    const found = texts.flatMap(({ file, lines }) =>
      lines.flatMap((line, index) => (pattern.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : [])),
    );
    expect(found).toEqual([]);
  });
});
