/** The version of a release stands in many files; that of package.json counts. */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { readPage, ROOT } from './markdown.ts';

const { version } = packageJson;
const names = readdirSync(path.join(ROOT, 'packages'));

/** Where it stands in a file: the only group of each match. */
const places: [file: string, pattern: RegExp][] = [
  ['package.json', /"@carillon\/[^"]+": "([^"]+)"/g],
  ['package-lock.json', /^ {2}"version": "([^"]+)"|"@carillon\/[^"]+": "([^"]+)"/gm],
  ...names.map((name): [string, RegExp] => [
    'package-lock.json',
    new RegExp(`"packages/${name}": \\{\\s+"name": "[^"]+",\\s+"version": "([^"]+)"`, 'g'),
  ]),
  ...[...names.map((name) => `packages/${name}`), 'clients/typescript'].map((folder): [string, RegExp] => [
    `${folder}/package.json`,
    /^ {2}"version": "([^"]+)"/gm,
  ]),
  ['clients/python/pyproject.toml', /^version = "([^"]+)"/gm],
  ['clients/java/pom.xml', /^ {2}<version>([^<]+)</gm],
  ['clients/java/README.md', /^ {2}<version>([^<]+)</gm],
  ['deploy/kubernetes/kustomization.yaml', /newTag: (\S+)/g],
  ['docs/deploy.md', /\bcarillon:(\d\S+)/g],
];

it.each(places)('the version is the same in %s, by %s', (file, pattern) => {
  const found = [...readPage(file).text.matchAll(pattern)].map(([, one, other]) => one ?? other);
  expect([...new Set(found)]).toEqual([version]);
});

it('the version has a section in CHANGELOG.md, the first one after what is not released', () => {
  const [first = '', second = ''] = readPage('CHANGELOG.md').text.match(/^## .+$/gm) ?? [];
  expect(first).toBe('## Unreleased');
  expect(second.split(' ')[1]).toBe(version);
});
