/**
 * The same pushes to the same sink by Carillon and by what others use, in turns: with no round trip, with 50 and 200 ms, and to a
 * second server; payloads equal and different. docs/benchmark-of-push-servers.md has the method.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { closedPort } from '../../test/support/ports.ts';
import { createPeerApp, type PeerApp, type PeerFiles, TOPIC, writePeerFiles } from '../peers/app.ts';
import type { PeerRun, PeerSettings } from '../peers/contract.ts';
import { foreignPeers, install, startOf } from '../peers/foreign.ts';
import { startLibrary } from '../peers/libraries.ts';
import { measureRun, measureSingles, type Started, warmUpSingles } from '../peers/measure.ts';
import { type Cell, figureName, ownLibrary, ownServer, PAYLOADS } from '../peers/names.ts';
import { publish } from '../peers/publish.ts';
import { startGorush, startServer } from '../peers/servers.ts';
import { HOST, openWays, type Way, type Ways } from '../peers/ways.ts';
import { WARM_UP_DEVICES } from '../support/app.ts';
import { ALONE, type Deployment, possible, TWO_WORKERS } from '../support/carillon.ts';
import { type BenchContext, keepOpen } from '../support/context.ts';
import type { BenchDatabase } from '../support/postgres.ts';
import { makeDir } from '../support/directory.ts';

interface Setting {
  context: BenchContext;
  ways: Ways;
  files: PeerFiles;
  database: BenchDatabase;
  app: PeerApp;
}

interface Peer {
  name: string;
  gateway: keyof PeerFiles['tokens'];
  /** Another server answers it in a way that it does not understand. */
  needsNginx?: boolean;
  /** Fewer pushes for a slow one, whose rate does not depend on their number. */
  share?: number;
  start(setting: Setting, way: Way): Promise<Started & { stop(): Promise<void> }>;
}

/** Of `--devices`. */
const SHARE = 0.1;
const BARE = 'bare node:http2';

export async function peers(context: BenchContext): Promise<void> {
  if (process.platform !== 'linux') return context.figures.note('peers needs Linux, whose /proc it reads.');
  const devices = Math.ceil(context.devices * SHARE);
  const all = [...ownPeers(), ...(await foreign(context)), ...servers(context)];
  const chosen = all.filter(({ name }) => name.includes(context.only ?? ''));
  const ways = await openWays(context);
  const atSink = { ...context, sink: ways.sink };
  const database = keepOpen(context, await context.postgres.createDatabase());
  const app = await createPeerApp(database, ways.sink.credentials, devices);
  const files = await writePeerFiles(ways.sink, await makeDir(context), devices);
  const setting = { context: atSink, ways, files, database, app };
  for (let round = 1; round <= context.runs; round++) {
    for (const way of ways.ways) {
      for (const peer of chosen) {
        if (!way.counts && (peer.needsNginx === true || peer.gateway !== 'Apple')) continue;
        context.say(`round ${round} of ${context.runs}, ${way.name}: ${peer.name}`);
        await measurePeer(setting, way, { peer, round }).catch((error: unknown) => {
          context.figures.note(`${peer.name}, ${way.name}: ${lastLine(error)}`);
          context.say(String(error));
        });
      }
    }
  }
  await publish(context, chosen, devices);
}

