import { statfsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A file system in memory, which Linux has. Docker gives it 64 MB. */
const MEMORY = '/dev/shm';
const FREE_BYTES_MIN = 4 * 1024 ** 3;

/**
 * Makes a directory for a database server of tests, in memory if there is enough: a new database takes 13 ms of processor
 * time there and 62 ms on a disk, because it is hundreds of files. The caller removes the directory.
 */
export async function makeDatabaseDir(prefix: string): Promise<string> {
  return mkdtemp(path.join(hasRoom(MEMORY) ? MEMORY : tmpdir(), prefix));
}

function hasRoom(dir: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(dir);
    return bavail * bsize >= FREE_BYTES_MIN;
  } catch {
    return false; // another system than Linux
  }
}
