/** The report of a run: a table on the terminal, and all samples as JSON in `bench/results/`. */
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, totalmem } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Figure, Figures, Spread, Unit } from './figures.ts';

export interface Report {
  startedAt: string;
  commit: string;
  node: string;
  cores: number;
  processor: string;
  memoryGiB: number;
  postgres: string;
  sink: { name: string; ceilingRequestsPerSecond: number | null };
  options: { devices: number; runs: number; seconds: number };
  scenarios: Record<string, ReturnType<Figures['results']>>;
}

const run = promisify(execFile);
/** Shown with a decimal place. */
const FINE_UNITS: ReadonlySet<Unit> = new Set(['cores', 'times', 'rows', 's', 'ms']);
const RESULTS_DIR = fileURLToPath(new URL('../results/', import.meta.url));
/** The commit, with a mark if the working tree differs from it. */
export async function readCommit(): Promise<string> {
  const cwd = path.dirname(RESULTS_DIR);
  try {
    return (await run('git', ['describe', '--always', '--dirty', '--abbrev=12'], { cwd })).stdout.trim();
  } catch {
    return 'unknown';
  }
}

export function describeMachine(): Pick<Report, 'node' | 'cores' | 'processor' | 'memoryGiB'> {
  return {
    node: process.versions.node,
    cores: availableParallelism(),
    processor: cpus()[0]?.model ?? 'unknown',
    memoryGiB: Math.round(totalmem() / 2 ** 30),
  };
}

/** @returns the file's path */
export async function writeReport(report: Report): Promise<string> {
  await mkdir(RESULTS_DIR, { recursive: true });
  const file = path.join(RESULTS_DIR, `${report.startedAt.replaceAll(':', '-')}.json`);
  await writeFile(file, `${JSON.stringify(report, null, 2)}\n`);
  return file;
}

export function headLines(report: Omit<Report, 'scenarios'>): string[] {
  const { sink, options } = report;
  const ceiling =
    sink.ceilingRequestsPerSecond === null
      ? 'h2load is not installed, so its ceiling is unknown'
      : `h2load gets ${formatted(sink.ceilingRequestsPerSecond)} requests/s from it`;
  return [
    `Carillon ${report.commit}, Node ${report.node}, ${report.postgres}`,
    `${report.cores} cores (${report.processor}), ${report.memoryGiB} GiB`,
    `Sink: ${sink.name}; ${ceiling}`,
    `${formatted(options.devices)} devices, ${options.runs} rounds, ${options.seconds} s a timed phase`,
  ];
}

export function figureLines(name: string, { figures, notes }: ReturnType<Figures['results']>): string[] {
  const head = ['', 'median', 'min', 'max', 'unit', 'ratio (min to max)', 'against'];
  const rows = [head, ...figures.flatMap(rowsOf)];
  const widths = head.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) => pad(cell, column, widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return [name, ...lines, ...notes.map((note) => `Note: ${note}`)];
}

/** Aligns numbers to the right. */
function pad(cell: string, column: number, width: number): string {
  return column >= 1 && column <= 3 ? cell.padStart(width) : cell.padEnd(width);
}

/** A row for a figure and its first ratio, and one for each further ratio. */
function rowsOf({ name, unit, spread, against }: Figure): string[][] {
  const digits = FINE_UNITS.has(unit) ? 1 : 0;
  const numbers = [spread.median, spread.min, spread.max].map((value) => formatted(value, digits));
  const ratios = against.map(({ name: baseline, ratio }) => [ratioText(ratio), baseline]);
  const [first = [], ...others] = ratios;
  return [[name, ...numbers, unit, ...first], ...others.map((other) => ['', '', '', '', ''].concat(other))];
}

function ratioText(ratio: Spread): string {
  return `${ratio.median.toFixed(2)} (${ratio.min.toFixed(2)} to ${ratio.max.toFixed(2)})`;
}

function formatted(value: number, digits = 0): string {
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
