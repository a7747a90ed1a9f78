/**
 * The previous release, as it was: `git archive <its commit> package.json bin src migrations | gzip -9n`, kept beside
 * the tests because a shallow clone has no history to take it from. With a release of ours it is replaced by that one.
 * `gunzip < previous-release.tar.gz | git get-tar-commit-id` tells its commit.
 */
import { execFile } from 'node:child_process';
import { readdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ARCHIVE = fileURLToPath(new URL('previous-release.tar.gz', import.meta.url));
const PACKAGES = fileURLToPath(new URL('../../node_modules', import.meta.url));
const MIGRATIONS = fileURLToPath(new URL('../../migrations', import.meta.url));

export interface PreviousRelease {
  /** Its `bin/carillon.js`. */
  program: string;
  /** The names of the migrations that it does not know. */
  newMigrations: string[];
}

/** Unpacks it into an empty directory; it runs on our packages, with BullMQ, which was its queue, for it alone. */
export async function unpackPreviousRelease(dir: string): Promise<PreviousRelease> {
  await promisify(execFile)('tar', ['-xzf', ARCHIVE, '-C', dir]);
  await symlink(PACKAGES, path.join(dir, 'node_modules'));
  const known = await readdir(path.join(dir, 'migrations'));
  const all = await readdir(MIGRATIONS);
  return {
    program: path.join(dir, 'bin', 'carillon.js'),
    newMigrations: all
      .filter((file) => !known.includes(file))
      .map((file) => file.replace(/\.sql$/, ''))
      .sort(),
  };
}
