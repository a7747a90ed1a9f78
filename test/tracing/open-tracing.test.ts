import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ApiError } from '../../src/api/errors.ts';
import { type Tracing, openTracing } from '../../src/tracing/open-tracing.ts';
import { within } from '../../src/tracing/span.ts';
import type { TracingConfig } from '../../src/process/tracing-config.ts';
import { collectObservations } from '../support/database.ts';
import { closedPort } from '../support/ports.ts';
import { type Collector, startCollector } from './collector.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const CALLER = 'b7ad6b7169203331';

let collector: Collector;
beforeEach(async () => {
  collector = await startCollector();
});
afterEach(async () => {
  await collector.close();
});

function open(changes: Partial<TracingConfig> = {}, observe = collectObservations().observe): Tracing {
  const url = `${collector.url}/v1/traces`;
  const resource = { 'service.name': 'carillon' };
  const sampler = 'parentbased_always_on';
  const protocol = 'http/json';
  return openTracing({ url, headers: {}, protocol, sampler, samplerRatio: 1, resource, ...changes }, observe);
}

describe('spans', () => {
  test('spans arrive under each other, in the trace of the caller', async () => {
    const { tracer, close } = open();
    const request = tracer.begin('request', { parent: `00-${TRACE}-${CALLER}-01`, kind: 'server' });
    const create = request.begin('create', { attributes: { devices: 3, name: 'x', dry: false } });
    create.event('refused', { reason: 'Forbidden' });
    create.end();
    request.end();
    // In another process, from what was stored.
    const slice = tracer.begin('slice', { parent: create.traceparent, kind: 'consumer' });
    slice.end();
    await close();

    const spans = Object.fromEntries(collector.spans().map((span) => [span.name, span]));
    expect(spans).toMatchObject({
      request: { traceId: TRACE, parentSpanId: CALLER, kind: 2 },
      create: {
        traceId: TRACE,
        parentSpanId: spans['request']?.spanId,
        kind: 1,
        attributes: { devices: 3, name: 'x', dry: false },
        events: [{ name: 'refused', attributes: { reason: 'Forbidden' } }],
      },
      slice: { traceId: TRACE, parentSpanId: spans['create']?.spanId, kind: 5 },
    });
  });

  test.each([null, '', 'nonsense', `00-${'0'.repeat(32)}-${CALLER}-01`, `ff-${TRACE}-${CALLER}-01`])(
    'spans begin a trace of their own where the parent is %j',
    async (parent) => {
      const { tracer, close } = open();
      tracer.begin('request', { parent }).end();
      await close();
      const [span] = collector.spans();
      expect(span?.traceId).not.toBe(TRACE);
      expect(span?.parentSpanId ?? '').toBe('');
    },
  );

  test('a span that fails says what kind its error is, and nothing that the error quotes', async () => {
    const { tracer, close } = open();
    const failing = (error: unknown) =>
      within(tracer.begin('failing', { parent: null }), async () => {
        throw error;
      });
    const quoting = 'invalid input: "secret@example.com"';
    const errors = [
      new ApiError('invalid_request', { message: quoting }),
      new RangeError(quoting),
      Object.assign(new Error(quoting), { code: '22P02' }),
    ];
    for (const error of errors) await expect(failing(error)).rejects.toBe(error);
    await close();
    expect(collector.spans().map(({ attributes, status }) => [attributes['error.type'], status])).toEqual([
      ['invalid_request', { code: 2 }],
      ['RangeError', { code: 2 }],
      ['22P02', { code: 2 }],
    ]);
    expect(collector.posts.map(({ body }) => body.toString()).join()).not.toContain('secret@');
  });

  test('a span may have begun before it was made', async () => {
    const { tracer, close } = open();
    const startedAt = new Date(Date.now() - 5_000);
    tracer.begin('plan', { parent: null, startedAt }).end();
    await close();
    const [span] = collector.spans();
    expect(span?.startTimeUnixNano).toBe(BigInt(startedAt.getTime()) * 1_000_000n);
    expect(Number((span?.endTimeUnixNano ?? 0n) - (span?.startTimeUnixNano ?? 0n))).toBeGreaterThan(4e9);
  });

  test('spans have what the settings say of the process, and are sent with their headers', async () => {
    const { tracer, close } = open({
      headers: { authorization: 'Bearer abc' },
      resource: { 'service.name': 'pushes', 'deployment.environment.name': 'test' },
    });
    tracer.begin('one', { parent: null }).end();
    await close();
    expect(collector.posts[0]).toMatchObject({
      path: '/v1/traces',
      headers: { authorization: 'Bearer abc', 'content-type': 'application/json' },
    });
    expect(collector.resources()).toMatchObject([
      {
        'service.name': 'pushes',
        'deployment.environment.name': 'test',
        'service.instance.id': expect.stringMatching(/^[0-9a-f-]{36}$/),
      },
    ]);
  });

  test('spans are sent as protobuf where the settings say so', async () => {
    const { tracer, close } = open({ protocol: 'http/protobuf' });
    tracer.begin('a name to find', { parent: null }).end();
    await close();
    expect(collector.posts[0]?.headers['content-type']).toBe('application/x-protobuf');
    expect(collector.posts[0]?.body.includes('a name to find')).toBe(true);
  });
});

