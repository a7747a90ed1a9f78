import type { Readable, Writable } from 'node:stream';

/** The environment and the streams that a command uses: the process's own, or those that a test passes in. */
export interface Terminal {
  env: Readonly<Record<string, string | undefined>>;
  stdin: Readable & { isTTY?: boolean };
  stdout: Writable & { isTTY?: boolean; columns?: number };
  stderr: Writable & { isTTY?: boolean };
}

/** A command has failed and has printed why: it exits with 1, and nothing is added. */
export class PrintedFailure extends Error {
  override readonly name = 'PrintedFailure';
}
