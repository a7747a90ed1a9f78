/** Devices per second over time. */
import { useMemo } from 'preact/hooks';
import type uPlot from 'uplot';
import { formatNumber, formatShort, formatTime, zoneName } from '../../kit/format.ts';
import { type PlotColors, usePlot } from '../../kit/plot.ts';
import { type Column, Table } from '../../kit/table.tsx';
import { Card } from '../../kit/card.tsx';
import type { RatePoint } from './live.ts';

const HEIGHT = 180;
/** The width of a time below the chart, with space around it. */
const LABEL_WIDTH = 80;
/** Seconds between two times below the chart. */
const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 43_200, 86_400] as const;
/** The table has some rows only; the chart has all points. */
const TABLE_ROWS_MAX = 60;

export function RateChart({ points }: { points: readonly RatePoint[] }) {
  const data = useMemo((): uPlot.AlignedData => [points.map(({ at }) => at), points.map(({ rate }) => rate)], [points]);
  const frame = usePlot(optionsFor, data);
  const most = Math.max(0, ...points.map(({ rate }) => rate));
  const step = Math.ceil(points.length / TABLE_ROWS_MAX);
  return (
    <Card title="Devices per second">
      <div
        ref={frame}
        class="plot"
        role="img"
        aria-label={`Devices per second over time, at most ${formatNumber(Math.round(most))}. The same numbers are in the table below.`}
      />
      <details class="fold">
        <summary>The same as a table</summary>
        <Table
          label="Devices per second"
          columns={columns}
          rows={points.filter((_point, index) => index % step === 0)}
          keyOf={({ at }: RatePoint) => String(at)}
        />
      </details>
    </Card>
  );
}

const columns: readonly Column<RatePoint>[] = [
  { title: `Time (${zoneName()})`, cell: ({ at }) => formatTime(at * 1_000) },
  { title: 'Devices per second', align: 'end', cell: ({ rate }) => formatNumber(Math.round(rate)) },
];

function clock(_chart: uPlot, splits: number[]): string[] {
  return splits.map((at) => formatTime(at * 1_000).split(', ')[1] ?? '');
}

function optionsFor({ text, grid, curve }: PlotColors): Omit<uPlot.Options, 'width'> {
  const axis = { stroke: text, ticks: { show: false }, grid: { stroke: grid, width: 1 } };
  return {
    height: HEIGHT,
    legend: { show: false },
    cursor: { show: false },
    scales: { y: { range: (_chart, _least, most) => [0, Math.max(1, most * 1.1)] } },
    axes: [
      { ...axis, size: 28, space: LABEL_WIDTH, incrs: [...STEPS], values: clock },
      { ...axis, size: 52, values: (_chart, splits) => splits.map((rate) => formatShort(rate)) },
    ],
    series: [{}, { stroke: curve, width: 2, points: { show: false } }],
  };
}
