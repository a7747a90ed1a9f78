import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { causeCodes } from '../../src/results/explain/cause.ts';
import { limitCodes } from '../../src/results/report/speed-limit.ts';
import { settings } from '../../src/process/settings.ts';
import { troubleCodes } from '../../src/status/trouble.ts';
import { catalogue } from '../../src/api/errors.ts';
import { metricsByName } from '../deploy/metrics-in.ts';
import { fencesOf, type Page, proseOf, readPage, readPages, ROOT, tableAfter } from './markdown.ts';

const pages = readPages();

it('the settings in docs/reference.md are the settings, row for row', () => {
  const rows = Object.entries(settings).map(([name, setting]) => [
    `\`${name}\``,
    'default' in setting ? `\`${setting.default}\`` : setting.unset,
    setting.meaning,
  ]);
  expect(tableAfter(readPage('docs/reference.md'), '<!-- settings -->')).toEqual(rows);
});

it('the secrets that docs/reference.md reads from files are those of the settings that do', () => {
  const [, named = ''] =
    /that `<NAME>_FILE` names \(([^)]+)\)/.exec(readPage('docs/reference.md').text) ?? [];
  const secret = Object.entries(settings).flatMap(([name, setting]) => ('secret' in setting ? [name] : []));
  expect(named.split(', ')).toEqual(secret.map((name) => `\`${name}\``));
});

it('the errors in docs/errors.md are the codes of the catalogue with their statuses, in its order', () => {
  const rows = tableAfter(readPage('docs/errors.md'), '<!-- errors -->');
  expect(rows.map(([code, status]) => [code, status])).toEqual(
    Object.entries(catalogue).map(([code, { status }]) => [`\`${code}\``, String(status)]),
  );
});

it.each([
  ['docs/api.md', '<!-- explanation codes -->', causeCodes],
  ['docs/api.md', '<!-- limit codes -->', limitCodes],
  ['docs/operations.md', '<!-- troubles -->', troubleCodes],
])('the codes in %s after %s are those of the code', (file, marker, codes) => {
  const named = tableAfter(readPage(file), marker).flatMap(([cell = '']) =>
    cell.replaceAll('`', '').split(', '),
  );
  expect(new Set(named)).toEqual(new Set<string>(codes));
  expect(named).toHaveLength(codes.length);
});

describe.each(pages)('$file', (page) => {
  it(`${page.file} has no link that leads nowhere`, () => {
    expect(linksOf(page).filter((link) => !leadsSomewhere(page, link))).toEqual([]);
  });

  it(`${page.file} has no block of a kind that nobody checks`, () => {
    const run = ['sh', 'json', 'json bulk', 'js connect', 'text', 'ts', 'python', 'go', 'java'];
    const kinds = new Set([...run, ...Object.keys(notRun)]);
    expect(fencesOf(page).filter(({ info }) => !kinds.has(info))).toEqual([]);
  });
});

/** The blocks that no test runs, each kind with its reason. */
const notRun = {
  'sh demo': 'installs everything from the registry; the demo has a test of its own (test/cli)',
  'sh bench': 'takes an hour, and means nothing while other tests run',
  'sh docker': 'needs a container engine; test/deploy runs what it runs, and holds the files to the code',
  'sh kubectl': 'needs a cluster; test/deploy holds the manifests to the code',
  swift: 'needs the tools of Apple; connect.test.ts compares its fields with the API, as of the four below',
  kotlin: 'needs the tools of Android',
  dart: 'needs the tools of Flutter',
  'js capacitor': 'needs a phone; connect.test.ts parses it',
  'js react-native': 'needs a phone; connect.test.ts parses it',
  'sh registry': 'needs the registry of packages',
  xml: 'names the Java client as a dependency; what Maven builds of it is tested in test/deep/clients',
};

it.each(Object.entries(notRun))('a block of the kind %s is not run: %s', (kind) => {
  expect(pages.flatMap(fencesOf).map(({ info }) => info)).toContain(kind);
});

