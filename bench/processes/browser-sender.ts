/**
 * Baselines for browsers, in a number of processes. `library`: `web-push`, as its users run it. `loop`: encrypts as Carillon does,
 * with one key pair and what is derived from it kept, and sends by one session of node:http2; nothing else.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:http2';
import { text as readAll } from 'node:stream/consumers';
import { z } from 'zod';
import { systemClock } from '../../src/clock.ts';
import { openEncryption } from '../../src/gateways/web-push/encrypt.ts';
import { openVapid } from '../../src/gateways/web-push/vapid.ts';
import { send as request } from './bare-http2.ts';
import { openWebPushLibrary, vapidSchema } from './web-push-library.ts';

const inputSchema = z.object({
  kind: z.enum(['library', 'loop']),
  processes: z.number(),
  caFile: z.string(),
  vapid: vapidSchema,
  text: z.string(),
  /** A line for each browser: its endpoint and its keys. */
  file: z.string(),
  /** The first lines, before the measurement, so that connections are open and the code is compiled. */
  warmUp: z.number(),
  /** The lines after them. */
  devices: z.number(),
  /** How often they are sent to. */
  times: z.number(),
});
type Input = z.infer<typeof inputSchema>;

/** @returns the status of the answer; 0 if there was none */
type Send = (endpoint: string, keys: string) => Promise<number>;

const IN_FLIGHT = 100;
const CREATED = 201;

const ran = z.object({ accepted: z.number(), cpuMs: z.number() });

if (process.send === undefined) await runAll(inputSchema.parse(JSON.parse(await readAll(process.stdin))));
else await runOne();

async function runAll(input: Input): Promise<void> {
  const children = Array.from({ length: input.processes }, () => fork(import.meta.filename));
  const startAll = (message: (child: number) => object): Promise<unknown[]> =>
    Promise.all(children.map(async (child, index) => ask(child, message(index))));
  await startAll((child) => ({ input, child }));
  for (let time = 0; time < input.times; time++) {
    const startedMs = performance.now();
    const answers = z.array(ran).parse(await startAll(() => ({ send: true })));
    const durationMs = performance.now() - startedMs;
    const sum = (field: 'accepted' | 'cpuMs'): number => answers.reduce((all, each) => all + each[field], 0);
    console.log(JSON.stringify({ time, accepted: sum('accepted'), cpuMs: sum('cpuMs'), durationMs }));
  }
  for (const child of children) child.disconnect();
}

async function ask(child: ChildProcess, message: object): Promise<unknown> {
  const answered = once(child, 'message');
  child.send(message);
  return (await answered)[0];
}

async function runOne(): Promise<void> {
  const [first] = await once(process, 'message');
  const { input, child } = z.object({ input: inputSchema, child: z.number() }).parse(first);
  const { file, warmUp, devices, processes } = input;
  const lines = readFileSync(file, 'utf8').split('\n', warmUp + devices);
  const own = lines.slice(warmUp).filter((_, index) => index % processes === child);
  const { send, close } = input.kind === 'library' ? openLibrary(input) : openLoop(input);
  await sendAll(send, lines.slice(0, warmUp));
  const run = async (): Promise<void> => {
    const before = process.cpuUsage();
    const accepted = await sendAll(send, own);
    const { user, system } = process.cpuUsage(before);
    process.send?.({ accepted, cpuMs: (user + system) / 1_000 });
  };
  process.on('message', () => void run());
  process.on('disconnect', close);
  process.send?.('ready');
}

async function sendAll(send: Send, lines: readonly string[]): Promise<number> {
  const next = lines.values();
  let accepted = 0;
  const sendSome = async (): Promise<void> => {
    for (const line of next) {
      const [endpoint = '', keys = ''] = line.split(' ');
      if ((await send(endpoint, keys)) === CREATED) accepted += 1;
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, sendSome));
  return accepted;
}

function openLibrary({ caFile, vapid, text }: Input): { send: Send; close: () => void } {
  const library = openWebPushLibrary({ ca: readFileSync(caFile), vapid, inFlight: IN_FLIGHT });
  return { send: async (endpoint, keys) => library.send(endpoint, keys, text), close: () => library.close() };
}

function openLoop({ caFile, vapid, text, file }: Input): { send: Send; close: () => void } {
  const [first = ''] = readFileSync(file, 'utf8').split(' ', 1);
  const { origin, host } = new URL(first);
  const session = connect(origin, { ca: readFileSync(caFile) });
  const { encrypt } = openEncryption({ now: Date.now });
  const bytes = Buffer.from(text);
  const shared = Object.entries({
    ':method': 'POST',
    ':scheme': 'https',
    ':authority': host,
    authorization: openVapid(vapid, systemClock).authorizationFor(origin),
    'content-encoding': 'aes128gcm',
    'content-type': 'application/octet-stream',
    urgency: 'high',
    ttl: '0',
  }).flat();
  return {
    send: async (endpoint, keys) => {
      const body = await encrypt(keys, bytes);
      return request(session, { headers: [...shared, ':path', endpoint.slice(origin.length)], body });
    },
    close: () => session.close(),
  };
}
