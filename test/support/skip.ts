import { it } from 'vitest';

const said = new Set<string>();

/** Skips tests that need a program which this machine lacks, and says so once. */
export function skip(name: string, program: string, reason: string): void {
  if (!said.has(program)) process.stderr.write(`Tests that need ${program} are skipped: ${reason}\n`);
  said.add(program);
  it(name, (context) => context.skip(reason));
}
