/** Servers of other authors answer every request, and see each exactly once. See README.md. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished, test, expect } from 'vitest';
import type { Answer } from '../../src/answer.ts';
import { type Http2Pool, openHttp2Pool } from '../../src/pool.ts';
import type { PoolEvent } from '../../src/pool-options.ts';
import { makeCertificate } from '../peer.ts';
import { type ForeignServer, foreignServers, type Requests } from './foreign-servers.ts';

const TIMEOUT_MS = 150_000;
/** From an empty body to one that is larger than a frame and needs window updates. */
const BODY_BYTES = [0, 20, 300, 4_000, 20, 20, 40_000, 20, 20, 20];
const HEADERS = [':method', 'POST', ':scheme', 'https', ':authority', 'localhost'];

function bodyBytes(n: number): number {
  return BODY_BYTES[n % BODY_BYTES.length] ?? 0;
}

async function sendAll(pool: Http2Pool, requests: number): Promise<Answer[]> {
  const answers: Promise<Answer>[] = [];
  for (let n = 0; n < requests; n++) {
    if (n % 50 === 0) await pool.whenReady();
    const body = 'x'.repeat(bodyBytes(n));
    answers.push(pool.request({ path: `/item/${n}`, headers: HEADERS, ownHeaders: ['x-own', `${n}`], body }));
  }
  await pool.whenSent();
  return Promise.all(answers);
}

/** The answers that differ from what the server should have answered. */
function wrongAnswers(answers: readonly Answer[], echoes: boolean): unknown[] {
  return answers.flatMap((answer, n) => {
    if (answer.kind !== 'answered') return { n, ...answer };
    const { status, headers, body } = answer;
    const own = headers['x-own'];
    const expected = { n, status: 201, own: `${n}`, body: `/item/${n} ${bodyBytes(n)}` };
    const isRight = echoes
      ? status === expected.status && own === expected.own && body === expected.body
      : status === 200;
    return isRight ? [] : { n, status, own, body };
  });
}

async function requestsAt(server: ForeignServer, pool: Http2Pool): Promise<Requests> {
  const known = server.requests();
  if (known !== undefined) return known;
  const headers = [':method', 'GET', ...HEADERS.slice(2)];
  const answer = await pool.request({ path: '/requests', headers, ownHeaders: [], body: '' });
  if (answer.kind !== 'answered') throw new Error(`the server does not count: ${answer.reason}`);
  const [distinct = 0, total = 0] = answer.body.split(' ').map(Number);
  return { distinct, total };
}

test.for(foreignServers)(
  '$name answers every request, and sees each once',
  { timeout: TIMEOUT_MS },
  async (foreign, { skip }) => {
    await foreign.check().catch(() => skip(`${foreign.name} is not installed`));
    const dir = await mkdtemp(path.join(tmpdir(), 'http2-conformance-'));
    onTestFinished(async () => rm(dir, { recursive: true, force: true }));
    const certificate = await makeCertificate();
    await writeFile(path.join(dir, 'cert.pem'), certificate.cert);
    await writeFile(path.join(dir, 'key.pem'), certificate.key, { mode: 0o600 });
    const server = await foreign.start({ certificate, dir });
    onTestFinished(() => server.close());

    const events: PoolEvent[] = [];
    const pool = openHttp2Pool({
      origin: server.origin,
      ca: certificate.cert,
      onEvent: (event) => {
        if (event.kind === 'session_closed') events.push(event);
      },
    });
    onTestFinished(() => pool.close());
    const answers = await sendAll(pool, foreign.requests);

    expect(wrongAnswers(answers, server.echoes)).toEqual([]);
    // A log or an event of the server may follow the answer.
    const counted = { distinct: foreign.requests, total: foreign.requests };
    await expect.poll(async () => requestsAt(server, pool), { timeout: 30_000 }).toEqual(counted);
    await pool.close();
    const reasons = new Set(events.map((event) => event.kind === 'session_closed' && event.failure.reason));
    reasons.delete('closed_by_us');
    expect([...reasons]).toEqual(foreign.sendsGoaway ? ['goaway'] : []);
  },
);
