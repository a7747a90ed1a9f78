/**
 * Reads a URL at an even rate, whether or not earlier reads have been answered. If all connections are busy, a read
 * waits, and its waiting time counts. A separate process over plain sockets that keeps only durations: on two cores,
 * the work of a client would be half of the measurement. The first seconds are not counted, because V8 still compiles
 * both processes.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { percentile } from '../support/statistics.ts';

const inputSchema = z.object({
  url: z.string(),
  headers: z.record(z.string(), z.string()),
  connections: z.number(),
  perSecond: z.number(),
  warmUpSeconds: z.number(),
  /** After the warm-up. */
  seconds: z.number(),
});

const ANSWER = /^HTTP\/1\.1 200 .*\r\ncontent-length: (\d+)\r\n/is;
const TICK_MS = 1;
const LAST_ANSWERS_MS = 10_000;

const input = inputSchema.parse(JSON.parse(await text(process.stdin)));
const url = new URL(input.url);
const fields = Object.entries({ host: url.host, ...input.headers }).map(
  ([name, value]) => `${name}: ${value}`,
);
const request = Buffer.from(`GET ${url.pathname} HTTP/1.1\r\n${fields.join('\r\n')}\r\n\r\n`);
const warmUpMs = input.warmUpSeconds * 1_000;
const total = input.perSecond * (input.warmUpSeconds + input.seconds);

const durationsMs = new Float64Array(total);
let counted = 0;
const waiting: number[] = [];
const free: Socket[] = [];
const sentMs = new Map<Socket, number>();
let begun = 0;
let answered = 0;
const over = Promise.withResolvers<void>();

await Promise.all(Array.from({ length: input.connections }, openConnection));
const startedMs = performance.now();
tick();
const late = setTimeout(
  () => over.reject(new Error(`${answered} of ${total} reads were answered`)),
  warmUpMs + input.seconds * 1_000 + LAST_ANSWERS_MS,
);
await over.promise;
clearTimeout(late);
for (const socket of free) socket.destroy();
const all = [...durationsMs.subarray(0, counted)];
console.log(JSON.stringify({ p50: percentile(all, 50), p99: percentile(all, 99) }));

async function openConnection(): Promise<void> {
  const socket = connect(Number(url.port), url.hostname).setNoDelay(true);
  await once(socket, 'connect');
  let answer = '';
  socket.on('data', (bytes) => {
    answer += bytes.toString('latin1');
    const head = answer.indexOf('\r\n\r\n');
    if (head === -1) return;
    const [, length] = ANSWER.exec(answer) ?? [];
    if (length === undefined) throw new Error(`unexpected: ${answer.slice(0, head)}`);
    if (answer.length < head + 4 + Number(length)) return;
    answer = '';
    note(socket);
  });
  socket.on('error', over.reject);
  free.push(socket);
}

function tick(): void {
  const nowMs = performance.now();
  const due = Math.min(Math.floor(((nowMs - startedMs) / 1_000) * input.perSecond), total);
  for (; begun < due; begun++) {
    const socket = free.pop();
    if (socket === undefined) waiting.push(nowMs);
    else ask(socket, nowMs);
  }
  if (begun < total) setTimeout(tick, TICK_MS);
}

function ask(socket: Socket, beganMs: number): void {
  sentMs.set(socket, beganMs);
  socket.write(request);
}

function note(socket: Socket): void {
  const beganMs = sentMs.get(socket) ?? Number.NaN;
  if (beganMs >= startedMs + warmUpMs) durationsMs[counted++] = performance.now() - beganMs;
  answered += 1;
  const next = waiting.shift();
  if (next === undefined) free.push(socket);
  else ask(socket, next);
  if (answered === total) over.resolve();
}
