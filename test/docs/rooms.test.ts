/** The folders of src/ stay small enough to find a file in, and each says what it is for. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readPage, ROOT, tableAfter } from './markdown.ts';

const FILES_MAX = 17;
const LINES_MAX = 350;

const folders = readdirSync(path.join(ROOT, 'src'), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => path.relative(ROOT, path.join(entry.parentPath, entry.name)))
  .sort();

function sourcesOf(folder: string): string[] {
  return readdirSync(path.join(ROOT, folder)).filter((name) => name.endsWith('.ts'));
}

describe.each(folders)('%s', (folder) => {
  it('has a README, or the one above says what it is for', () => {
    const own = path.join(ROOT, folder, 'README.md');
    const above = path.join(ROOT, folder, '../README.md');
    const isExplained =
      existsSync(own) ||
      (existsSync(above) && readFileSync(above, 'utf8').includes(`${path.basename(folder)}/`));
    expect(isExplained).toBe(true);
  });

  it(`has at most ${FILES_MAX} source files`, () => {
    expect(sourcesOf(folder).length).toBeLessThanOrEqual(FILES_MAX);
  });

  it(`has no source file of more than ${LINES_MAX} lines`, () => {
    const lines = (name: string) =>
      readFileSync(path.join(ROOT, folder, name), 'utf8')
        .trimEnd()
        .split('\n');
    expect(sourcesOf(folder).filter((name) => lines(name).length > LINES_MAX)).toEqual([]);
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
