/** The folders of src/ and of the packages stay small enough to find a file in, and each says what it is for. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import linterConfiguration from '../../oxlint.config.ts';
import { readPage, ROOT, tableAfter } from './markdown.ts';

const FILES_MAX = 17;
const LINES_MAX = 350;

const configuration = z.object({
  overrides: z.array(z.object({ files: z.array(z.string()), rules: z.record(z.string(), z.unknown()) })),
});

function foldersIn(folder: string): string[] {
  return readdirSync(path.join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => path.relative(ROOT, path.join(entry.parentPath, entry.name)))
    .sort();
}

const folders = foldersIn('src');
const packages = readdirSync(path.join(ROOT, 'packages'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => `packages/${name}`);
const inPackages = packages.flatMap((folder) => foldersIn(`${folder}/src`));

/** The folders; `src` itself, whose map is docs/architecture.md; and those of the packages, which their README explains. */
const all = ['src', ...folders, ...packages.map((folder) => `${folder}/src`), ...inPackages];

function filesOf(folder: string): string[] {
  return readdirSync(path.join(ROOT, folder), { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'README.md')
    .map(({ name }) => name);
}

/** Made out of the API's document, and not in git. */
const GENERATED = 'packages/console/src/replies.ts';

function sourcesOf(folder: string): string[] {
  return filesOf(folder).filter((name) => `${folder}/${name}` !== GENERATED && /\.(?:tsx?|css)$/.test(name));
}

describe.each([...folders, ...packages, ...inPackages])('%s', (folder) => {
  it(`${folder} has a README, whose links to files lead somewhere`, () => {
    const text = readFileSync(path.join(ROOT, folder, 'README.md'), 'utf8');
    const links = [...text.matchAll(/\]\(([^)#\s]+)[^)]*\)/g)].map(([, link = '']) => link);
    const files = links.filter((link) => !link.includes('://'));
    expect(files.filter((file) => !existsSync(path.join(ROOT, folder, file)))).toEqual([]);
  });
});

describe.each(all)('%s', (folder) => {
  it(`${folder} has at most ${FILES_MAX} files besides its README`, () => {
    expect(filesOf(folder).length).toBeLessThanOrEqual(FILES_MAX);
  });

  it(`${folder} has no source file of more than ${LINES_MAX} lines`, () => {
    const lines = (name: string) =>
      readFileSync(path.join(ROOT, folder, name), 'utf8')
        .trimEnd()
        .split('\n');
    expect(sourcesOf(folder).filter((name) => lines(name).length > LINES_MAX)).toEqual([]);
  });
});

const { overrides } = configuration.parse(linterConfiguration);
const directed = overrides
  .filter(({ rules }) => 'no-restricted-imports' in rules)
  .flatMap(({ files }) => files);
const rooms = folders.filter((folder) => folder.split('/').length === 2 && folder !== 'src/cli');

it.each([...rooms, ...packages])('the linter says what %s may not import', (room) => {
  expect(directed.some((files) => files.startsWith(`${room}/`))).toBe(true);
});

const listed = ['## Rooms', '## Packages'].flatMap((heading) =>
  tableAfter(readPage('docs/architecture.md'), heading).flatMap(([cell = '']) =>
    [...cell.matchAll(/`((?:src|packages)\/[^`.]+)`/g)].map(([, folder = '']) => folder),
  ),
);

it('docs/architecture.md lists every package', () => {
  expect(packages.filter((folder) => !listed.includes(folder))).toEqual([]);
});

it('docs/architecture.md lists every folder right under src/', () => {
  expect(folders.filter((folder) => folder.split('/').length === 2 && !listed.includes(folder))).toEqual([]);
});

it.each(listed)('docs/architecture.md lists %s, which exists', (folder) => {
  expect([...folders, ...packages]).toContain(folder);
});

const sources = ['src', 'bench', 'scripts'].flatMap((folder) =>
  readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => path.join(folder, name)),
);

it('a package is imported by its name, and so by its public exports alone', () => {
  const byPath = /^(?:import|\} from) .*'\.[^']*\/packages\/|import\('\.[^']*\/packages\//m;
  expect(sources.filter((file) => byPath.test(readFileSync(path.join(ROOT, file), 'utf8')))).toEqual([]);
});
