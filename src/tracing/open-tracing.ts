/**
 * Sends traces with OpenTelemetry's SDK. Import this file only with `import()`, so that the SDK is loaded only if tracing
 * is on. Spans are exported many at a time in the background: nothing waits for an export, or fails because of one.
 */
import { randomUUID } from 'node:crypto';
import {
  type Context,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer as SdkTracer,
} from '@opentelemetry/api';
import { ExportResultCode, parseTraceParent } from '@opentelemetry/core';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Observe } from '../observe.ts';
import { withinTime } from '../scheduling/time-limit.ts';
import type { Span, SpanOptions, Tracer } from './span.ts';
import type { TracingConfig } from '../process/tracing-config.ts';

export interface Tracing {
  tracer: Tracer;
  /** Exports the finished spans, within `EXPORT_MS_MAX`. Never rejects. */
  close: () => Promise<void>;
}

/** Per export, including retries. The SDK's default of 10 seconds is more than the time left at the end of a shutdown. */
const EXPORT_MS_MAX = 3_000;

/** @param observe called when spans are lost */
export function openTracing(config: TracingConfig, observe: Observe): Tracing {
  const exporter = observingLosses(openExporter(config), observe);
  const provider = new TracerProvider({
    resource: defaultResource().merge(
      resourceFromAttributes({ 'service.instance.id': randomUUID(), ...config.resource }),
    ),
    sampler: samplerOf(config),
    // Its queue holds 2,048 spans and drops further ones, so a collector that hangs costs little memory.
    spanProcessors: [new BatchSpanProcessor({ exporter, exportTimeoutMillis: EXPORT_MS_MAX })],
  });
  const tracer = provider.getTracer('carillon');
  return {
    tracer: {
      begin: (name, { parent, ...options }) => begin(tracer, contextOf(parent), name, options),
    },
    close: async () => withinTime(EXPORT_MS_MAX, provider.shutdown()).catch(() => undefined),
  };
}

function openExporter({ url, headers, protocol }: TracingConfig): SpanExporter {
  const options = { url, headers: { ...headers }, timeoutMillis: EXPORT_MS_MAX };
  return protocol === 'http/json' ? new JsonExporter(options) : new ProtobufExporter(options);
}

/** Reports the first lost export, and another one only if an export has succeeded in between. */
function observingLosses(exporter: SpanExporter, observe: Observe): SpanExporter {
  let isLosing = false;
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        const isLost = result.code !== ExportResultCode.SUCCESS;
        if (isLost && !isLosing) observe({ kind: 'tracing_error', message: messageOf(result.error) });
        isLosing = isLost;
        done(result);
      }),
    shutdown: async () => exporter.shutdown(),
  };
}

/** Returns only the message: other properties contain the collector's response. */
function messageOf(error: Error | undefined): string {
  if (error === undefined) return 'unknown';
  // If all addresses of a host refuse, Node's error has a code and no message.
  return error.message === '' ? codeOf(error) : error.message;
}

function samplerOf({ sampler, samplerRatio }: TracingConfig): Sampler {
  const name = sampler.replace('parentbased_', '');
  const fixed = name === 'always_on' ? new AlwaysOnSampler() : new AlwaysOffSampler();
  const root = name === 'traceidratio' ? new TraceIdRatioBasedSampler(samplerRatio) : fixed;
  return name === sampler ? root : new ParentBasedSampler({ root });
}

/** The context of a remote span; an empty one if there is no valid `traceparent`. */
function contextOf(traceparent: string | null): Context {
  const parent = traceparent === null ? null : parseTraceParent(traceparent);
  return parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: true });
}

const KINDS = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
} as const;

function begin(tracer: SdkTracer, context: Context, name: string, options: SpanOptions): Span {
  const { kind = 'internal', startedAt, attributes = {} } = options;
  const span = tracer.startSpan(
    name,
    { kind: KINDS[kind], attributes, ...(startedAt !== undefined && { startTime: startedAt }) },
    context,
  );
  const { traceId, spanId, traceFlags } = span.spanContext();
  return {
    traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
    begin: (childName, childOptions = {}) =>
      begin(tracer, trace.setSpan(ROOT_CONTEXT, span), childName, childOptions),
    set: (more) => void span.setAttributes(more),
    event: (eventName, more = {}) => void span.addEvent(eventName, more),
    end: () => span.end(),
    fail: (error) => {
      span.setStatus({ code: SpanStatusCode.ERROR });
      span.setAttribute('error.type', codeOf(error));
      span.end();
    },
  };
}

/** An error's code (ours, Node's or Postgres'), otherwise its name. */
function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return 'unknown';
  if ('code' in error) return String(error.code);
  return error instanceof Error ? error.name : 'unknown';
}
