import { afterEach, beforeAll, expect, test } from 'vitest';
import type { Answer } from '../src/answer.ts';
import { openHttp2Pool } from '../src/pool.ts';
import { bodyOf, type Certificate, makeCertificate, openPeer, type StreamHandler } from './peer.ts';

const BODY_BYTES_MAX = 1_048_576;
const HEADERS = [':method', 'GET', ':scheme', 'https', ':authority', 'localhost'];
/** Larger than the window of a stream by default. */
const LARGE = 'x'.repeat(400_000);

let certificate: Certificate;
const open: { close(): Promise<void> }[] = [];

beforeAll(async () => {
  certificate = await makeCertificate();
});

afterEach(async () => {
  for (const resource of open.splice(0).toReversed()) await resource.close();
});

/** Sends three requests in a row over one connection. */
async function answersOf(onStream: StreamHandler, bodyBytesMax?: number): Promise<Answer[]> {
  const peer = await openPeer(certificate, onStream);
  const pool = openHttp2Pool({
    origin: peer.origin,
    ca: certificate.cert,
    bodyBytesMax,
    checkIntervalMs: 10,
    closeTimeoutMs: 100,
  });
  open.push(peer, pool);
  const answers: Answer[] = [];
  for (let n = 0; n < 3; n++) {
    answers.push(await pool.request({ path: `/${n}`, headers: HEADERS, ownHeaders: [], body: '' }));
  }
  return answers;
}

const breakOff: StreamHandler = (stream) => {
  stream.respond({ ':status': 200 });
  stream.write('{"channels":[', () => stream.destroy(new Error('broken')));
};

test('the pool keeps the bodies of answers, with status 200 and over 64 KiB too, only on request', async () => {
  const onStream: StreamHandler = async (stream) => {
    expect(await bodyOf(stream)).toBe('');
    stream.respond({ ':status': 200 });
    stream.end(LARGE);
  };
  const kept = { kind: 'answered', status: 200, body: LARGE };
  expect(await answersOf(onStream, BODY_BYTES_MAX)).toMatchObject([kept, kept, kept]);
  const dropped = { ...kept, body: '' };
  expect(await answersOf(onStream)).toMatchObject([dropped, dropped, dropped]);
});

test('the pool cuts the body of an answer at its limit', async () => {
  const answers = await answersOf((stream) => {
    stream.respond({ ':status': 200 });
    stream.end(LARGE);
  }, 100_000);
  for (const answer of answers) {
    const { body } = answer.kind === 'answered' ? answer : { body: '' };
    expect(body.length).toBeGreaterThanOrEqual(100_000);
    expect(body.length).toBeLessThan(LARGE.length);
  }
});

test('a 200 with a broken body is no answer where bodies are kept', async () => {
  expect((await answersOf(breakOff, BODY_BYTES_MAX)).map(({ kind }) => kind)).toEqual([
    'ambiguous',
    'ambiguous',
    'ambiguous',
  ]);
});
