/** One number by day, as bars. The table of all days has the numbers. */
import { useMemo } from 'preact/hooks';
import type uPlot from 'uplot';
import { formatNumber, formatShort } from '../../kit/format.ts';
import { type PlotColors, usePlot } from '../../kit/plot.ts';
import type { OverviewDay } from '../../replies.ts';
import type { Series } from './days.tsx';

const HEIGHT = 180;
/** The width of a date below the chart, with space around it, in pixels. */
const LABEL_WIDTH = 64;
/** Days between two dates below the chart. */
const STEPS = [1, 2, 5, 7, 14, 30];
/** The share of its day's width that a bar takes, and its largest width in pixels. */
const BAR: [number, number] = [0.72, 28];
/** 1, 2, 5, 10 …: counts have no fractions. */
const WHOLE = Array.from({ length: 10 }, (_, exponent) => [1, 2, 5].map((step) => step * 10 ** exponent)).flat();

// The days of the API are dates without a zone, so they are written as dates of UTC.
const SHORT = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
const LONG = new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' });

/** '2026-11-24' → 'Tue, 24 Nov' */
export function dayText(day: string): string {
  return LONG.format(new Date(day));
}

const lineColors: Readonly<Record<Series, string>> = {
  accepted: 'var(--outcome-accepted)',
  opens: 'var(--chart-1)',
  unregistered: 'var(--outcome-unregistered)',
  rejected: 'var(--outcome-rejected)',
};

export function DayChart({ title, series, days }: { title: string; series: Series; days: readonly OverviewDay[] }) {
  const values = days.map((day) => day[series]);
  const data = useMemo((): uPlot.AlignedData => [days.map((_day, index) => index), values], [days]);
  // A chart keeps its options, so another period, with other dates, needs a new chart.
  const frame = usePlot((colors, Plot) => optionsFor(colors, Plot, days), data, [days[0]?.day, days.length]);
  const most = Math.max(0, ...values);
  const peak = days[values.indexOf(most)];
  const words = most === 0 || peak === undefined ? 'none' : `at most ${formatNumber(most)} on ${dayText(peak.day)}`;
  return (
    <div
      ref={frame}
      class="plot"
      style={{ outlineColor: lineColors[series] }}
      role="img"
      aria-label={`${title} by day: ${words}. The numbers are in the table of days.`}
    />
  );
}

function countWords(_chart: uPlot, splits: number[]): string[] {
  return splits.map((value) => formatShort(value));
}

function optionsFor(
  { text, grid, curve }: PlotColors,
  Plot: typeof uPlot,
  days: readonly OverviewDay[],
): Omit<uPlot.Options, 'width'> {
  const axis = { stroke: text, ticks: { show: false } };
  const paths = Plot.paths.bars?.({ size: BAR, radius: 0.15 });
  const dates = (_chart: uPlot, splits: number[]): string[] =>
    splits.map((index) => SHORT.format(new Date(days[index]?.day ?? 0)));
  return {
    height: HEIGHT,
    legend: { show: false },
    cursor: { show: false },
    padding: [8, 8, 0, 0],
    scales: {
      x: { time: false, range: [-0.6, days.length - 0.4] },
      y: { range: (_chart, _least, most) => [0, Math.max(1, most * 1.1)] },
    },
    axes: [
      { ...axis, size: 26, space: LABEL_WIDTH, incrs: STEPS, grid: { show: false }, values: dates },
      { ...axis, size: 44, incrs: WHOLE, grid: { stroke: grid, width: 1 }, values: countWords },
    ],
    series: [{}, { stroke: curve, fill: curve, width: 0, points: { show: false }, ...(paths && { paths }) }],
  };
}
