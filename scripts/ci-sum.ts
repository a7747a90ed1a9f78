/**
 * The end of CI: runs each file with a failed test once more, alone, and prints the sum of all runs. Arguments: the
 * exit status of the checks that run no test, and for each run of Vitest its configuration, its JSON report, and its
 * exit status.
 *
 * A test that passes the second time is flaky: it is printed as `FLAKY name` and does not stop the others' work; its
 * cause is still a bug. After an error outside of all tests (a worker process that died), the whole run is repeated.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';

const reportSchema = z.object({
  numPassedTests: z.number(),
  numPendingTests: z.number(),
  numTodoTests: z.number(),
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string(),
      assertionResults: z.array(
        z.object({
          fullName: z.string(),
          status: z.string(),
          failureMessages: z.array(z.string()).nullish(),
        }),
      ),
    }),
  ),
});
export type Report = z.output<typeof reportSchema>;

/** The result of a run; `failures` by the name of the test, or of the file if it failed outside of its tests. */
export interface Result {
  passed: number;
  skipped: number;
  failures: ReadonlyMap<string, { file: string; message: string }>;
  /** Whether the command failed although no test did. */
  failedOutsideTests: boolean;
}

export interface Sum {
  passed: number;
  failed: number;
  skipped: number;
  lines: readonly string[];
}

/** With more failed files than this, the change is broken, and running them again would only take time. */
const RERUN_FILES_MAX = 20;

/** @param report undefined if Vitest did not get far enough to write one */
export function resultOf(report: Report | undefined, status: number): Result {
  const failures = new Map<string, { file: string; message: string }>();
  for (const { name: file, status: fileStatus, message, assertionResults } of report?.testResults ?? []) {
    const failed = assertionResults.filter((test) => test.status === 'failed');
    for (const test of failed) {
      failures.set(test.fullName, { file, message: (test.failureMessages ?? []).join('\n') });
    }
    if (fileStatus === 'failed' && failed.length === 0) failures.set(file, { file, message });
  }
  return {
    passed: report?.numPassedTests ?? 0,
    skipped: (report?.numPendingTests ?? 0) + (report?.numTodoTests ?? 0),
    failures,
    failedOutsideTests: failures.size === 0 && (status !== 0 || report === undefined),
  };
}

/**
 * Repeats the failed tests of `result` through `rerun`, which runs the named files alone, or all files if none are
 * named. Tests that fail again are `failed`.
 */
export function sumOf(result: Result, canRerun: boolean, rerun: (files: readonly string[]) => Result): Sum {
  const files = new Set([...result.failures.values()].map(({ file }) => file));
  const names = [...result.failures.keys()];
  const mayRerun = canRerun && files.size <= RERUN_FILES_MAX && (files.size > 0 || result.failedOutsideTests);
  const second = mayRerun ? rerun([...files]) : result;
  const again = (name: string, file: string): boolean =>
    second.failures.has(name) || second.failures.has(file) || second.failedOutsideTests;
  const failed = [...result.failures].filter(([name, { file }]) => again(name, file));
  const flaky = names.filter((name) => !failed.some(([failedName]) => failedName === name));
  const outside = result.failedOutsideTests && (second.failedOutsideTests || second.failures.size > 0);
  if (result.failedOutsideTests && !outside) flaky.push('an error outside of all tests');
  return {
    passed: result.passed + flaky.length,
    failed: failed.length + (outside ? 1 : 0),
    skipped: result.skipped,
    lines: [
      ...failed.map(([name, { message }]) => `FAILED ${name}\n${message.slice(0, 2_000)}`),
      ...(outside ? ['FAILED outside of all tests'] : []),
      ...flaky.map((name) => `FLAKY ${name}`),
    ],
  };
}

function readReport(path: string): Report | undefined {
  try {
    return reportSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function runAlone(config: string, files: readonly string[]): Result {
  const dir = mkdtempSync(join(tmpdir(), 'carillon-rerun-'));
  const report = join(dir, 'report.json');
  const { status } = spawnSync('npx', ['vitest', 'run', '--config', config, '--maxWorkers=1', ...files], {
    stdio: 'inherit',
    env: { ...process.env, VITEST_REPORT: report },
  });
  const result = resultOf(readReport(report), status ?? 1);
  rmSync(dir, { recursive: true });
  return result;
}

function main(args: readonly string[]): number {
  const [checks, ...runs] = args;
  const sum = { passed: 0, failed: checks === '0' ? 0 : 1, skipped: 0 };
  if (checks !== '0') process.stdout.write('FAILED format, lint, types or dead code\n');
  for (let at = 0; at + 2 < runs.length; at += 3) {
    const [config = '', reportPath = '', status = '1'] = runs.slice(at, at + 3);
    const report = readReport(reportPath);
    const part = sumOf(resultOf(report, Number(status)), report !== undefined, (files) =>
      runAlone(config, files),
    );
    for (const line of part.lines) process.stdout.write(`${line}\n`);
    sum.passed += part.passed;
    sum.failed += part.failed;
    sum.skipped += part.skipped;
  }
  process.stdout.write(`${sum.passed} passed, ${sum.failed} failed, ${sum.skipped} skipped\n`);
  return sum.failed === 0 ? 0 : 1;
}

if (import.meta.main) process.exitCode = main(process.argv.slice(2));
