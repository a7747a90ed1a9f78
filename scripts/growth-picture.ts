/**
 * Draws the figures that grow with the number of devices: `npm run pictures:growth`, from
 * docs/measurements/growth.json. With the names of results of `npm run bench -- growth`, it first writes their figures
 * to that file, in place of the figures for the same number of devices.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

const FIGURES = fileURLToPath(new URL('../docs/measurements/growth.json', import.meta.url));
const PICTURE = fileURLToPath(new URL('../docs/pictures/growth.svg', import.meta.url));

const resultSchema = z.object({
  startedAt: z.string(),
  commit: z.string(),
  node: z.string(),
  cores: z.number(),
  processor: z.string(),
  memoryGiB: z.number(),
  postgres: z.string(),
  options: z.object({ devices: z.number() }),
  scenarios: z.object({
    growth: z.object({
      figures: z.array(
        z.object({ name: z.string(), unit: z.string(), spread: z.object({ median: z.number() }) }),
      ),
    }),
  }),
});

const runSchema = z.object({
  devices: z.number(),
  startedAt: z.string(),
  commit: z.string(),
  machine: z.string(),
  figures: z.record(z.string(), z.object({ value: z.number(), unit: z.string() })),
});
type Run = z.output<typeof runSchema>;

interface Panel {
  title: string;
  /** Names of the figures to add up, and how their unit is converted. */
  figures: readonly string[];
  scale?: { by: number; unit: string };
}

const PANELS: readonly Panel[] = [
  {
    title: 'Import, until all is indexed',
    figures: [
      'import, in all',
      'import: its devices are all indexed after',
      'import: their count bitmaps are built after',
    ],
    scale: { by: 1 / 60, unit: 'min' },
  },
  { title: 'Push to all', figures: ['bulk send, in all'] },
  { title: 'On disk', figures: ['on disk: all of it'], scale: { by: 1 / 1_024, unit: 'GiB' } },
  { title: 'Count of an audience, median of 24', figures: ['count: median of all'] },
  { title: 'Count of an audience, slowest of 24', figures: ['count: the slowest'] },
  { title: 'Memory of the server, largest', figures: ['all in one, largest, after the bulk sends'] },
];

const WIDTH = 960;
const COLUMNS = 3;
const PANEL = { width: 300, height: 210, gap: 30, top: 60 };
/** The area of the drawing in a panel. */
const AREA = { left: 8, right: 270, top: 44, bottom: 172 };

const STYLE = `
  text { font: 12px system-ui, sans-serif; fill: #59636e }
  .title { font-weight: 600; fill: #1f2328 }
  .value { font-weight: 600; fill: #1f2328; text-anchor: middle; paint-order: stroke; stroke: #fff; stroke-width: 5px }
  .devices { text-anchor: middle }
  .axis { stroke: #d0d7de }
  .line { stroke: #0a6cc4; stroke-width: 2; fill: none }
  .point { fill: #0a6cc4 }
  .proportional { stroke: #8c959f; stroke-dasharray: 4 4; fill: none }
  @media (prefers-color-scheme: dark) {
    text { fill: #9198a1 }
    .title, .value { fill: #f0f6fc }
    .value { stroke: #0d1117 }
    .axis { stroke: #3d444d }
    .line { stroke: #58a6ff }
    .point { fill: #58a6ff }
    .proportional { stroke: #6e7681 }
  }`;

async function main(results: readonly string[]): Promise<void> {
  if (results.length > 0) await addFigures(results);
  await writeFile(PICTURE, draw(await readFigures()));
  process.stdout.write(`${PICTURE}\n`);
}

async function readFigures(): Promise<Run[]> {
  return z.array(runSchema).parse(JSON.parse(await readFile(FIGURES, 'utf8')));
}

async function addFigures(results: readonly string[]): Promise<void> {
  const added = await Promise.all(
    results.map(async (name) => runOf(resultSchema.parse(JSON.parse(await readFile(name, 'utf8'))))),
  );
  const numbers = new Set(added.map(({ devices }) => devices));
  const kept = (await readFigures()).filter(({ devices }) => !numbers.has(devices));
  const runs = [...kept, ...added];
  runs.sort((one, other) => one.devices - other.devices);
  await writeFile(FIGURES, `${JSON.stringify(runs, null, 2)}\n`);
}

