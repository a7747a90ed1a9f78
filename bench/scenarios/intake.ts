/**
 * Measures calls per second: POSTs to one device each over 32 connections, with the `api` role only, so that nothing is
 * sent. Compared with the same server without a database (`/healthz`), and with the database without a server (committed
 * rows, over as many connections as an API process has).
 */
import autocannon from 'autocannon';
import { createBenchApp, readIphoneIds } from '../support/app.ts';
import { type Deployment, startCarillon } from '../support/carillon.ts';
import { notificationTo } from '../support/client.ts';
import { COMMITS, measureCommits } from '../calls/commits.ts';
import { type BenchContext, keepOpen } from '../support/context.ts';

const CONNECTIONS = 32;
const DEVICE_IDS_MAX = 100_000;

const API_ALONE: Deployment = { name: 'api', front: 'api', workers: 0 };

const HEALTH = 'GET /healthz';
const INTAKE = 'POST to one device';

export async function intake(context: BenchContext): Promise<void> {
  if (context.redis === undefined) {
    context.figures.note(
      'Neither redis-server nor valkey-server is installed: the role "api" is not measured alone.',
    );
    return;
  }
  const database = keepOpen(context, await context.postgres.createDatabase());
  const app = await createBenchApp(database, context.sink, { platforms: 'iOS', devices: context.devices });
  const bodies = (await readIphoneIds(database, app, DEVICE_IDS_MAX)).map((id) =>
    JSON.stringify(notificationTo([{ name: 'device_id', criteria: [id] }])),
  );
  for (let round = 1; round <= context.runs; round++) {
    context.say(`round ${round} of ${context.runs}`);
    await measureCommits(context, database);
    const carillon = await startCarillon(context, { database, deployment: API_ALONE });
    const { authorization } = carillon.backEnd(app);
    const headers = { authorization, 'content-type': 'application/json' };
    const post = { method: 'POST', path: '/v6/notifications', headers } as const;
    let next = 0;
    const setupRequest = (request: autocannon.Request): autocannon.Request => ({
      ...request,
      body: bodies[next++ % bodies.length] ?? '',
    });
    const load = async (seconds: number, request: autocannon.Request): Promise<autocannon.Result> =>
      callFor(carillon.url, seconds, request);
    await load(1, { ...post, setupRequest });
    addResult(context, HEALTH, await load(context.seconds, { method: 'GET', path: '/healthz' }), []);
    addResult(context, INTAKE, await load(context.seconds, { ...post, setupRequest }), [HEALTH, COMMITS]);
    await carillon.stop();
  }
}

async function callFor(
  url: string,
  seconds: number,
  request: autocannon.Request,
): Promise<autocannon.Result> {
  const result = await autocannon({ url, connections: CONNECTIONS, duration: seconds, requests: [request] });
  if (result.errors > 0 || result.non2xx > 0 || result['2xx'] === 0) {
    throw new Error(`${request.path}: ${result.errors} errors, ${result.non2xx} refusals`);
  }
  return result;
}

function addResult(
  { figures }: BenchContext,
  name: string,
  { requests, latency }: autocannon.Result,
  against: readonly string[],
): void {
  figures.add({ name, unit: 'requests/s', value: requests.average, against });
  const servers = against.filter((baseline) => baseline !== COMMITS);
  figures.add({
    name: `${name}, p99`,
    unit: 'ms',
    value: latency.p99,
    against: servers.map((baseline) => `${baseline}, p99`),
  });
}
