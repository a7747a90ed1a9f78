import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { readPage, ROOT } from '../docs/markdown.ts';
import { metricsByName, missingIn } from './metrics-in.ts';
import { readYaml } from './read-yaml.ts';

const text = z.string().min(1);
const dashboardSchema = z.looseObject({
  panels: z.array(
    z.looseObject({
      id: z.int(),
      title: text,
      type: z.enum(['row', 'stat', 'timeseries']),
      description: text.optional(),
      gridPos: z.strictObject({ h: z.int(), w: z.int(), x: z.int(), y: z.int() }),
      targets: z.array(z.looseObject({ expr: text, legendFormat: text })).default([]),
    }),
  ),
  templating: z.strictObject({ list: z.array(z.looseObject({ name: text, definition: text.optional() })) }),
});
const alertsSchema = z.strictObject({
  groups: z.array(
    z.strictObject({
      name: text,
      rules: z.array(
        z.strictObject({
          alert: text,
          expr: text,
          for: z
            .string()
            .regex(/^\d+m$/)
            .optional(),
          labels: z.strictObject({ severity: z.enum(['page', 'ticket']) }),
          annotations: z.strictObject({ summary: text }),
        }),
      ),
    }),
  ),
});

const served = metricsByName();
const { panels, templating } = dashboardSchema.parse(
  JSON.parse(readFileSync(path.join(ROOT, 'deploy/grafana/carillon.json'), 'utf8')),
);
const charts = panels.filter(({ type }) => type !== 'row');
const alerts = alertsSchema
  .parse(readYaml('deploy/prometheus/alerts.yml')[0])
  .groups.flatMap(({ rules }) => rules);

it.each([
  ['sum by (gateway) (rate(carillon_pushes_total{outcome="rejected", job=~"$job"}[5m])) > 0.05', []],
  ['histogram_quantile(0.9, sum by (le) (rate(carillon_slice_duration_seconds_bucket[5m])))', []],
  ['carillon_pushes_total and process_cpu_seconds_total', []],
  ['sum(carillon_pushes)', ['carillon_pushes']],
  ['rate(carillon_slice_duration_seconds[5m])', ['carillon_slice_duration_seconds']],
  ['carillon_delivery_lag_seconds_count', ['carillon_delivery_lag_seconds_count']],
  ['sum by (lane) (carillon_pushes_total)', ['label lane']],
  ['carillon_errors_total{gateway="apns"}', ['label gateway']],
  ['vector(1)', ['no metric at all']],
])('the search for metrics judges the expression %s', (expression, missing) => {
  expect(missingIn(expression, served)).toEqual(missing);
});

it.each(charts)('the panel $title asks for metrics and labels that are served', ({ targets }) => {
  expect(targets).not.toEqual([]);
  expect(targets.flatMap(({ expr }) => missingIn(expr, served))).toEqual([]);
  for (const { legendFormat, expr } of targets) {
    const labels = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label);
    // The labels of a legend must remain after the sum.
    const aggregated = /\b(sum|max)\b/.test(expr);
    if (aggregated) for (const label of labels) expect(expr).toMatch(new RegExp(`by \\([^)]*\\b${label}\\b`));
  }
});

it('the dashboard takes its list of jobs from a metric that is served', () => {
  const [, series = ''] = /^label_values\((\w+), job\)$/.exec(templating.list[1]?.definition ?? '') ?? [];
  expect(served.has(series)).toBe(true);
});

it('the dashboard shows every metric of the catalogue', () => {
  const shown = charts.flatMap(({ targets }) => targets.map(({ expr }) => expr)).join('\n');
  const names = [...served.keys()].filter((name) => name.startsWith('carillon_'));
  expect(names.filter((name) => !shown.includes(name))).toEqual([]);
});

it('the dashboard explains every panel, and lays none over another', () => {
  expect(charts.filter(({ description }) => description === undefined)).toEqual([]);
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  expect(new Set(panels.map(({ title }) => title)).size).toBe(panels.length);
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)}:${y + Math.floor(cell / w)}`),
  );
  expect(new Set(cells).size).toBe(cells.length);
  expect(panels.filter(({ gridPos: { x, w } }) => x + w > 24)).toEqual([]);
});

it.each(alerts)('the alert $alert asks for metrics and labels that are served', ({ expr }) => {
  expect(missingIn(expr, served)).toEqual([]);
});

it('each alert has a name of its own, and docs/operations.md says what it means and what to do', () => {
  const names = alerts.map(({ alert }) => alert);
  expect(new Set(names).size).toBe(names.length);
  const page = readPage('docs/operations.md').text;
  const explained = [...page.matchAll(/^### (Carillon\w+)\n\n\*\*Means\*\*: .+\n(?:.+\n)*\*\*Do\*\*: .+$/gm)];
  expect(explained.map(([, name]) => name)).toEqual(names);
});
