/** Streamed replies: made only as fast as they are read, and no longer when nobody reads. */
import { request } from 'node:http';
import { fastify, type FastifyInstance } from 'fastify';
import { afterEach, expect, test, vi } from 'vitest';
import { sendText } from '../../src/http/streams.ts';
import { PATIENCE } from '../support/patience.ts';

const CHUNK = 'x'.repeat(256 * 1024);
let server: FastifyInstance | undefined;
afterEach(async () => server?.close());

async function serve(chunks: () => AsyncIterable<string>): Promise<string> {
  server = fastify();
  server.get('/', async (_request, reply) =>
    sendText(reply, { mediaType: 'text/plain', fileName: 'all.txt' }, chunks()),
  );
  return server.listen({ host: '127.0.0.1', port: 0 });
}

test('a stream waits while the caller does not read, and ends when it hangs up', async () => {
  let made = 0;
  let isEnded = false;
  const url = await serve(async function* () {
    try {
      for (;;) {
        made++;
        yield CHUNK;
      }
    } finally {
      isEnded = true;
    }
  });
  const asked = request(url);
  asked.end();
  const reply = await new Promise<NodeJS.ReadableStream>((resolve) => asked.once('response', resolve));
  reply.pause();
  // The sockets' buffers fill; then nothing more is made.
  await vi.waitFor(() => expect(made).toBeGreaterThan(1), PATIENCE);
  let before = -1;
  await vi.waitFor(
    () => {
      const same = made === before;
      before = made;
      expect(same).toBe(true);
    },
    { interval: 200, timeout: 30_000 },
  );
  expect(made * CHUNK.length).toBeLessThan(64 * 1024 * 1024);
  expect(isEnded).toBe(false);
  asked.destroy();
  await vi.waitFor(() => expect(isEnded).toBe(true), PATIENCE);
});

test('a failure halfway cuts the connection', async () => {
  const url = await serve(async function* () {
    yield 'one line\n';
    throw new Error('the database is away');
  });
  const response = await fetch(url);
  expect(response.status).toBe(200);
  await expect(response.text()).rejects.toThrow();
});
