/** The peers that are servers: they are called over HTTP, and send by themselves. */
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { hash } from 'node:crypto';
import { postgresPid } from '../machine/processor-time.ts';
import { type CarillonOptions, startCarillon } from '../support/carillon.ts';
import { exchange } from '../support/client.ts';
import { type BenchContext, keepOpen } from '../support/context.ts';
import { readAnswer } from '../support/programs.ts';
import { EVERYBODY, type PeerApp, SINGLE_PREFIX, TOPIC } from './app.ts';
import type { PeerRun, PeerSettings } from './contract.ts';
import { startByContract } from './libraries.ts';
import type { Started } from './measure.ts';
import { HOST } from './ways.ts';

type StartedServer = Started & { stop(): Promise<void> };

const START_TIMEOUT_MS = 30_000;
/** As many tokens as gorush's documentation allows for Google; it has no limit for Apple. */
const GORUSH_TOKENS = 1_000;
/** gorush refuses more notifications in a call by default. */
const GORUSH_NOTIFICATIONS = 100;
const GORUSH_POLL_EVERY_MS = 10;
const GORUSH_IOS = 1;
const PAYLOAD_BY_USER = { alert: 'Hello {{ device.user_id }}', order_id: 4711 };

const gorushCounts = z.object({ ios: z.object({ push_success: z.number(), push_error: z.number() }) });

export async function startGorush(
  context: BenchContext,
  command: readonly string[],
  settings: PeerSettings,
  tokens: readonly string[],
): Promise<StartedServer> {
  const program = keepOpen(context, startByContract(command, settings));
  const { url } = await readAnswer(program, z.object({ url: z.string() }), START_TIMEOUT_MS);
  const { notificationId } = settings;
  const post = async (notifications: readonly object[]): Promise<void> => {
    const { status } = await exchange(`${url}/api/push`, { method: 'POST', body: { notifications } });
    if (status !== 200) throw new Error(`gorush answered ${status}`);
  };
  const toTokens = (some: readonly string[], alert: string): object => ({
    platform: GORUSH_IOS,
    tokens: some,
    topic: TOPIC,
    message: alert,
    priority: 'high',
    push_type: 'alert',
    expiration: 0,
    collapse_id: notificationId,
    data: { order_id: 4711, _nid: notificationId },
  });
  const sent = async (): Promise<number> => {
    const answer = await exchange(`${url}/api/stat/app`);
    const { ios } = gorushCounts.parse(JSON.parse(answer.text));
    if (ios.push_error > 0) throw new Error(`gorush failed to send ${ios.push_error} pushes`);
    return ios.push_success;
  };
  await untilListening(url);
  return {
    pids: [program.pid],
    helperPids: [],
    send: async (run) => {
      const before = await sent();
      const startedMs = performance.now();
      for (const notifications of gorushCalls(run, tokens, toTokens)) await post(notifications);
      // Single pushes meanwhile count too: a few of thousands, in runs whose time is not a figure.
      while ((await sent()) < before + run.count) await wait(GORUSH_POLL_EVERY_MS);
      return { accepted: run.count, ms: performance.now() - startedMs };
    },
    sendOne: (number) => {
      const token = SINGLE_PREFIX + hash('sha256', `single ${number}`).slice(SINGLE_PREFIX.length);
      return { token, answered: post([toTokens([token], 'Hello')]) };
    },
    stop: async () => program.stop(),
  };
}

/** @returns the notifications of each call */
function* gorushCalls(
  { first, count, different }: PeerRun,
  tokens: readonly string[],
  toTokens: (some: readonly string[], alert: string) => object,
): Generator<object[]> {
  const page = different ? GORUSH_NOTIFICATIONS : GORUSH_TOKENS;
  for (let start = first; start < first + count; start += page) {
    const some = tokens.slice(start, Math.min(start + page, first + count));
    yield different
      ? some.map((token, index) => toTokens([token], `Hello user-${start + index}`))
      : [toTokens(some, 'Hello')];
  }
}

/** gorush prints no line when it listens. */
async function untilListening(url: string): Promise<void> {
  const untilMs = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    const isUp = await exchange(`${url}/healthz`).then(
      () => true,
      () => false,
    );
    if (isUp) return;
    if (Date.now() > untilMs) throw new Error('gorush does not answer');
    await wait(GORUSH_POLL_EVERY_MS);
  }
}

/** @param port the port of the sink, or of a proxy in front of it */
export async function startServer(
  context: BenchContext,
  options: Pick<CarillonOptions, 'database' | 'deployment'> & { app: PeerApp; port: number },
): Promise<StartedServer> {
  const { database, deployment, app, port } = options;
  const url = `https://${HOST}:${port}`;
  const gateways = { apnsUrl: url, fcmUrl: url, oauthUrl: url };
  const carillon = await startCarillon(context, { database, deployment, gateways });
  await carillon.warmUp(app);
  const backEnd = carillon.backEnd(app);
  const helpers = [await postgresPid(database), deployment.workers > 0 ? context.redis?.pid : undefined];
  return {
    pids: carillon.processes.map(({ pid }) => pid),
    helperPids: helpers.filter((pid) => pid !== undefined),
    // To everybody: the app has as many devices as a measured run has pushes.
    send: async ({ different }) => {
      const created = different
        ? await backEnd.create(EVERYBODY, PAYLOAD_BY_USER, { template: true })
        : await backEnd.create(EVERYBODY);
      const { devices, durationMs } = await backEnd.untilSent(created, app.devices);
      return { accepted: devices, ms: durationMs };
    },
    sendOne: (number) => {
      const device = app.singles[number % app.singles.length];
      if (device === undefined) throw new Error('there are no devices for single pushes');
      const created = backEnd.create({ device_id: device.id });
      return { token: device.push_token, answered: created.then(() => undefined) };
    },
    stop: async () => carillon.stop(),
  };
}
