/** The last release before this commit, by its git tag (`v0.1.0`). */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile, symlink } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';

const run = promisify(execFile);
const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url));
const MIGRATIONS = 'migrations';
const INSTALL_TIMEOUT_MS = 120_000;

const manifest = z.object({ dependencies: z.record(z.string(), z.string()) });

export type LastRelease = { tag: string } | { tag: undefined; reason: string };

/** Without a tag, the reason says why: nothing has been released, a shallow clone, or no repository at all. */
export async function findLastRelease(repository = REPOSITORY): Promise<LastRelease> {
  try {
    const words = ['describe', '--tags', '--abbrev=0', '--match', 'v[0-9]*'];
    return { tag: (await run('git', words, { cwd: repository })).stdout.trim() };
  } catch {
    const shallow = await run('git', ['rev-parse', '--is-shallow-repository'], { cwd: repository }).catch(
      () => ({ stdout: 'no repository' }),
    );
    const reasons: Record<string, string> = {
      true: 'this clone is shallow and has no tag of a release',
      false: 'nothing has been released: there is no tag',
    };
    return { tag: undefined, reason: reasons[shallow.stdout.trim()] ?? 'this is no git repository' };
  }
}

/** The migrations of a release that were changed, deleted or renamed since, a line each. */
export async function editedMigrations(tag: string, repository = REPOSITORY): Promise<string[]> {
  const words = ['diff', '--name-status', '--diff-filter=MDR', tag, '--', MIGRATIONS];
  const { stdout } = await run('git', words, { cwd: repository });
  return stdout.split('\n').filter((line) => line.endsWith('.sql'));
}

export interface UnpackedRelease {
  /** Its `bin/carillon.js`. */
  program: string;
  /** The names of the migrations that it does not have. */
  newMigrations: string[];
}

/**
 * Unpacks a release into an empty directory. It runs on the packages that are installed here; if one of its own is not among
 * them any more, all of its own are installed.
 */
export async function unpackRelease(tag: string, dir: string): Promise<UnpackedRelease> {
  const archive = path.join(dir, 'release.tar');
  const contents = ['package.json', 'package-lock.json', 'bin', 'src', MIGRATIONS];
  await run('git', ['archive', '-o', archive, tag, ...contents], { cwd: REPOSITORY });
  await run('tar', ['-xf', archive, '-C', dir]);
  const ownManifest = manifest.parse(JSON.parse(await readFile(path.join(dir, 'package.json'), 'utf8')));
  const packages = path.join(REPOSITORY, 'node_modules');
  if (Object.keys(ownManifest.dependencies).every((name) => existsSync(path.join(packages, name)))) {
    await symlink(packages, path.join(dir, 'node_modules'));
  } else {
    await run('npm', ['ci', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund'], {
      cwd: dir,
      timeout: INSTALL_TIMEOUT_MS,
    });
  }
  const known = await readdir(path.join(dir, MIGRATIONS));
  const all = await readdir(path.join(REPOSITORY, MIGRATIONS));
  return {
    program: path.join(dir, 'bin', 'carillon.js'),
    newMigrations: all
      .filter((file) => file.endsWith('.sql') && !known.includes(file))
      .map((file) => path.basename(file, '.sql'))
      .sort(),
  };
}
