/** The results of cells: one line of JSON each, so that a run that was interrupted goes on where it was. */
import { appendFile, mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

const resultSchema = z.strictObject({
  where: z.string(),
  fault: z.string(),
  load: z.string(),
  /** Undefined if the cell is green. */
  failed: z.string().optional(),
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

/** The results of one commit. */
export interface Record {
  results(): Promise<Result[]>;
  add(result: Result): Promise<void>;
}

export function openRecord(commit: string): Record {
  const file = path.join(DIR, `${commit}.ndjson`);
  return {
    results: async () => {
      const text = await readFile(file, 'utf8').catch(() => '');
      return text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => resultSchema.parse(JSON.parse(line)));
    },
    add: async (result) => {
      await mkdir(DIR, { recursive: true });
      await appendFile(file, `${JSON.stringify(result)}\n`);
    },
  };
}
