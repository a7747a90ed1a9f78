/** The ways to the sink: straight, from far away, and to another server. All have the same certificate. */
import { appendFile, readFile, truncate } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { closedPort, isFree } from '../../test/support/ports.ts';
import { openNginxSink } from '../sinks/nginx-sink.ts';
import type { Sink } from '../sinks/sink.ts';
import { type BenchContext, keepOpen } from '../support/context.ts';
import { makeDir } from '../support/directory.ts';
import { findProgram, readAnswer, startProgram, startScript } from '../support/programs.ts';
import { SINGLE_PREFIX } from './app.ts';

export interface Way {
  /** `0 ms`, `nghttpd`. */
  name: string;
  port: number;
  /** The most pushes in flight of libraries that leave it to their caller. */
  inFlight: number;
  /** Whether the sink counts pushes, and notes when single ones arrive. */
  counts: boolean;
}

export interface Ways {
  sink: Sink;
  ways: readonly Way[];
  /** Forgets the single pushes so far. */
  forgetArrivals(): Promise<void>;
  /** When the sink had answered the push to each token (Unix ms), as soon as there are so many. */
  arrivals(count: number): Promise<Map<string, number>>;
}

export const HOST = '127.0.0.1';
const NGHTTPD = 'nghttpd';
const PROXY = new URL('../processes/delay-proxy.ts', import.meta.url);
const ROUND_TRIPS_MS = [50, 200];
/** Without a distance more would only take memory; with one, the most that a connection to Apple usually has. */
const IN_FLIGHT = 100;
const IN_FLIGHT_FAR = 1_000;
const START_TIMEOUT_MS = 10_000;
const ARRIVAL_TIMEOUT_MS = 120_000;

/** @throws if nginx is not installed */
export async function openWays(context: BenchContext): Promise<Ways> {
  const nginx = findProgram('nginx');
  if (nginx === undefined) throw new Error('nginx is not installed');
  const dir = await makeDir(context);
  const log = path.join(dir, 'singles.log');
  await appendFile(log, '');
  // Apple repeats the id of a push in its answer, and aioapns needs that.
  const echo = 'add_header apns-id $http_apns_id;';
  const singles = `location /3/device/${SINGLE_PREFIX} { access_log ${log} single; ${echo} return 200; }`;
  const sink = keepOpen(context, await openNginxSink(nginx, dir, `${singles} ${echo}`));
  const port = Number(new URL(sink.apnsUrl).port);
  const ways: Way[] = [{ name: '0 ms', port, inFlight: IN_FLIGHT, counts: true }];
  for (const roundTripMs of ROUND_TRIPS_MS) {
    const input = { delayMs: roundTripMs / 2, targets: [{ host: HOST, port }] };
    const proxy = keepOpen(context, startScript(PROXY, input));
    const { ports } = await readAnswer(proxy, z.object({ ports: z.tuple([z.number()]) }), START_TIMEOUT_MS);
    ways.push({ name: `${roundTripMs} ms`, port: ports[0], inFlight: IN_FLIGHT_FAR, counts: true });
  }
  const other = await openNghttpd(context, dir);
  if (other !== undefined) ways.push({ name: NGHTTPD, port: other, inFlight: IN_FLIGHT, counts: false });
  return {
    sink,
    ways,
    forgetArrivals: async () => truncate(log),
    arrivals: async (count) => {
      const untilMs = Date.now() + ARRIVAL_TIMEOUT_MS;
      for (;;) {
        const lines = (await readFile(log, 'utf8')).split('\n').slice(0, -1);
        const arrived = lines.map((line): [string, number] => {
          const [seconds = '', address = ''] = line.split(' ');
          return [address.slice(address.lastIndexOf('/') + 1), Number(seconds) * 1_000];
        });
        if (arrived.length >= count) return new Map(arrived);
        if (Date.now() > untilMs) throw new Error(`${arrived.length} of ${count} single pushes arrived`);
        await wait(50);
      }
    },
  };
}

/** nghttp2's server sends each body back. @returns its port; undefined if it is not installed */
async function openNghttpd(context: BenchContext, dir: string): Promise<number | undefined> {
  const program = findProgram('nghttpd');
  if (program === undefined) {
    context.figures.note('nghttpd is not installed.');
    return undefined;
  }
  const port = await closedPort();
  const files = [path.join(dir, 'server.key'), path.join(dir, 'server.pem')];
  const words = ['--echo-upload', `--address=${HOST}`, '--max-concurrent-streams=1000', '--workers=2'];
  keepOpen(context, startProgram(program, [...words, String(port), ...files]));
  // It prints no line in time when it listens.
  const untilMs = Date.now() + START_TIMEOUT_MS;
  while (await isFree(port)) {
    if (Date.now() > untilMs) throw new Error('nghttpd does not listen');
    await wait(50);
  }
  return port;
}
