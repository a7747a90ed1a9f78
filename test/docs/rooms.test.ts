/** The folders of src/ stay small enough to find a file in, and each says what it is for. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readPage, ROOT, tableAfter } from './markdown.ts';

const FILES_MAX = 17;
const LINES_MAX = 350;

const configuration = z.object({
  overrides: z.array(z.object({ files: z.array(z.string()), rules: z.record(z.string(), z.unknown()) })),
});

const folders = readdirSync(path.join(ROOT, 'src'), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => path.relative(ROOT, path.join(entry.parentPath, entry.name)))
  .sort();

/** The folders, and `src` itself, whose map is docs/architecture.md. */
const all = ['src', ...folders];

function filesOf(folder: string): string[] {
  return readdirSync(path.join(ROOT, folder), { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'README.md')
    .map(({ name }) => name);
}

function sourcesOf(folder: string): string[] {
  return filesOf(folder).filter((name) => /\.(?:ts|css)$/.test(name));
}

describe.each(folders)('%s', (folder) => {
  it('has a README', () => {
    expect(existsSync(path.join(ROOT, folder, 'README.md'))).toBe(true);
  });
});

describe.each(all)('%s', (folder) => {
  it(`has at most ${FILES_MAX} files besides it`, () => {
    expect(filesOf(folder).length).toBeLessThanOrEqual(FILES_MAX);
  });

  it(`has no source file of more than ${LINES_MAX} lines`, () => {
    const lines = (name: string) =>
      readFileSync(path.join(ROOT, folder, name), 'utf8')
        .trimEnd()
        .split('\n');
    expect(sourcesOf(folder).filter((name) => lines(name).length > LINES_MAX)).toEqual([]);
  });
});

describe('.oxlintrc.json', () => {
  const { overrides } = configuration.parse(
    JSON.parse(readFileSync(path.join(ROOT, '.oxlintrc.json'), 'utf8')),
  );
  const directed = overrides
    .filter(({ rules }) => 'no-restricted-imports' in rules)
    .flatMap(({ files }) => files);
  const rooms = folders.filter((folder) => folder.split('/').length === 2 && folder !== 'src/cli');

  it.each(rooms)('says what %s may not import', (room) => {
    expect(directed.some((files) => files.startsWith(`${room}/`))).toBe(true);
  });
});

describe('docs/architecture.md', () => {
  const listed = tableAfter(readPage('docs/architecture.md'), '## Rooms').flatMap(([cell = '']) =>
    [...cell.matchAll(/`(src\/[^`.]+)`/g)].map(([, folder = '']) => folder),
  );

  it('lists every folder right under src/', () => {
    expect(folders.filter((folder) => folder.split('/').length === 2 && !listed.includes(folder))).toEqual(
      [],
    );
  });

  it.each(listed)('lists %s, which exists', (folder) => {
    expect(folders).toContain(folder);
  });
});