async function measurePeer(
  setting: Setting,
  way: Way,
  { peer, round }: { peer: Peer; round: number },
): Promise<void> {
  const { context, ways, app } = setting;
  const { figures } = context;
  const count = Math.ceil(app.devices * (peer.share ?? 1));
  const started = await peer.start(setting, way);
  try {
    const warmUp = (WARM_UP_DEVICES / PAYLOADS.length) * (peer.share ?? 1);
    for (const { different } of PAYLOADS) await started.send({ first: 0, count: warmUp, different });
    if (way.counts) await warmUpSingles(started, ways);
    for (const [index, { payload, different }] of PAYLOADS.entries()) {
      const run: PeerRun = { first: WARM_UP_DEVICES + index * app.devices, count, different };
      await ways.sink.reset();
      const measured = await measureRun(started, run);
      const { received } = await ways.sink.count();
      if (way.counts && received < count) throw new Error(`the sink received ${received} of ${count} pushes`);
      const cell: Cell = { peer: peer.name, way: way.name, payload };
      const isCompared = context.only === undefined && peer.gateway === 'Apple' && peer.name !== BARE;
      const against = isCompared ? [BARE] : [];
      figures.add(
        figureName(cell, 'rate'),
        measured.pushesPerSecond,
        'pushes/s',
        against.map((name) => figureName({ ...cell, peer: name }, 'rate')),
      );
      figures.add(figureName(cell, 'time'), measured.microseconds, 'µs');
      figures.add(figureName(cell, 'memory'), measured.peakMiB, 'MiB');
      if (started.sendOne === undefined || !way.counts) continue;
      const { p99 } = await measureSingles(started, { ways, run, first: round * app.singles.length });
      figures.add(figureName(cell, 'single'), p99, 'ms');
    }
  } finally {
    await started.stop();
  }
}

const OWN = new URL('../peers/node/carillon.ts', import.meta.url);

function ownPeers(): Peer[] {
  const library = (name: string, gateway: Peer['gateway'], program: URL): Peer => ({
    name,
    gateway,
    start: async (setting, way) => {
      const command = [process.execPath, fileURLToPath(program), gateway];
      return keepOpen(setting.context, startLibrary(command, await settingsFor(setting, way, gateway)));
    },
  });
  const firebase = new URL('../peers/node/firebase-admin.ts', import.meta.url);
  const webPush = new URL('../peers/node/web-push.ts', import.meta.url);
  return [
    library(BARE, 'Apple', new URL('../peers/node/bare.ts', import.meta.url)),
    library(ownLibrary('Apple'), 'Apple', OWN),
    library('node-apn', 'Apple', new URL('../peers/node/node-apn.ts', import.meta.url)),
    library(ownLibrary('Google'), 'Google', OWN),
    library('firebase-admin', 'Google', firebase),
    library(ownLibrary('browsers'), 'browsers', OWN),
    { ...library('web-push', 'browsers', webPush), share: SHARE },
  ];
}

/** Installs them; one that cannot be had is named in a note. */
async function foreign(context: BenchContext): Promise<Peer[]> {
  const had: Peer[] = [];
  for (const peer of foreignPeers.filter(({ name }) => name.includes(context.only ?? ''))) {
    context.say(`${peer.name} ${peer.version}: installing it, if that has not been done`);
    try {
      await install(peer);
    } catch (error) {
      context.figures.note(`${peer.name} ${peer.version} could not be had: ${lastLine(error)}`);
      continue;
    }
    had.push({
      name: peer.name,
      gateway: 'Apple',
      needsNginx: peer.needsNginx ?? false,
      start: async (setting, way) => {
        const settings = await settingsFor(setting, way, 'Apple');
        if (peer.name !== 'gorush') return keepOpen(setting.context, startLibrary(startOf(peer), settings));
        const tokens = readFileSync(setting.files.tokens.Apple, 'utf8').split('\n');
        return startGorush(setting.context, startOf(peer), settings, tokens);
      },
    });
  }
  return had;
}

/** What a program wrote last is at the end of the message. */
function lastLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).trim().split('\n').at(-1) ?? '';
}

function servers(context: BenchContext): Peer[] {
  return possible(context, ALONE, TWO_WORKERS).map((deployment: Deployment) => ({
    name: ownServer(deployment),
    gateway: 'Apple',
    start: async ({ context: atSink, database, app }, { port }) =>
      startServer(atSink, { database, deployment, app, port }),
  }));
}

async function settingsFor(
  { files }: Setting,
  { port, inFlight }: Way,
  gateway: Peer['gateway'],
): Promise<PeerSettings> {
  const { tokens, ...others } = files;
  return {
    ...others,
    host: HOST,
    port,
    topic: TOPIC,
    tokensFile: tokens[gateway],
    notificationId: randomUUID(),
    inFlight,
    listenPort: await closedPort(),
  };
}