function runOf(result: z.output<typeof resultSchema>): Run {
  const { startedAt, commit, node, cores, processor, memoryGiB, postgres, options, scenarios } = result;
  return {
    devices: options.devices,
    startedAt,
    commit,
    machine: `${cores} cores (${processor}), ${memoryGiB} GiB, Node ${node}, ${postgres}`,
    figures: Object.fromEntries(
      scenarios.growth.figures.map(({ name, unit, spread }) => [
        name,
        { value: Number(spread.median.toPrecision(4)), unit },
      ]),
    ),
  };
}

function draw(runs: readonly Run[]): string {
  const height = PANEL.top + Math.ceil(PANELS.length / COLUMNS) * (PANEL.height + PANEL.gap);
  const panels = PANELS.map((panel, index) => {
    const x = (index % COLUMNS) * (PANEL.width + PANEL.gap);
    const y = PANEL.top + Math.floor(index / COLUMNS) * (PANEL.height + PANEL.gap);
    return `<g transform="translate(${x} ${y})">${drawPanel(panel, runs)}</g>`;
  });
  const [smallest, largest] = [runs[0]?.devices ?? 0, runs.at(-1)?.devices ?? 0];
  const title = `What ${millions(smallest)} to ${millions(largest)} devices cost on one machine`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${title}">
<style>${STYLE}</style>
<text class="title" x="8" y="20" style="font-size: 16px">${title}</text>
<text x="8" y="40">Both axes are logarithmic. Dashed: what it would be if it grew as the devices do.</text>
${panels.join('\n')}
</svg>
`;
}

function drawPanel({ title, figures: names, scale }: Panel, runs: readonly Run[]): string {
  const values = runs.map(({ devices, figures }) => {
    const found = names.map((name) => {
      const figure = figures[name];
      if (figure === undefined) throw new Error(`the run with ${devices} devices has no figure “${name}”`);
      return figure;
    });
    const sum = found.reduce((total, { value }) => total + value, 0);
    return { devices, value: sum * (scale?.by ?? 1), unit: scale?.unit ?? found[0]?.unit ?? '' };
  });
  const [first] = values;
  const last = values.at(-1);
  if (first === undefined || last === undefined) throw new Error('there is no run');
  const proportional = (first.value * last.devices) / first.devices;
  const all = [...values.map(({ value }) => value), proportional];
  const range = { min: Math.min(...all), max: Math.max(...all) };
  const x = (devices: number): number => along(devices, [first.devices, last.devices], [40, 230]);
  const y = (value: number): number =>
    along(value, [range.min, range.max], [AREA.bottom - 20, AREA.top + 14]);
  const points = values.map(({ devices, value }) => `${x(devices)},${y(value)}`);
  return [
    `<text class="title" x="${AREA.left}" y="16">${title}</text>`,
    `<line class="axis" x1="${AREA.left}" x2="${AREA.right}" y1="${AREA.bottom}" y2="${AREA.bottom}"/>`,
    `<path class="proportional" d="M${points[0]} L${x(last.devices)},${y(proportional)}"/>`,
    `<polyline class="line" points="${points.join(' ')}"/>`,
    ...values.flatMap(({ devices, value, unit }) => [
      `<circle class="point" cx="${x(devices)}" cy="${y(value)}" r="4"/>`,
      `<text class="value" x="${x(devices)}" y="${y(value) - 10}">${rounded(value)} ${unit}</text>`,
      `<text class="devices" x="${x(devices)}" y="${AREA.bottom + 18}">${millions(devices)}</text>`,
    ]),
  ].join('\n');
}

/** The position of a value between two pixels, on a logarithmic scale. */
function along(value: number, [from, to]: [number, number], [start, end]: [number, number]): number {
  if (from === to) return Math.round((start + end) / 2);
  return Math.round(start + ((end - start) * Math.log(value / from)) / Math.log(to / from));
}

function rounded(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString('en');
  return value.toPrecision(2);
}

function millions(devices: number): string {
  return devices >= 1_000_000 ? `${devices / 1_000_000} million` : devices.toLocaleString('en');
}

await main(process.argv.slice(2));
