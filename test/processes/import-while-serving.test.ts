/** The process answers other calls while it imports, however long the import and whatever is in it. */
import { once } from 'node:events';
import { Agent, request as openRequest } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { beforeAll, expect, test } from 'vitest';
import { lineOf } from '../devices/import/lines.ts';
import { listeningUrl } from '../support/processes.ts';
import { useAlone } from './alone.ts';

const timeout = 180_000;
/**
 * An idle process answers within a millisecond. Before imports yielded to other work, an answer took 1.4 to 5.8 s, which was all of the
 * import; a busy machine, which is slow with both, does not change that share.
 */
const ANSWER_MS = 1_000;
const SHARE_MAX = 0.5;
const CHUNK_BYTES = 64 * 1024;

const IMPORTS: readonly [what: string, body: () => Buffer, form: 'chunked' | 'whole', status: number][] = [
  ['100 MB of newlines', () => Buffer.alloc(100_000_000, '\n'), 'chunked', 200],
  ['60 MB of newlines in one body', () => Buffer.alloc(60_000_000, '\n'), 'whole', 200],
  ['8 MB of lines that are no devices', () => Buffer.from('{}\n'.repeat(2_700_000)), 'whole', 422],
  [
    '100,000 devices',
    () => Buffer.from(Array.from({ length: 100_000 }, () => lineOf({})).join('\n')),
    'whole',
    200,
  ],
];

const alone = useAlone();
let key: string;
beforeAll(async () => {
  const { app } = await alone.makeApp(1);
  key = await alone
    .run(['keys', 'create', '--app', app.bundleId, '--scopes', 'admin'])
    .then(({ stdout }) => stdout.split('\n')[0] ?? '');
});

test(
  'a process answers /healthz in time while it imports, however many bytes, lines or devices arrive',
  { timeout },
  async () => {
    const url = await listeningUrl(alone.start());
    for (const [what, body, form, status] of IMPORTS) {
      const over = new AbortController();
      const begunMs = performance.now();
      const importing = importBody(url, body(), form).finally(() => over.abort());
      const worstMs = await worstAnswerMs(`${url}/healthz`, over.signal);
      expect(await importing, what).toBe(status);
      const tookMs = performance.now() - begunMs;
      expect(worstMs, what).toBeLessThan(Math.max(ANSWER_MS, SHARE_MAX * tookMs));
    }
  },
);

/** @returns the status of the reply, which may come before all of the body is sent */
async function importBody(
  url: string,
  bytes: Buffer,
  form: 'chunked' | 'whole',
): Promise<number | undefined> {
  const request = openRequest(`${url}/v6/devices/import`, {
    method: 'POST',
    auth: `:${key}`,
    headers: {
      'content-type': 'application/x-ndjson',
      ...(form === 'whole' && { 'content-length': bytes.length }),
    },
  });
  const replied = once(request, 'response');
  const over = new AbortController();
  void replied.finally(() => over.abort());
  for (let from = 0; from < bytes.length && !over.signal.aborted; from += CHUNK_BYTES) {
    if (request.write(bytes.subarray(from, from + CHUNK_BYTES))) continue;
    await Promise.race([once(request, 'drain'), replied]);
  }
  request.end();
  const [response] = await replied;
  await textOf(response);
  request.destroy();
  return response.statusCode;
}

/** Repeats the call until the signal is aborted. */
async function worstAnswerMs(url: string, until: AbortSignal): Promise<number> {
  const agent = new Agent({ keepAlive: true });
  let worstMs = 0;
  while (!until.aborted) {
    const askedMs = performance.now();
    const asked = openRequest(url, { agent }).end();
    const [response] = await once(asked, 'response');
    await textOf(response);
    worstMs = Math.max(worstMs, performance.now() - askedMs);
  }
  agent.destroy();
  return worstMs;
}
