import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll } from 'vitest';

/** A directory for the tests of a file (or of a `describe`): made before them, removed after. */
export function useTemporaryDir(): { readonly path: string } {
  let made = '';
  beforeAll(async () => {
    made = await mkdtemp(path.join(tmpdir(), 'carillon-test-'));
  });
  afterAll(async () => rm(made, { recursive: true, force: true }));
  return {
    get path() {
      return made;
    },
  };
}
