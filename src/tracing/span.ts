/**
 * What traces are to the rest of the house. Spans are handed down as arguments, like everything else; where nothing
 * is traced they are `noSpan`, which does nothing, and no SDK is loaded. There is one for a request, a notification,
 * a slice and its queries, never for a push. No attribute may hold a push token, a key, payload text or an e-mail
 * address.
 */

export type Attributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanOptions {
  /** Which way the work came, `internal` unless told: OpenTelemetry's kinds of spans. */
  kind?: 'internal' | 'server' | 'producer' | 'consumer';
  /** When it began, where that was before now. */
  startedAt?: Date;
  attributes?: Attributes;
}

export interface Span {
  /** W3C Trace Context, for a span elsewhere that belongs under this one; null where nothing is traced. */
  readonly traceparent: string | null;
  /** Begins a span under this one. Whoever begins one ends it, with `end` or `fail`. */
  begin(name: string, options?: SpanOptions): Span;
  set(attributes: Attributes): void;
  /** Adds something that happened now. */
  event(name: string, attributes?: Attributes): void;
  end(): void;
  /** Ends it as failed. Of the error only its code or name is told: its message may quote values. */
  fail(error: unknown): void;
}

export interface Tracer {
  /**
   * Begins a span of this process.
   * @param options.parent the `traceparent` of a span elsewhere; null, or one that cannot be read, begins a trace
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

/** Does the work of a span, and ends it with the work. */
export async function within<T>(span: Span, work: () => Promise<T>): Promise<T> {
  try {
    const result = await work();
    span.end();
    return result;
  } catch (error) {
    span.fail(error);
    throw error;
  }
}
