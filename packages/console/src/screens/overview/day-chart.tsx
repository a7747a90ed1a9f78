import { useMemo } from 'preact/hooks';
import type uPlot from 'uplot';
import { formatNumber, formatShort } from '../../kit/format.ts';
import type { Content } from '../../kit/content.ts';
import { type PlotColors, usePlot } from '../../kit/plot.ts';
import { dayText, shortDay } from './day-text.ts';
import type { OverviewDay } from '../../replies.ts';

const HEIGHT = 132;
/** The width of a date below the chart, with space around it, in pixels. */
const LABEL_WIDTH = 64;
/** Days between two dates below the chart. */
const STEPS = [1, 2, 5, 7, 14, 30];
/** The share of its day's width that a bar takes, and its largest width in pixels. */
const BAR = [0.72, 28] as const;

/** One number by day, as bars, with its sum above. The table of all days has the numbers. */
export function DayChart(props: {
  title: string;
  total: string;
  note: string;
  kind?: 'opens' | 'dead' | 'rejected';
  days: readonly OverviewDay[];
  valueOf: (day: OverviewDay) => number;
}): Content {
  const { title, total, note, kind = 'accepted', days, valueOf } = props;
  const data = useMemo((): uPlot.AlignedData => [days.map((_day, index) => index), days.map(valueOf)], [days]);
  const first = days[0]?.day;
  // A chart keeps its options, so another period, with other dates, needs a new chart.
  const frame = usePlot((colors, Plot) => optionsFor(colors, Plot, days), data, [first, days.length]);
  const most = Math.max(0, ...days.map(valueOf));
  const peak = most === 0 ? undefined : days.find((day) => valueOf(day) === most);
  const words = peak === undefined ? 'none' : `at most ${formatNumber(most)} on ${dayText(peak.day)}`;
  return (
    <figure class="card overview-figure">
      <figcaption>
        <span class="muted">{title}</span>
        <strong>{total}</strong>
        <span class="muted">{note}</span>
      </figcaption>
      <div
        ref={frame}
        class={`plot overview-plot overview-${kind}`}
        role="img"
        aria-label={`${title} by day: ${words}. The numbers are in the table of days.`}
      />
    </figure>
  );
}

function optionsFor(
  { text, grid, curve }: PlotColors,
  Plot: typeof uPlot,
  days: readonly OverviewDay[],
): Omit<uPlot.Options, 'width'> {
  const axis = { stroke: text, ticks: { show: false } };
  const [share, pixels] = BAR;
  const bars = Plot.paths.bars?.({ size: [share, pixels], radius: 0.15 });
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
      {
        ...axis,
        size: 26,
        space: LABEL_WIDTH,
        incrs: STEPS,
        grid: { show: false },
        values: (_chart, splits) => splits.map((index) => shortDayAt(days, index)),
      },
      {
        ...axis,
        size: 44,
        incrs: wholeSteps,
        grid: { stroke: grid, width: 1 },
        values: (_chart, splits) => splits.map((value) => formatShort(value)),
      },
    ],
    series: [
      {},
      {
        stroke: curve,
        fill: curve,
        width: 0,
        points: { show: false },
        ...(bars !== undefined && { paths: bars }),
      },
    ],
  };
}

/** 1, 2, 5, 10 …: counts have no fractions. */
const wholeSteps = Array.from({ length: 10 }, (_, exponent) => 10 ** exponent).flatMap((power) => [
  power,
  2 * power,
  5 * power,
]);

function shortDayAt(days: readonly OverviewDay[], index: number): string {
  const day = days[index];
  return day === undefined ? '' : shortDay(day.day);
}
