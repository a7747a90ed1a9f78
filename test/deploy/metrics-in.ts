/** Lists the metrics in a PromQL expression, and those that a process serves. Parses only the PromQL that we use. */
import { collectDefaultMetrics, Registry } from '@prometheus-io/client';
import { z } from 'zod';
import { makeMetrics } from '../../src/metrics/catalogue.ts';

const metricSchema = z.looseObject({
  name: z.string(),
  type: z.enum(['counter', 'gauge', 'histogram', 'summary']),
  labelNames: z.array(z.string()).default([]),
});
export type MetricServed = z.infer<typeof metricSchema>;

/** Everything that `/metrics` serves: the catalogue, and what the client adds of the process. */
export function metricsByName(): ReadonlyMap<string, MetricServed> {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  makeMetrics(registry);
  const metrics = registry.getMetricsAsArray().map((metric) => metricSchema.parse({ ...metric }));
  return new Map(metrics.map((metric) => [metric.name, metric]));
}

/** Labels that Prometheus itself gives to what it scrapes, and the edges of a histogram's buckets. */
const LABELS_OF_ALL = ['job', 'instance', 'le'];

/** @returns what the expression asks for and no process serves, a line each */
export function missingIn(expression: string, served: ReadonlyMap<string, MetricServed>): string[] {
  const bare = expression.replaceAll(/"[^"]*"/g, '""').replaceAll(/\[[^\]]*\]/g, '');
  const groups = [...bare.matchAll(/\b(?:by|without|on|ignoring)\s*\(([^)]*)\)/g)].map(
    ([, list = '']) => list,
  );
  const matchers = [...bare.matchAll(/\{([^}]*)\}/g)].map(([, list = '']) => list);
  const names = bare
    .replaceAll(/\{[^}]*\}/g, '')
    .replaceAll(/\b(?:by|without|on|ignoring)\s*\([^)]*\)/g, '')
    .matchAll(/\b([a-z_:][\w:]*)\b(?!\s*\()/gi);
  const metrics = [...names].map(([name]) => name).filter((name) => !['and', 'or', 'unless'].includes(name));
  const labels = [...groups, ...matchers].flatMap((list) => [...list.matchAll(/\b[a-z_]\w*/g)].map(String));
  const found = metrics.map((name) => metricOf(name, served));
  const known = new Set([...LABELS_OF_ALL, ...found.flatMap((metric) => metric?.labelNames ?? [])]);
  return [
    ...(metrics.length === 0 ? ['no metric at all'] : []),
    ...metrics.filter((_, index) => found[index] === undefined),
    ...labels.filter((label) => !known.has(label)).map((label) => `label ${label}`),
  ];
}

/** A histogram is served as three series, none of which has its own name. */
function metricOf(series: string, served: ReadonlyMap<string, MetricServed>): MetricServed | undefined {
  const histogram = served.get(series.replace(/_(bucket|count|sum)$/, ''));
  if (histogram?.type === 'histogram') return series === histogram.name ? undefined : histogram;
  return served.get(series);
}
