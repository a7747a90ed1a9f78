/** Writes the tables into the page, the picture, and the figures as data; the picture of a short run goes to `bench/results/` instead. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ALONE } from '../support/carillon.ts';
import type { BenchContext } from '../support/context.ts';
import { describeMachine, readCommit } from '../support/report.ts';
import { foreignPeers } from './foreign.ts';
import { figureName, isOwn, ownLibrary, ownServer, PAYLOADS } from './names.ts';
import { drawPicture } from './picture.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PAGE = 'docs/benchmark-of-push-servers.md';
/** A line of JSON for each figure, with the sample of each round. */
const DATA = 'docs/data/push-servers.ndjson';
const BEGIN = '<!-- what `npm run bench -- peers` writes -->';
const END = '<!-- end -->';
/** One round may be a bad one for somebody. */
const ROUNDS_MIN = 3;

const MEASURED = [
  { measure: 'rate', title: 'Pushes per second', isMoreBetter: true },
  { measure: 'time', title: 'Processor time of a push (µs)', isMoreBetter: false },
  { measure: 'memory', title: 'Most memory during the pushes (MiB)', isMoreBetter: false },
  { measure: 'single', title: 'One push during a bulk send, 99th percentile (ms)', isMoreBetter: false },
] as const;

interface Measured {
  name: string;
  gateway: string;
}

type Median = (...cell: Parameters<typeof figureName>) => number | undefined;

export async function publish(
  context: BenchContext,
  peers: readonly Measured[],
  devices: number,
): Promise<void> {
  const { figures, notes } = context.figures.results();
  const known = new Map(figures.map(({ name, spread }) => [name, spread.median]));
  const median: Median = (...cell) => known.get(figureName(...cell));
  const ways = ['0 ms', '50 ms', '200 ms', 'nghttpd'].filter((way) =>
    figures.some(({ name }) => name.includes(`, ${way}, `)),
  );
  const { node, cores, processor } = describeMachine();
  const versions = foreignPeers.map(({ name, version }) => `${name} ${version}`).join(', ');
  const lines = [
    `${new Date().toISOString().slice(0, 10)}, commit ${await readCommit()}: ${context.runs} rounds of ` +
      `${devices.toLocaleString('en')} pushes on ${cores} cores (${processor}), Node ${node}; ${versions}.`,
    '',
    '![Pushes per second with equal payloads](pictures/push-servers.svg)',
    '',
    ...whereOthersAreBetter(peers, ways, median),
    ...MEASURED.flatMap(({ title, measure }) =>
      table(title, peers, ways, (peer, way, payload) => median({ peer, way, payload }, measure)),
    ),
    ...notes.map((note) => `- ${note}`),
  ];
  const isFull = context.runs >= ROUNDS_MIN && context.only === undefined;
  const picture = path.join(ROOT, isFull ? 'docs/pictures' : 'bench/results', 'push-servers.svg');
  await mkdir(path.dirname(picture), { recursive: true });
  const rates = peers.map(({ name }) => ({
    name,
    rates: ways.map((way) => ({ way, rate: median({ peer: name, way, payload: 'equal' }, 'rate') ?? 0 })),
  }));
  await writeFile(picture, drawPicture(rates.filter((peer) => peer.rates.some(({ rate }) => rate > 0))));
  if (isFull) {
    const file = path.join(ROOT, PAGE);
    const page = await readFile(file, 'utf8');
    const [before = '', after = ''] = [page.split(BEGIN)[0], page.split(END)[1]];
    await writeFile(path.join(ROOT, DATA), figures.map((figure) => `${JSON.stringify(figure)}\n`).join(''));
    await writeFile(file, `${before}${BEGIN}\n\n${lines.join('\n').trim()}\n\n${END}${after}`);
  }
  for (const line of lines) console.log(line);
}

/** Peers without a value are left out, and a table without a peer is none. */
function table(
  title: string,
  peers: readonly Measured[],
  ways: readonly string[],
  value: (peer: string, way: string, payload: 'equal' | 'different') => number | undefined,
): string[] {
  const columns = ways.flatMap((way) => PAYLOADS.map(({ payload }) => ({ way, payload })));
  const rows = peers
    .map(({ name, gateway }) => ({
      name: gateway === 'Apple' ? name : `${name} (${gateway})`.replace(`: ${gateway} (`, ' ('),
      values: columns.map(({ way, payload }) => value(name, way, payload)),
    }))
    .filter(({ values }) => values.some((one) => one !== undefined));
  if (rows.length === 0) return [];
  return [
    `**${title}**`,
    '',
    `| | ${columns.map(({ way, payload }) => `${way}, ${payload}`).join(' | ')} |`,
    `|---|${columns.map(() => '---:').join('|')}|`,
    ...rows.map(({ name, values }) => `| ${name} | ${values.map(formatted).join(' | ')} |`),
    '',
  ];
}

/**
 * Says where others are better than Carillon: a server, whose single pushes are measured too, than Carillon all in one; a
 * library than Carillon without its database.
 */
function whereOthersAreBetter(peers: readonly Measured[], ways: readonly string[], median: Median): string[] {
  const cells = ways.flatMap((way) => PAYLOADS.map(({ payload }) => ({ way, payload })));
  const others = peers.filter(({ name }) => !isOwn(name));
  if (others.length === peers.length) return [];
  const lines = MEASURED.map(({ measure, title, isMoreBetter }) => {
    const better = others.flatMap(({ name, gateway }) => {
      const isServer = cells.some((cell) => median({ ...cell, peer: name }, 'single') !== undefined);
      const own = isServer ? ownServer(ALONE) : ownLibrary(gateway);
      const ratios = cells.flatMap((cell) => {
        const theirs = median({ ...cell, peer: name }, measure);
        const ours = median({ ...cell, peer: own }, measure);
        return theirs === undefined || ours === undefined ? [] : [theirs / ours];
      });
      const found = ratios.filter((ratio) => (isMoreBetter ? ratio > 1 : ratio < 1)).sort((a, b) => a - b);
      if (found.length === 0) return [];
      const range = [...new Set([found[0], found.at(-1)].map((ratio) => ratio?.toFixed(2)))].join(' to ');
      return [`${name} ${range} (${found.length} of ${ratios.length})`];
    });
    return `- ${title}: ${better.length === 0 ? 'nobody' : better.join(', ')}.`;
  });
  return [
    "Where others are better: their value divided by Carillon's, and in how many of the columns. Servers are compared with Carillon",
    'all in one, libraries with Carillon without its database.',
    '',
    ...lines,
    '',
  ];
}

function formatted(value: number | undefined): string {
  if (value === undefined) return '–';
  return value.toLocaleString('en', { maximumFractionDigits: value < 100 ? 1 : 0 });
}
