import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A directory that is removed with whatever else is closed at the end. */
export async function makeDir({ opened }: { opened: AsyncDisposableStack }): Promise<string> {
  const dir = await mkdtemp(path.join(tmpdir(), 'carillon-bench-'));
  opened.defer(async () => rm(dir, { recursive: true, force: true }));
  return dir;
}
