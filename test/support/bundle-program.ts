/** Bundles the server as a release has it, for tests that start it: it starts in half the processor time of the TypeScript. */
import { execFile } from 'node:child_process';
import { cp } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

const ROOT = path.join(import.meta.dirname, '../..');
const FOLDER = path.join(ROOT, 'node_modules/.cache/carillon');

export const BUNDLED_PROGRAM = path.join(FOLDER, 'bin/carillon.js');

export async function setup(): Promise<void> {
  // A process of its own: Vitest runs this file without `import.meta.resolve`.
  const program = path.join(ROOT, 'scripts/release/bundle-server.ts');
  await promisify(execFile)(process.execPath, [program, path.join(FOLDER, 'dist')]);
  await cp(path.join(ROOT, 'bin'), path.dirname(BUNDLED_PROGRAM), { recursive: true });
}
