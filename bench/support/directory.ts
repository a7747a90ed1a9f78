import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A temporary directory that is removed when the scenario's resources are closed. */
export async function makeDir({ opened }: { opened: AsyncDisposableStack }): Promise<string> {
  const dir = await mkdtemp(path.join(tmpdir(), 'carillon-bench-'));
  opened.defer(async () => rm(dir, { recursive: true, force: true }));
  return dir;
}
