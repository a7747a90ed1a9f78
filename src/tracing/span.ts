/**
 * The interface of tracing for all other rooms. Spans are passed down as arguments. Without tracing they are `noSpan`,
 * which does nothing, and no SDK is loaded. Each request, notification, slice and query of a slice has a span; single
 * pushes have none. No attribute may hold a push token, a key, payload text or an e-mail address.
 */

export type Attributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanOptions {
  /** OpenTelemetry's kind of span; `internal` by default. */
  kind?: 'internal' | 'server' | 'producer' | 'consumer';
  /** Default: now. */
  startedAt?: Date;
  attributes?: Attributes;
}

export interface Span {
  /** The W3C Trace Context of this span, for remote child spans; null without tracing. */
  readonly traceparent: string | null;
  /** Begins a child span. The caller ends it, with `end` or `fail`. */
  begin(name: string, options?: SpanOptions): Span;
  set(attributes: Attributes): void;
  /** Adds an event at the current time. */
  event(name: string, attributes?: Attributes): void;
  end(): void;
  /** Ends the span as failed. Records only the code or name of the error: its message may quote values. */
  fail(error: unknown): void;
}

export interface Tracer {
  /**
   * Begins a span of this process.
   * @param options.parent the `traceparent` of a remote span; null or an invalid one starts a new trace
   */
  begin(name: string, options: SpanOptions & { parent: string | null }): Span;
}

export const noSpan: Span = {
  traceparent: null,
  begin: () => noSpan,
  set: () => undefined,
  event: () => undefined,
  end: () => undefined,
  fail: () => undefined,
};

export const noTracer: Tracer = { begin: () => noSpan };

/** Runs the work, and ends the span when the work ends or fails. */
export function within<T>(span: Span, work: () => Promise<T>): Promise<T> {
  return span === noSpan ? work() : endAfter(span, work);
}

async function endAfter<T>(span: Span, work: () => Promise<T>): Promise<T> {
  try {
    const result = await work();
    span.end();
    return result;
  } catch (error) {
    span.fail(error);
    throw error;
  }
}
