import type { TracingConfig } from '../process/tracing-config.ts';
import type { Observe } from '../observe.ts';
import type { Tracing } from './open-tracing.ts';
import { noTracer } from './span.ts';

/** Loads the SDK only if the settings turn tracing on: it takes a tenth of a second and some megabytes. */
export async function openTracer(
  { tracing }: { tracing: TracingConfig | undefined },
  observe: Observe,
): Promise<Tracing> {
  if (tracing === undefined) return { tracer: noTracer, close: async () => undefined };
  const { openTracing } = await import('./open-tracing.ts');
  return openTracing(tracing, observe);
}
