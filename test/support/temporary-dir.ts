import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { useOpened } from './opened.ts';

/** A directory for the tests of a file (or of a `describe`): made before them, removed after. */
export function useTemporaryDir(): { readonly path: string } {
  return useOpened(async (closing) => {
    const made = await mkdtemp(path.join(tmpdir(), 'carillon-test-'));
    closing.defer(async () => rm(made, { recursive: true, force: true }));
    return { path: made };
  });
}
