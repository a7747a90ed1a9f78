/**
 * Repeated reads of an audience while nothing changes, over 32 connections: a large one (half of all devices) and a small
 * one. At full speed (autocannon), and at an even 2,000 reads per second, the rate for which the latency of a read is
 * promised. Compared with the same server without a database (`/healthz`).
 */
import autocannon from 'autocannon';
import { z } from 'zod';
import { createBenchApp, HALF, readIphoneIds } from '../support/app.ts';
import { ALONE, type Deployment, possible, startCarillon } from '../support/carillon.ts';
import { type BenchContext, keepOpen } from '../support/context.ts';
import { readAnswer, startScript } from '../support/programs.ts';
import { percentile } from '../support/statistics.ts';

const EVEN_READS = new URL('../processes/even-reads.ts', import.meta.url);
const CONNECTIONS = 32;
const EVEN_READS_PER_SECOND = 2_000;
const WARM_UP_SECONDS = 2;
const SMALL_DEVICES = 3;
const REQUEST_TIMEOUT_MS = 30_000;

const API_ALONE: Deployment = { name: 'api', front: 'api', workers: 0 };

const made = z.object({ audience: z.object({ id: z.string(), device_count: z.number() }) });

const evenReads = z.object({ p50: z.number(), p99: z.number() });

interface Target {
  url: string;
  path: string;
  headers: Record<string, string>;
}

export async function audienceRead(context: BenchContext): Promise<void> {
  const database = keepOpen(context, await context.postgres.createDatabase());
  const app = await createBenchApp(database, context.sink, { platforms: 'iOS', devices: context.devices });
  const someIds = await readIphoneIds(database, app, SMALL_DEVICES);
  const audiences = { large: HALF, small: [{ name: 'device_id', criteria: someIds }] };
  for (let round = 1; round <= context.runs; round++) {
    for (const deployment of possible(context, API_ALONE, ALONE)) {
      context.say(`round ${round} of ${context.runs}: ${deployment.name}`);
      const carillon = await startCarillon(context, { database, deployment });
      const headers = { authorization: carillon.backEnd(app).authorization };
      const health = { url: carillon.url, path: '/healthz', headers: {} };
      await readAtFullSpeed(health, WARM_UP_SECONDS);
      await measure(context, { what: `${deployment.name}: GET /healthz`, target: health });
      for (const [size, filters] of Object.entries(audiences)) {
        const target = { ...health, path: await makeAudience(health.url, headers, filters), headers };
        await readAtFullSpeed(target, WARM_UP_SECONDS);
        const against = `${deployment.name}: GET /healthz`;
        await measure(context, { what: `${deployment.name}: a ${size} audience`, target, against });
      }
      await carillon.stop();
    }
  }
}

/** @returns the path of a new audience */
async function makeAudience(
  url: string,
  headers: Target['headers'],
  filters: readonly unknown[],
): Promise<string> {
  const response = await fetch(`${url}/v6/audiences`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ audience: { name: 'Bench', filters } }),
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  });
  return `/v6/audiences/${made.parse(await response.json()).audience.id}`;
}

async function measure(
  { figures, seconds }: BenchContext,
  { what, target, against }: { what: string; target: Target; against?: string },
): Promise<void> {
  const add = (name: string, unit: 'ms' | 'requests/s', value: number): void =>
    figures.add({
      name: `${what}, ${name}`,
      unit,
      value,
      ...(against !== undefined && { against: [`${against}, ${name}`] }),
    });
  const full = await readAtFullSpeed(target, seconds);
  add('full speed', 'requests/s', full.perSecond);
  add('full speed, p50', 'ms', percentile(full.durationsMs, 50));
  add('full speed, p99', 'ms', percentile(full.durationsMs, 99));
  const even = await readEvenly(target, seconds);
  add('even, p50', 'ms', even.p50);
  add('even, p99', 'ms', even.p99);
}

/** Every connection reads again when it has an answer. */
async function readAtFullSpeed(
  { url, path, headers }: Target,
  seconds: number,
): Promise<{ perSecond: number; durationsMs: number[] }> {
  const durationsMs: number[] = [];
  const ended = Promise.withResolvers<autocannon.Result>();
  const options = { url: url + path, headers, connections: CONNECTIONS, duration: seconds };
  const running = autocannon(options, (error: unknown, result) =>
    error ? ended.reject(error) : ended.resolve(result),
  );
  running.on('response', (_client, _status, _bytes, responseTime) => durationsMs.push(responseTime));
  const { requests, errors, non2xx } = await ended.promise;
  if (errors > 0 || non2xx > 0) throw new Error(`${path}: ${errors} errors, ${non2xx} refusals`);
  return { perSecond: requests.average, durationsMs };
}

/** @returns median and high percentile, in milliseconds */
async function readEvenly(
  { url, path, headers }: Target,
  seconds: number,
): Promise<z.output<typeof evenReads>> {
  const reader = startScript(EVEN_READS, {
    url: url + path,
    headers,
    connections: CONNECTIONS,
    perSecond: EVEN_READS_PER_SECOND,
    warmUpSeconds: WARM_UP_SECONDS,
    seconds,
  });
  try {
    return await readAnswer(reader, evenReads, (WARM_UP_SECONDS + seconds) * 1_000 + REQUEST_TIMEOUT_MS);
  } finally {
    await reader.stop();
  }
}
