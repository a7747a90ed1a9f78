import type { FastifyInstance } from 'fastify';
import { describe, expect, test, vi } from 'vitest';
import { type Overload, overload } from '../../../src/http/load/overload.ts';
import { callServer, useApi } from '../api.ts';
import { collectObservations } from '../../support/database.ts';

const api = useApi();
const { observe, seen } = collectObservations();

async function open(changes: Partial<Overload>): Promise<FastifyInstance> {
  const metrics = { contentType: 'text/plain', write: async () => '1' };
  const limits = { ...overload, residentBytesMax: Infinity, ...changes };
  const server = api.openServer({ observe, metrics, overload: limits });
  await server.ready();
  return server;
}

/** Keeps the event loop from turning, without taking the processor from others. */
function block(forMs: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, forMs);
}

describe('An overloaded process', () => {
  test('an overloaded process refuses calls with 503 and Retry-After, except probes and metrics', async () => {
    const opened = await open({ heapBytesMax: 1 });
    const call = async (address: string, key = '') => callServer(opened, address, { key });
    // Seen with the first sample, after a second.
    await vi.waitFor(
      async () => {
        expect(await call('POST /v6/notifications')).toMatchObject({
          status: 503,
          headers: { 'retry-after': '2', 'x-request-id': expect.any(String) },
          body: { code: 'unavailable', error: expect.stringContaining('nothing was done') },
        });
      },
      { timeout: 30_000, interval: 100 },
    );
    expect((await call('GET /v6/audiences', api.app.keys.read)).status).toBe(503);
    for (const address of ['GET /healthz', 'GET /readyz', 'GET /openapi.json']) {
      expect((await call(address)).status).toBe(200);
    }
    for (const url of ['/metrics', '/docs']) expect((await opened.inject(url)).statusCode).toBe(200);
    // A line an error would be load as well.
    expect(seen.filter(({ kind }) => kind === 'request_failed')).toEqual([]);
  });

  test('an overload is recognised by slow turns of the event loop, and ends', async () => {
    const opened = await open({ eventLoopDelayMsMax: 250 });
    const statusNow = async () =>
      (await callServer(opened, 'GET /v6/audiences', { key: api.app.keys.read })).status;
    const busy = setInterval(() => block(400), 1);
    try {
      await vi.waitFor(async () => expect(await statusNow()).toBe(503), { timeout: 30_000 });
    } finally {
      clearInterval(busy);
    }
    await vi.waitFor(async () => expect(await statusNow()).toBe(200), { timeout: 30_000 });
  });

  test('an overload is not assumed when turns take 100 ms, as in a bulk notification', async () => {
    const opened = await open({});
    const busy = setInterval(() => block(100), 1);
    try {
      // For longer than a sample.
      const endMs = performance.now() + 2_500;
      while (performance.now() < endMs) {
        expect((await callServer(opened, 'GET /v6/audiences', { key: api.app.keys.read })).status).toBe(200);
      }
    } finally {
      clearInterval(busy);
    }
  });
});
