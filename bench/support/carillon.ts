/** Starts Carillon's real processes, in one of its deployments. */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { closedPort } from '../../test/support/ports.ts';
import { type BenchApp, SECRET_KEY, WARM_UP } from './app.ts';
import { onBeat } from './beat.ts';
import { type BackEnd, openBackEnd, type Sent } from './client.ts';
import { type BenchContext, keepOpen } from './context.ts';
import type { BenchDatabase } from './postgres.ts';
import { type Program, startProgram } from './programs.ts';
import type { GatewayAddresses } from '../sinks/sink.ts';

export interface Deployment {
  name: string;
  /** The role of the process that has the API. */
  front: 'all' | 'api';
  /** The number of additional processes that only send. They need Redis. */
  workers: number;
  /** Undefined: as many as there are cores. */
  bulkThreads?: number;
}

export const ALONE: Deployment = { name: 'all in one', front: 'all', workers: 0 };
export const ONE_THREAD: Deployment = { ...ALONE, name: 'all in one, 1 bulk thread', bulkThreads: 1 };
export const ONE_WORKER: Deployment = { name: 'api + 1 worker', front: 'api', workers: 1 };
export const TWO_WORKERS: Deployment = { name: 'api + 2 workers', front: 'api', workers: 2 };

export interface Carillon {
  url: string;
  /** All of its processes, named after their roles. */
  processes: readonly { name: string; pid: number }[];
  /** The ids of the sending processes. */
  senderPids: readonly number[];
  backEnd(app: BenchApp): BackEnd;
  /** Pushes to a few devices until every sender has open connections and compiled code. */
  warmUp(app: BenchApp): Promise<void>;
  /** Kills one of `processes` as `kill -9`, and starts it again. */
  kill(index: number): Promise<void>;
  stop(): Promise<void>;
}

export interface CarillonOptions {
  database: BenchDatabase;
  deployment: Deployment;
  /** Addresses to use instead of the sink's, such as a proxy's. */
  gateways?: GatewayAddresses;
}

const PROGRAM = fileURLToPath(new URL('../../bin/carillon.js', import.meta.url));
const START_TIMEOUT_MS = 30_000;
const SENDING_TIMEOUT_MS = 60_000;
/** The number of bulk notifications after every process has taken part in one: its threads take turns. */
const WARM_UPS_EXTRA = 4;

/** The deployments that this machine can run: several processes need Redis. */
export function possible(context: BenchContext, ...deployments: readonly Deployment[]): Deployment[] {
  if (context.redis !== undefined) return [...deployments];
  context.figures.note(
    'Neither redis-server nor valkey-server is installed: nothing with a worker of its own.',
  );
  return deployments.filter(({ front }) => front === 'all');
}

export async function startCarillon(context: BenchContext, options: CarillonOptions): Promise<Carillon> {
  const { database, deployment, gateways = context.sink } = options;
  const environment = {
    PORT: String(await closedPort()), // the same after a kill
    DATABASE_URL: database.url,
    SECRET_KEY,
    APNS_PRODUCTION_URL: gateways.apnsUrl,
    APNS_SANDBOX_URL: gateways.apnsUrl,
    FCM_URL: gateways.fcmUrl,
    GOOGLE_OAUTH_URL: gateways.oauthUrl,
    WEB_PUSH_HOSTS: new URL(context.sink.apnsUrl).host,
    GATEWAY_CA_FILE: path.resolve(context.sink.caFile),
    LOG_FORMAT: 'json',
    // Google's quota of 10,000 per second would be the only result for Android.
    FCM_PUSHES_PER_MINUTE: '999999999',
    // All calls come from one key and one address: they are counted, without a limit.
    KEY_REQUESTS_PER_SECOND: '9999999',
    ADDRESS_REQUESTS_PER_SECOND: '9999999',
    ...(deployment.bulkThreads !== undefined && { BULK_THREADS: String(deployment.bulkThreads) }),
  };
  const start = (role: string): Program => {
    const redis = role === 'all' ? {} : { REDIS_URL: context.redis?.url ?? '' };
    const server = startProgram(process.execPath, [PROGRAM, 'start'], {
      environment: { ...environment, ROLE: role, ...redis },
    });
    return keepOpen(context, server);
  };
  const front = start(deployment.front);
  const workers = Array.from({ length: deployment.workers }, () => start('worker'));
  const running = [front, ...workers];
  const roles = [deployment.front, ...workers.map(() => 'worker')];
  const senders = deployment.front === 'all' ? [front] : workers;
  const allSend = Promise.all(
    senders.map(async (sender) => sender.line(/"kind":"session_opened"/, SENDING_TIMEOUT_MS)),
  );
  allSend.catch(() => undefined); // only the warm-up handles the rejection
  const url = await listeningUrl(front);
  const backEnd = (app: BenchApp): BackEnd => openBackEnd(url, app.key);
  return {
    url,
    processes: [
      { name: deployment.workers === 0 ? deployment.name : deployment.front, pid: front.pid },
      ...workers.map(({ pid }, index) => ({ name: index === 0 ? 'worker' : `worker ${index + 1}`, pid })),
    ],
    senderPids: senders.map(({ pid }) => pid),
    backEnd,
    warmUp: async (app) => {
      const client = backEnd(app);
      const sendOnce = async (): Promise<void> => void (await client.send(WARM_UP, app.warmUpDevices));
      await onBeat(allSend, 0, sendOnce);
      for (let extra = 0; extra < WARM_UPS_EXTRA; extra++) await sendOnce();
    },
    kill: async (index) => {
      const [one, role] = [running[index], roles[index]];
      if (one === undefined || role === undefined) throw new Error(`there is no process ${index}`);
      await one.kill();
      running[index] = start(role);
    },
    stop: async () => {
      await Promise.all(running.map(async (server) => server.stop()));
    },
  };
}

async function listeningUrl(server: Program): Promise<string> {
  const line = await server.line(/"kind":"server_listening"/, START_TIMEOUT_MS);
  return z.object({ url: z.string() }).parse(JSON.parse(line)).url;
}

/** Sends one bulk notification and compares it with the sink's count: nothing may be lost. */
export async function sendBulk(
  context: BenchContext,
  backEnd: BackEnd,
  { to, devices, payload }: { to: unknown; devices: number; payload?: unknown },
): Promise<Sent & { pushesPerSecond: number }> {
  await context.sink.reset();
  const sent = await backEnd.send(to, devices, payload);
  const { received, repeated } = await context.sink.count();
  const distinct = received - (repeated ?? 0);
  if (distinct < devices || (repeated !== null && distinct !== devices)) {
    throw new Error(`the sink received ${received} pushes (${repeated} repeated) for ${devices} devices`);
  }
  if (received > devices) context.figures.note(`Pushes were repeated: ${received} for ${devices} devices.`);
  return { ...sent, pushesPerSecond: devices / (sent.durationMs / 1_000) };
}
