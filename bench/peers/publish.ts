/** Writes the tables into the page, and the picture; those of a short run go to `bench/results/` instead. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BenchContext } from '../support/context.ts';
import { describeMachine, readCommit } from '../support/report.ts';
import { foreignPeers } from './foreign.ts';
import { figureName, PAYLOADS } from './names.ts';
import { drawPicture } from './picture.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PAGE = 'docs/benchmark-of-push-servers.md';
const BEGIN = '<!-- what `npm run bench -- peers` writes -->';
const END = '<!-- end -->';
/** One round may be a bad one for somebody. */
const ROUNDS_MIN = 3;

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
    ...table('Pushes per second', peers, ways, (peer, way, payload) =>
      median({ peer, way, payload }, 'rate'),
    ),
    ...faster(peers, ways, median),
    ...table('Processor time of a push (µs)', peers, ways, (peer, way, payload) =>
      median({ peer, way, payload }, 'time'),
    ),
    ...table('Most memory during the pushes (MiB)', peers, ways, (peer, way, payload) =>
      median({ peer, way, payload }, 'memory'),
    ),
    ...table('One push during a bulk send, 99th percentile (ms)', peers, ways, (peer, way, payload) =>
      median({ peer, way, payload }, 'single'),
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

/** Says where a peer is faster than Carillon without its database. */
function faster(peers: readonly Measured[], ways: readonly string[], median: Median): string[] {
  const lines = ways.flatMap((way) =>
    PAYLOADS.flatMap(({ payload }) => {
      const names = peers.flatMap(({ name, gateway }) => {
        const own = gateway === 'Apple' ? 'Carillon, no database' : `Carillon, no database: ${gateway}`;
        const ratio =
          (median({ peer: name, way, payload }, 'rate') ?? 0) /
          (median({ peer: own, way, payload }, 'rate') ?? Number.NaN);
        return ratio > 1 ? [`${name} (${ratio.toFixed(2)} times)`] : [];
      });
      return names.length === 0 ? [] : [`- ${way}, ${payload}: ${names.join(', ')}`];
    }),
  );
  return [
    lines.length === 0
      ? 'Nothing was faster than Carillon without its database.'
      : 'Faster than Carillon without its database:',
    '',
    ...lines,
    ...(lines.length === 0 ? [] : ['']),
  ];
}

function formatted(value: number | undefined): string {
  if (value === undefined) return '–';
  return value.toLocaleString('en', { maximumFractionDigits: value < 100 ? 1 : 0 });
}
