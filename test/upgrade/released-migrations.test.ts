/** A migration that is in a release is never edited: databases that have applied it would keep the old schema. */
import { execFile } from 'node:child_process';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { useTemporaryDir } from '../support/temporary-dir.ts';
import { editedMigrations, findLastRelease } from './last-release.ts';

const run = promisify(execFile);
const dir = useTemporaryDir();
const migration = (name: string): string => path.join(dir.path, 'migrations', name);

async function git(...words: string[]): Promise<void> {
  await run('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', ...words], {
    cwd: dir.path,
  });
}

test('no migration of the last release has been edited', async () => {
  const release = await findLastRelease();
  if (release.tag === undefined) {
    process.stderr.write(`Migrations are not compared with a release: ${release.reason}\n`);
    return;
  }
  expect(await editedMigrations(release.tag)).toEqual([]);
});

test('a check without a repository or a tag says so', async () => {
  expect(await findLastRelease(dir.path)).toEqual({ tag: undefined, reason: 'this is no git repository' });
  await git('init', '-q');
  expect(await findLastRelease(dir.path)).toEqual({
    tag: undefined,
    reason: 'nothing has been released: there is no tag',
  });
});

test('changed, renamed and deleted migrations count as edited, and new ones do not', async () => {
  await git('init', '-q');
  await mkdir(path.join(dir.path, 'migrations'));
  for (const name of ['0001-changed', '0002-renamed', '0003-deleted']) {
    await writeFile(migration(`${name}.sql`), `create table t_${name.slice(5)} (id uuid primary key);\n`);
  }
  await git('add', '.');
  await git('commit', '-q', '-m', 'release');
  await git('tag', 'v0.1.0');
  await writeFile(migration('0004-new.sql'), 'create table added (id uuid);\n');
  await git('add', '.');
  await git('commit', '-q', '-m', 'later');
  expect(await findLastRelease(dir.path)).toEqual({ tag: 'v0.1.0' });
  expect(await editedMigrations('v0.1.0', dir.path)).toEqual([]);

  await writeFile(migration('0001-changed.sql'), 'create table other (id uuid);\n');
  await rename(migration('0002-renamed.sql'), migration('0005-renamed.sql'));
  await rm(migration('0003-deleted.sql'));
  await git('add', '.');
  expect((await editedMigrations('v0.1.0', dir.path)).map((line) => line[0])).toEqual(['M', 'D', 'R']);
});
