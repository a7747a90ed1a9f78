/** The progress of a notification: counters, rate, time left, what limits it; and devices per second over time. */
import { useMemo } from 'preact/hooks';
import type uPlot from 'uplot';
import { Card } from '../../kit/card.tsx';
import { formatDuration, formatNumber, formatShort, formatTime, plural, zoneName } from '../../kit/format.ts';
import { OutcomeBar } from '../../kit/outcome-bar.tsx';
import { type PlotColors, usePlot } from '../../kit/plot.ts';
import { type Column, Table } from '../../kit/table.tsx';
import { Time, TimeAgo } from '../../kit/time.tsx';
import type { NotificationProgress } from '../../replies.ts';
import type { Live, RatePoint } from './live.ts';
import { type Counters, outcomesOf } from './notification.tsx';

const HEIGHT = 180;
/** The width of a time below the chart, with space around it. */
const LABEL_WIDTH = 80;
/** Seconds between two times below the chart. */
const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 43_200, 86_400] as const;
/** The table has some rows only; the chart has all points. */
const TABLE_ROWS_MAX = 60;

/** @param props.counters of the last event of the stream; before the first, those that were read */
export function ProgressCard({ counters, live }: { counters: Counters; live: Live }) {
  const { progress, isLost } = live;
  const { state, devices, pending, reason } = counters;
  const { number, words } = headline(counters);
  const rate = progress?.per_second ?? null;
  const isPaused = progress?.limit?.code === 'route_paused';
  const figures = [
    ['Done', `${formatNumber(devices - pending)} of ${formatNumber(devices)}`],
    ['Rate', rate === null ? 'Measuring …' : `${formatNumber(rate)} per second`],
    ['Ready', <Ready progress={progress} />],
  ] as const;
  return (
    <Card title={[number !== undefined && <span class="display">{formatNumber(number)}</span>, ' ', words]}>
      {devices > 0 && <OutcomeBar counts={outcomesOf(counters)} legend />}
      {state === 'sending' && (
        <dl class="figures">
          {figures.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      )}
      {progress && progress.limit !== null && (
        <p class={`note ${isPaused ? 'warn' : 'busy'}`}>
          <strong>What limits it:</strong> {progress.limit.sentence}
          {progress.limit.until !== null && [' Until ', <Time at={progress.limit.until} />, '.']}
        </p>
      )}
      {reason !== null && !isPaused && (
        <p class={`note ${state === 'failed' ? 'bad' : 'warn'}`} dir="auto">
          {sentence(reason)}
        </p>
      )}
      {isLost && (
        <p class="note warn" role="status">
          The connection is lost. Trying again …{' '}
          {progress && ['These numbers are from ', <TimeAgo at={progress.at} />, '.']}
        </p>
      )}
    </Card>
  );
}

/** The number that matters, if there is one, and what it counts: those who could be reached, of whom it is a share. */
function headline({ state, accepted, devices, no_token: unreachable }: Counters): { number?: number; words: string } {
  const of = `of ${plural(devices - unreachable, 'reachable device')} accepted`;
  switch (state) {
    case 'scheduled':
      return { words: 'Not started yet' };
    case 'sending':
      return { number: accepted, words: `${of} so far` };
    case 'sent':
      return devices === 0 ? { words: 'Sent: the audience had no devices' } : { number: accepted, words: of };
    case 'canceled':
      return devices === 0
        ? { words: 'Canceled before it began' }
        : { number: accepted, words: `${of} before it was canceled` };
    case 'failed':
      return { words: 'Failed: no push was accepted' };
    case 'validated':
      return { number: devices, words: `${devices === 1 ? 'device' : 'devices'} in a dry run: nothing was sent` };
  }
}

function Ready({ progress }: { progress: NotificationProgress | undefined }) {
  const seconds = progress?.estimated_seconds_left ?? null;
  if (progress === undefined || seconds === null) {
    return progress?.per_second === 0 ? 'Not known while nothing is sent' : 'Measuring …';
  }
  return (
    <>
      In {formatDuration(seconds)}{' '}
      <span class="muted">
        <Time at={Date.parse(progress.at) + seconds * 1_000} />
      </span>
    </>
  );
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
}

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
