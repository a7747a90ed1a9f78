/** The last release before this commit, by its git tag (`v0.1.0`). */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';

const run = promisify(execFile);
const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url));
const MIGRATIONS = 'migrations';
/** The packages of the repository itself: a release has its own, in `packages/`. */
const OWN_SCOPE = '@carillon/';
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
  await run('git', ['archive', '-o', archive, tag], { cwd: REPOSITORY });
  await run('tar', ['-xf', archive, '-C', dir]);
  const ownManifest = manifest.parse(JSON.parse(await readFile(path.join(dir, 'package.json'), 'utf8')));
  const packages = path.join(REPOSITORY, 'node_modules');
  const others = Object.keys(ownManifest.dependencies).filter((name) => !name.startsWith(OWN_SCOPE));
  if (others.every((name) => existsSync(path.join(packages, name)))) {
    await linkPackages(packages, dir);
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

/** As npm would: a link to each package that is installed here, and to each that the release brings itself. */
async function linkPackages(installed: string, dir: string): Promise<void> {
  const modules = path.join(dir, 'node_modules');
  await mkdir(path.join(modules, OWN_SCOPE), { recursive: true });
  for (const name of await readdir(installed)) {
    if (`${name}/` !== OWN_SCOPE) await symlink(path.join(installed, name), path.join(modules, name));
  }
  const own = path.join(dir, 'packages');
  for (const name of existsSync(own) ? await readdir(own) : []) {
    await symlink(path.join(own, name), path.join(modules, OWN_SCOPE, name));
  }
}
