/**
 * Baseline: the minimal work of a server of single pushes, with only node:http, pg and node:http2. Per call it stores a
 * row, looks up the device, answers, pushes, and stores the status of the gateway's answer: one statement for all calls
 * that wait, one for all answers. It checks only that a body names a device, and a push is lost with the process.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect } from 'node:http2';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { Pool } from 'pg';
import { z } from 'zod';
import type { BareServerStarted } from '../support/bare-server.ts';
import { appleRequests, send } from './bare-http2.ts';
import { appleInput } from './sending.ts';

const inputSchema = appleInput.extend({
  databaseUrl: z.string(),
  appId: z.string(),
  /**
   * Milliseconds from the start of a statement to the start of the next of its kind; 0: the next starts when the
   * previous one has ended.
   */
  everyMs: z.number(),
});

/** Nobody waits until an answer is stored, so the answers of this interval share a statement. */
const ANSWERS_EVERY_MS_MIN = 10;

interface Call {
  id: string;
  body: string;
  response: ServerResponse;
}

interface Answer {
  id: string;
  status: number;
}

const bodySchema = z.object({ notification: z.object({ to: z.object({ device_id: z.string() }) }) });
const tokenRows = z.array(z.object({ id: z.string(), push_token: z.string() }));

const input = inputSchema.parse(JSON.parse(await text(process.stdin)));
const pool = new Pool({ connectionString: input.databaseUrl });
const session = connect(input.apnsUrl, { ca: readFileSync(input.caFile) });
const requestTo = appleRequests(input, randomUUID());

const addCall = shared(input.everyMs, async (calls: readonly Call[]) => {
  const deviceIds = calls.map(({ body }) => bodySchema.parse(JSON.parse(body)).notification.to.device_id);
  const { rows } = await pool.query({
    name: 'store',
    text: `with stored as (
        insert into bare_pushes (id, body, device_id)
        select id, body, device_id from unnest($1::uuid[], $2::text[], $3::uuid[]) as call (id, body, device_id)
        returning id, device_id
      )
      select stored.id, devices.push_token from stored
      cross join lateral (
        select push_token from devices where app_id = $4 and devices.id = stored.device_id limit 1
      ) as devices`,
    values: [calls.map(({ id }) => id), calls.map(({ body }) => body), deviceIds, input.appId],
  });
  for (const { id, response } of calls) {
    const body = JSON.stringify({ id });
    response
      .writeHead(202, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
      .end(body);
  }
  for (const { id, push_token: token } of tokenRows.parse(rows)) {
    void send(session, requestTo(token)).then((status) => addAnswer({ id, status }));
  }
});

const addAnswer = shared(
  Math.max(input.everyMs, ANSWERS_EVERY_MS_MIN),
  async (answers: readonly Answer[]) => {
    await pool.query({
      name: 'end',
      text: `update bare_pushes set status = answer.status
      from unnest($1::uuid[], $2::integer[]) as answer (id, status) where bare_pushes.id = answer.id`,
      values: [answers.map(({ id }) => id), answers.map(({ status }) => status)],
    });
  },
);

const server = createServer((request, response) => void onRequest(request, response));
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  const started: BareServerStarted = { kind: 'started', port: address.port };
  console.log(JSON.stringify(started));
});

async function onRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
  addCall({ id: randomUUID(), body: await text(request), response });
}

/** @returns a function that adds an item for the next run. There is one run at a time */
function shared<Item>(everyMs: number, run: (items: readonly Item[]) => Promise<void>): (item: Item) => void {
  let waiting: Item[] = [];
  let isRunning = false;
  const runAll = async (): Promise<void> => {
    isRunning = true;
    while (waiting.length > 0) {
      const pause = everyMs > 0 ? wait(everyMs) : undefined;
      const items = waiting;
      waiting = [];
      await run(items);
      await pause;
    }
    isRunning = false;
  };
  return (item) => {
    waiting.push(item);
    if (!isRunning) void runAll();
  };
}
