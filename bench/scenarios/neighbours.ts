/**
 * Measures what a bulk send loses to other work of the same server: 200 changed registrations or 500 single pushes a second. A bare
 * loop loses to the same neighbours because they use the same cores; the ratio of both ratios is what Carillon itself adds.
 */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { createApiKey } from '../../src/apps/api-keys.ts';
import { systemClock } from '../../src/clock.ts';
import { type Bodies, type Calls, writeBodies } from '../calls/caller.ts';
import { untilAllEnded } from '../calls/deliveries.ts';
import { warmUpSingles, whileCalling } from '../calls/single-pushes.ts';
import { writeSingles } from '../calls/target-bodies.ts';
import { type BenchApp, openBenchApp, readTokens, type TokenFiles, writeTokenFiles } from '../support/app.ts';
import { runBaseline } from '../support/baseline.ts';
import { ALONE, startCarillon } from '../support/carillon.ts';
import type { BenchContext } from '../support/context.ts';
import { makeDir } from '../support/directory.ts';
import type { BenchDatabase } from '../support/postgres.ts';

const CHANGES_PER_SECOND = 200;
const CHANGED_DEVICES_MAX = 100_000;
const PUSHES_PER_SECOND = 500;
/** The bare loop runs in as many processes as Carillon has bulk threads. */
const LOOPS = 2;

interface Neighbour {
  name: string;
  /** Undefined: there is none. */
  calls?: Omit<Calls, 'seconds'>;
}

interface Sender {
  name: string;
  /** @returns pushes per second */
  send: () => Promise<number>;
}

export async function neighbours(context: BenchContext): Promise<void> {
  const { database, app } = await openBenchApp(context, 'both');
  const scopes = ['read', 'write', 'register'] as const;
  const { key } = await createApiKey(database.db, { appId: app.id, scopes: [...scopes] }, systemClock);
  const dir = await makeDir(context);
  const halves = await writeHalves(dir, database, app);
  const singles = await writeSingles(dir, database, app, 'by a filter');
  const changes = await writeChanges(dir, database, app);
  for (let round = 1; round <= context.runs; round++) {
    context.say(`round ${round} of ${context.runs}`);
    await database.sql.query('truncate audiences, notifications cascade');
    const carillon = await startCarillon(context, { database, deployment: ALONE });
    const backEnd = carillon.backEnd({ ...app, key });
    const { authorization } = backEnd;
    const pushes = { url: `${carillon.url}/v6/notifications`, authorization, bodies: singles };
    const registrations = { url: `${carillon.url}/v6/devices`, authorization, bodies: changes };
    await warmUpSingles(context, { database, carillon, app }, pushes);
    const all: Neighbour[] = [
      { name: 'alone' },
      {
        name: `during ${CHANGES_PER_SECOND} changed registrations/s`,
        calls: { ...registrations, perSecond: CHANGES_PER_SECOND },
      },
      {
        name: `during ${PUSHES_PER_SECOND} single pushes/s`,
        calls: { ...pushes, perSecond: PUSHES_PER_SECOND },
      },
    ];
    const senders: Sender[] = [
      { name: `bare node:http2, ${LOOPS} processes`, send: async () => sendBare(context, app, halves) },
      {
        name: ALONE.name,
        // The sink also counts the pushes of the neighbours; the notification has a count of its own.
        send: async () => {
          const { durationMs } = await backEnd.send('*', app.devices);
          return (app.devices * 1_000) / durationMs;
        },
      },
    ];
    const alone = new Map<string, number>();
    for (const neighbour of all) {
      for (const sender of senders) {
        const pushesPerSecond = await during(context, database, neighbour, sender);
        addFigures(context, { neighbour, sender, pushesPerSecond, alone, baseline: senders[0]?.name });
      }
    }
    await carillon.stop();
  }
}

/** Sends while the neighbour calls. */
async function during(
  context: BenchContext,
  database: BenchDatabase,
  { name, calls }: Neighbour,
  sender: Sender,
): Promise<number> {
  context.say(`${sender.name} ${name}`);
  if (calls === undefined) return sender.send();
  const { done: pushesPerSecond } = await whileCalling(context, calls, sender.send);
  await untilAllEnded(database);
  return pushesPerSecond;
}

function addFigures(
  { figures }: BenchContext,
  of: {
    neighbour: Neighbour;
    sender: Sender;
    pushesPerSecond: number;
    alone: Map<string, number>;
    baseline?: string | undefined;
  },
): void {
  const { neighbour, sender, pushesPerSecond, alone, baseline } = of;
  figures.add(`${sender.name} ${neighbour.name}`, pushesPerSecond, 'pushes/s');
  if (neighbour.calls === undefined) return void alone.set(sender.name, pushesPerSecond);
  const keeps = (name: string | undefined): string => `${name} keeps ${neighbour.name}`;
  const value = pushesPerSecond / (alone.get(sender.name) ?? Number.NaN);
  const against = sender.name === baseline ? [] : [keeps(baseline)];
  figures.add(keeps(sender.name), value, 'times', against);
}

interface Half {
  tokenFiles: TokenFiles;
  devices: number;
}

async function writeHalves(dir: string, database: BenchDatabase, app: BenchApp): Promise<Half[]> {
  const files = await writeTokenFiles(database, app, dir);
  const tokens = { iOS: await readTokens(files.iOS), Android: await readTokens(files.Android) };
  return Promise.all(
    Array.from({ length: LOOPS }, async (_, loop) => {
      const own = async (platform: 'iOS' | 'Android'): Promise<{ file: string; count: number }> => {
        const file = path.join(dir, `${platform}.${loop}`);
        const some = tokens[platform].filter((__, index) => index % LOOPS === loop);
        await writeFile(file, some.join('\n'));
        return { file, count: some.length };
      };
      const [iOS, Android] = [await own('iOS'), await own('Android')];
      return { tokenFiles: { iOS: iOS.file, Android: Android.file }, devices: iOS.count + Android.count };
    }),
  );
}

async function sendBare(context: BenchContext, app: BenchApp, halves: readonly Half[]): Promise<number> {
  const sent = await Promise.all(
    halves.map(async (half) => runBaseline(context, 'bare-sender', { ...app, ...half })),
  );
  return sent.reduce((sum, { pushesPerSecond }) => sum + pushesPerSecond, 0);
}

/** Each is another version of the app on a device. */
async function writeChanges(dir: string, { read }: BenchDatabase, app: BenchApp): Promise<Bodies> {
  const devices = await read(
    z.object({ platform: z.string(), push_token: z.string() }),
    `select platform, push_token from devices where app_id = $1 order by id limit $2`,
    [app.id, CHANGED_DEVICES_MAX],
  );
  const versions = ['10.0.0', '10.0.1', '10.0.2'];
  const bodies = versions.flatMap((version) =>
    devices.map((device) => JSON.stringify({ device: { ...device, app_version: version } })),
  );
  return writeBodies(dir, 'changes', bodies);
}
