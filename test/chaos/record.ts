/** The results of cells: one line of JSON each, so that a run that was interrupted goes on where it was. */
import { execFileSync } from 'node:child_process';
import { appendFile, mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

const resultSchema = z.strictObject({
  where: z.string(),
  fault: z.string(),
  load: z.string(),
  /** When it ended, in UTC. */
  at: z.iso.datetime(),
  /** In words, with the versions of what runs there. */
  machine: z.string(),
  /** Undefined if the cell is green. */
  failed: z.string().optional(),
  /** Pushes or calls that the load consists of. */
  total: z.int(),
  lost: z.int(),
  shown_twice: z.int(),
  repeated: z.int(),
  /** Outcomes that nobody can know: only where a gateway takes pushes and does not answer. */
  doubtful: z.int(),
  /** From the end of the fault until all had ended. */
  seconds: z.number(),
  /** What `/readyz` said meanwhile: codes of troubles, and statuses other than 200. */
  said: z.array(z.string()),
});
export type Result = z.infer<typeof resultSchema>;

const DIR = fileURLToPath(new URL('../../bench/results/chaos', import.meta.url));

/** What a result depends on. */
const TESTED = ['bin', 'migrations', 'packages', 'package-lock.json', 'src', 'test/chaos'];

/** The commit that last changed the program or the matrix: results outlive one that changes documents. */
export function testedCommit(): string {
  return execFileSync('git', ['log', '-1', '--format=%h', '--', ...TESTED], { encoding: 'utf8' }).trim();
}

/** The results of one commit. */
export interface Record {
  /** The newest of each cell. */
  results(): Promise<Result[]>;
  /** Several processes may do so at once: a short line is appended as a whole. */
  add(result: Result): Promise<void>;
}

export function openRecord(commit: string): Record {
  const file = path.join(DIR, `${commit}.ndjson`);
  return {
    results: async () => {
      const text = await readFile(file, 'utf8').catch(() => '');
      const results = text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => resultSchema.parse(JSON.parse(line)));
      return [...new Map(results.map((result) => [`${result.fault}, ${result.load}`, result])).values()];
    },
    add: async (result) => {
      await mkdir(DIR, { recursive: true });
      await appendFile(file, `${JSON.stringify(result)}\n`);
    },
  };
}
