import { expect, test } from 'vitest';
import type { Answer } from '../src/answer.ts';
import { bodyOf, type StreamHandler } from './peer.ts';
import { askMany, HEADERS, usePools } from './pools.ts';

const BODY_BYTES_MAX = 1_048_576;
/** Larger than the window of a stream by default. */
const LARGE = 'x'.repeat(400_000);
const { peerOf, poolTo } = usePools({
  checkIntervalMs: 10,
  closeTimeoutMs: 100,
  streamsMax: 1,
  sessionsMax: 1,
});

/** Sends three requests in a row over one connection. */
async function answersOf(onStream: StreamHandler, bodyBytesMax?: number): Promise<Answer[]> {
  return askMany(poolTo(await peerOf(onStream), { bodyBytesMax }), 3);
}

const breakOff: StreamHandler = (stream) => {
  stream.respond({ ':status': 200 });
  stream.write('{"channels":[', () => stream.destroy(new Error('broken')));
};

test('the pool keeps the bodies of answers, with status 200 and over 64 KiB too, only on request', async () => {
  const onStream: StreamHandler = async (stream) => {
    expect(await bodyOf(stream)).toBe('hello');
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

test('a peer sees an empty body where a request has none', async () => {
  const { promise: seen, resolve } = Promise.withResolvers<string>();
  const pool = poolTo(
    await peerOf(async (stream) => {
      resolve(await bodyOf(stream));
      stream.respond({ ':status': 200 });
      stream.end();
    }),
  );
  await pool.request({ path: '/', headers: HEADERS, ownHeaders: [], body: '' });
  expect(await seen).toBe('');
});
