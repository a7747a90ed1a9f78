/** docs/chaos.md: its tables are made of the results, the sentences before and after them are written by hand. The results are next to it. */
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { faults, loads } from './matrix.ts';
import { openRecord, type Result, testedCommit } from './record.ts';

const PAGE = fileURLToPath(new URL('../../docs/chaos.md', import.meta.url));
/** A line of JSON for each cell. */
const DATA = fileURLToPath(new URL('../../docs/data/chaos.ndjson', import.meta.url));
const RESULTS = /(?<=<!-- results -->\n)[^]*(?=<!-- end of results -->)/;

/** Names of rows and columns, in the order of the page. */
export interface Axes {
  faults: readonly { where: string; name: string }[];
  loads: readonly { name: string }[];
}

/** @returns the tables, in Markdown; the same for the same results, in whatever order */
export function tablesOf(commit: string, results: readonly Result[], axes: Axes): string {
  const rows = axes.faults
    .map(({ where, name }) => ({
      name: `${where}: ${name}`,
      found: results.filter((result) => result.where === where && result.fault === name),
    }))
    .filter(({ found }) => found.length > 0);
  const found = rows.flatMap((row) => row.found);
  const newest = found.toSorted((left, right) => right.at.localeCompare(left.at))[0];
  const sum = (key: 'total' | 'lost' | 'shown_twice' | 'repeated' | 'doubtful'): string =>
    found.reduce((total, result) => total + Math.max(0, result[key]), 0).toLocaleString('en');
  const red = found.filter(({ failed }) => failed !== undefined);
  const missing = axes.faults
    .map(({ where, name }) => `${where}: ${name}`)
    .filter((name) => !rows.some((row) => row.name === name));
  return [
    `Commit \`${commit}\`, ${newest?.at.slice(0, 10)}, ${newest?.machine}.`,
    '',
    '| cells | on record | red | pushes and calls | lost | shown twice | repeated | in doubt |',
    '|---|---|---|---|---|---|---|---|',
    line([
      axes.faults.length * axes.loads.length,
      found.length,
      red.length,
      sum('total'),
      sum('lost'),
      sum('shown_twice'),
      sum('repeated'),
      sum('doubtful'),
    ]),
    '',
    ...(missing.length > 0 ? [`Not on record: ${missing.join('; ')}.`, ''] : []),
    line(['fault', ...axes.loads.map(({ name }) => name)]),
    line(['---', ...axes.loads.map(() => '---')]),
    ...rows.map((row) =>
      line([row.name, ...axes.loads.map(({ name }) => cellOf(row.found.find(({ load }) => load === name)))]),
    ),
    '',
    '| fault | `/readyz` said |',
    '|---|---|',
    ...rows.map((row) => line([row.name, saidIn(row.found)])),
    '',
  ].join('\n');
}

function line(cells: readonly (string | number)[]): string {
  return `| ${cells.join(' | ')} |`;
}

/** Seconds; repeats in brackets; pushes in doubt. */
function cellOf(result: Result | undefined): string {
  if (result === undefined) return '';
  if (result.failed !== undefined) return '✗';
  const repeated = result.repeated > 0 ? ` (${result.repeated})` : '';
  const doubtful = result.doubtful > 0 ? ` ?${result.doubtful}` : '';
  return `${Math.round(result.seconds)}${repeated}${doubtful}`;
}

function saidIn(results: readonly Result[]): string {
  const said = new Set(results.flatMap((result) => result.said));
  return [...said]
    .sort()
    .map((word) => (/\s/.test(word) ? word : `\`${word}\``))
    .join(', ');
}

async function writePage(): Promise<void> {
  const commit = testedCommit();
  const results = await openRecord(commit).results();
  if (results.length === 0) return;
  const text = await readFile(PAGE, 'utf8');
  await writeFile(
    PAGE,
    text.replace(RESULTS, () => tablesOf(commit, results, { faults, loads })),
  );
  await writeFile(DATA, results.map((result) => `${JSON.stringify(result)}\n`).join(''));
}

/** Vitest calls what it returns when a run is over. One of a few cells (`npm run chaos -- …`) leaves the page as it is. */
export function setup(): () => Promise<void> {
  const isWhole = process.argv.at(-1)?.endsWith('vitest.chaos.config.ts') === true;
  return async () => {
    if (isWhole) await writePage();
  };
}