const reported = pages.flatMap(({ text }) =>
  [...text.matchAll(/"kind":"(\w+)"/g)].map(([, kind = '']) => kind),
);
const observed = readFileSync(path.join(ROOT, 'src/observe.ts'), 'utf8');

it.each([...new Set(reported)])('a line of the log that a page shows can be written: %s', (kind) => {
  expect(observed).toContain(`kind: '${kind}'`);
});

it('README.md has at most 140 lines', () => {
  expect(readPage('README.md').text.trimEnd().split('\n').length).toBeLessThanOrEqual(140);
});

it('README.md leads to every page under docs/', () => {
  const linked = new Set(linksOf(readPage('README.md')).map((link) => link.split('#')[0]));
  const own = pages
    .map(({ file }) => file)
    .filter((file) => /^(docs\/)?[^/]+\.md$/.test(file) && file !== 'README.md');
  expect(own.filter((file) => !linked.has(file))).toEqual([]);
});

it.each(pages.filter(({ file }) => file.startsWith('docs/decisions/')))(
  'a decision is half a page, at most 40 lines: $file',
  ({ text }) => {
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(40);
  },
);

const [threats = '', ...defences] = readPage('docs/security.md').text.split(/(?=^## (?:Limits|Overload)$)/m);

it('docs/security.md has a test or a reason for each line', () => {
  const lines = threats
    .split(/\n(?=- |\| |\n)/)
    .filter((line) => /^(- |\| )/.test(line) && !/^\| (who|stolen) /.test(line));
  expect(lines.length).toBeGreaterThan(25);
  expect(lines.filter((line) => !/\]\(\.\.\/(?:packages\/[\w-]+\/)?test\/|no test/i.test(line))).toEqual([]);
});

it('docs/security.md has tests for its limits, and for what is done under load', () => {
  expect(defences.filter((section) => section.includes('](../test/'))).toHaveLength(2);
});

const words = tableAfter(readPage('docs/glossary.md'), '## Words of ours').map(
  ([word = '']) => /\*\*(.+)\*\*/.exec(word)?.[1] ?? '',
);

it.each(words)('docs/glossary.md explains %s, a word of the other pages', (word) => {
  const others = pages.filter(({ file }) => file !== 'docs/glossary.md').map(proseOf);
  const used = new RegExp(`\\b${word.replace(' ', '\\s+')}s?\\b`, 'i');
  expect(others.some((prose) => used.test(prose))).toBe(true);
});

it('the metrics in docs/operations.md are those that are served, with their labels', () => {
  const rows = tableAfter(readPage('docs/operations.md'), '<!-- metrics -->');
  const served = [...metricsByName().values()].filter(({ name }) => name.startsWith('carillon_'));
  expect(rows.map(([name, labels]) => [name, labels])).toEqual(
    served.map(({ name, labelNames }) => [
      `\`${name}\``,
      labelNames.map((label) => `\`${label}\``).join(', '),
    ]),
  );
});

/** The targets of the links that stay in the project, outside fenced blocks. */
function linksOf(page: Page): string[] {
  return [...proseOf(page).matchAll(/(?:\]\(|\bsrc(?:set)?=")([^)"\s]+)[)"]/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target));
}

function leadsSomewhere({ file }: Page, link: string): boolean {
  const [target = '', anchor] = link.split('#');
  const linked = target === '' ? file : path.join(path.dirname(file), target);
  // Relative to the repository's page, wherever it is hosted.
  const workflow = /^\.\.\/\.\.\/actions\/(workflows\/[^/]+)/.exec(target)?.[1];
  if (workflow !== undefined) return existsSync(path.join(ROOT, '.github', workflow));
  if (!existsSync(path.join(ROOT, linked))) return false;
  return anchor === undefined || anchorsOf(readPage(linked)).includes(anchor);
}

/** As GitHub makes them of headings. */
function anchorsOf({ text }: Page): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}
