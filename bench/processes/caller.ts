/**
 * Calls the API over keep-alive connections, one call at a time on each: as fast as answers come, or at a fixed rate,
 * where the time that a call waits for a free connection counts. A separate process over plain sockets, because it
 * shares the cores with the server. SIGTERM ends the calls early; the calls in flight are still answered.
 *
 * It prints a line at the start, one at the last answer, and one when the calls are recorded (bench/calls/records.ts).
 */
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { callerInput, type LastAnswer, type Recorded, type Started } from '../calls/caller-messages.ts';
import { type Connection, openConnection, statusOf } from '../calls/connection.ts';
import { ID_BYTES, writeRecords } from '../calls/records.ts';
import { percentile } from '../support/statistics.ts';

interface Line {
  connection: Connection;
  /** The number of its last call. */
  call: number;
}

/** The server sheds load: counted, not fatal. */
const REFUSALS: ReadonlySet<number> = new Set([429, 503]);
const ID = Buffer.from('"id":"');
const SHOWN_BYTES = 500;

const input = callerInput.parse(JSON.parse(await text(process.stdin)));
const { callsMax, perSecond } = input;
const url = new URL(input.url);
const requests = await makeRequests();

const timesMs = new Float64Array(callsMax);
const durationsMs = new Float64Array(callsMax);
const ids = Buffer.alloc(callsMax * ID_BYTES);
const free: Line[] = [];
let begun = 0;
let answered = 0;
let refused = 0;
const over = Promise.withResolvers<void>();

await Promise.all(Array.from({ length: input.connections }, openLine));
const usedBefore = process.cpuUsage();
const unixMs = Date.now() - performance.now();
const startedMs = performance.now();
let endMs = startedMs + input.seconds * 1_000;
process.once('SIGTERM', () => {
  endMs = Math.min(endMs, performance.now());
});
report({ kind: 'started' });
tick();
await over.promise;
report({
  kind: 'last_answer',
  begun,
  accepted: answered - refused,
  refused,
  firstMs: startedMs + unixMs,
  lastMs: performance.now() + unixMs,
  processorMicroseconds: microsecondsSince(usedBefore),
});
for (const { connection } of free) connection.close();
const unixTimesMs = timesMs.subarray(0, begun).map((atMs) => atMs + unixMs);
await writeRecords(input.recordsFile, unixTimesMs, ids.subarray(0, begun * ID_BYTES));
const durations = [...durationsMs.subarray(0, begun)];
report({ kind: 'recorded', p50: percentile(durations, 50), p99: percentile(durations, 99) });

/** Complete requests, so that a call is one write of an existing text. Latin-1 keeps the bytes of UTF-8 as they are. */
async function makeRequests(): Promise<string[]> {
  const bodies = (await readFile(input.bodiesFile, 'latin1')).split('\n', input.bodiesCount);
  const fields = Object.entries({ host: url.host, ...input.headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const head = `POST ${url.pathname} HTTP/1.1\r\n${fields.join('')}`;
  return bodies.map((body) => {
    const request = `${head}content-length: ${body.length}\r\n\r\n${body}`;
    // Copied, because V8 keeps a joined text as a tree until it is first read.
    return Buffer.from(request, 'latin1').toString('latin1');
  });
}

async function openLine(): Promise<void> {
  const line: Line = {
    call: 0,
    connection: await openConnection(url, (answer, bodyStart) => note(line, answer, bodyStart)),
  };
  free.push(line);
}

/** At a fixed rate, calls begin here when there are free connections; otherwise when an answer comes. */
function tick(): void {
  const nowMs = performance.now();
  const due = dueBy(nowMs);
  while (begun < due) {
    // Takes the one that was free longest, so that the server closes none as idle.
    const line = free.shift();
    if (line === undefined) break;
    begin(line, nowMs);
  }
  if (!finishIfOver(nowMs) && perSecond !== null) setTimeout(tick, untilNextMs(perSecond, nowMs));
}

/** Whole milliseconds, at least 1: each wake-up takes processor time from the server. */
function untilNextMs(rate: number, nowMs: number): number {
  return Math.max(Math.ceil(startedMs + (begun * 1_000) / rate - nowMs), 1);
}

/** The number of calls that should have begun. */
function dueBy(nowMs: number): number {
  if (perSecond === null) return nowMs < endMs ? callsMax : begun;
  return Math.min(Math.ceil(((Math.min(nowMs, endMs) - startedMs) * perSecond) / 1_000), callsMax);
}

function begin(line: Line, nowMs: number): void {
  line.call = begun;
  begun += 1;
  timesMs[line.call] = perSecond === null ? nowMs : startedMs + (line.call * 1_000) / perSecond;
  line.connection.send(requests[(input.firstBody + line.call) % requests.length] ?? '');
}

function note(line: Line, answer: Buffer, bodyStart: number): void {
  const nowMs = performance.now();
  durationsMs[line.call] = nowMs - (timesMs[line.call] ?? Number.NaN);
  answered += 1;
  const status = statusOf(answer);
  if (status >= 200 && status < 300) keepId(line, answer, bodyStart);
  else if (REFUSALS.has(status)) refused += 1;
  else throw new Error(`an unexpected answer: ${answer.toString('latin1', 0, SHOWN_BYTES)}`);
  if (begun < dueBy(nowMs)) {
    begin(line, nowMs);
  } else {
    free.push(line);
    finishIfOver(nowMs);
  }
}

function keepId({ call }: Line, answer: Buffer, bodyStart: number): void {
  const start = answer.indexOf(ID, bodyStart);
  if (start === -1) throw new Error('an answer without an id');
  answer.copy(ids, call * ID_BYTES, start + ID.length, start + ID.length + ID_BYTES);
}

function finishIfOver(nowMs: number): boolean {
  const isOver = answered === begun && (nowMs >= endMs || begun === callsMax);
  if (isOver) over.resolve();
  return isOver;
}

function microsecondsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

function report(line: Started | LastAnswer | Recorded): void {
  console.log(JSON.stringify(line));
}