describe('a sampler', () => {
  test.each([
    ['always_on', 1, { alone: true, sampled: true, unsampled: true }],
    ['always_off', 1, { alone: false, sampled: false, unsampled: false }],
    ['traceidratio', 0, { alone: false, sampled: false, unsampled: false }],
    ['traceidratio', 1, { alone: true, sampled: true, unsampled: true }],
    ['parentbased_always_on', 1, { alone: true, sampled: true, unsampled: false }],
    ['parentbased_always_off', 1, { alone: false, sampled: true, unsampled: false }],
    ['parentbased_traceidratio', 0, { alone: false, sampled: true, unsampled: false }],
    ['parentbased_traceidratio', 1, { alone: true, sampled: true, unsampled: false }],
  ] as const)(
    'the sampler %s of %s samples what it should, and hands that on',
    async (sampler, samplerRatio, expected) => {
      const { tracer, close } = open({ sampler, samplerRatio });
      const parents = {
        alone: null,
        sampled: `00-${TRACE}-${CALLER}-01`,
        unsampled: `00-${TRACE}-${CALLER}-00`,
      };
      const handedOn = Object.entries(parents).map(([name, parent]) => {
        const span = tracer.begin(name, { parent });
        span.end();
        return [name, span.traceparent?.endsWith('-01')];
      });
      await close();
      expect(Object.fromEntries(handedOn)).toEqual(expected);
      const taken = Object.entries(expected).flatMap(([name, isTaken]) => (isTaken ? [name] : []));
      expect(collector.spans().map(({ name }) => name)).toEqual(taken);
    },
  );
});

describe('a collector', () => {
  test('a collector that cannot be reached fails nothing, and is logged once', async () => {
    const { observe, seen } = collectObservations();
    const url = `http://127.0.0.1:${await closedPort()}/v1/traces`;
    const { tracer, close } = open({ url }, observe);
    // More than two exports.
    for (let index = 0; index < 1_500; index++) tracer.begin('lost', { parent: null }).end();
    await close();
    expect(seen).toEqual([{ kind: 'tracing_error', message: expect.stringContaining('ECONNREFUSED') }]);
  });

  test('a collector that refuses is logged without its answer', async () => {
    const { observe, seen } = collectObservations();
    collector.answerWith(401);
    const { tracer, close } = open({}, observe);
    tracer.begin('lost', { parent: null }).end();
    await close();
    expect(seen).toEqual([{ kind: 'tracing_error', message: 'Unauthorized' }]);
  });

  test('a collector that hangs does not keep a close from ending, and holds no memory', async () => {
    collector.answerWith(0);
    const { tracer, close } = open();
    for (let index = 0; index < 50_000; index++) tracer.begin('lost', { parent: null }).end();
    await close();
    // One export on its way and the queue of 2,048: the rest was dropped.
    const sent = collector.spans().length;
    expect(sent).toBeGreaterThan(0);
    expect(sent).toBeLessThanOrEqual(2_048 + 512);
  });
});
