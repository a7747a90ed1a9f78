/** The days of the app: one number of them as a chart, and all as a table. The series and the period are in the address. */
import { useMemo } from 'preact/hooks';
import type uPlot from 'uplot';
import { place, setQuery } from '../../frame/router.ts';
import { formatNumber, formatShare, formatShort, plural, zoneName } from '../../kit/format.ts';
import { type PlotColors, usePlot } from '../../kit/plot.ts';
import { type Column, Table } from '../../kit/table.tsx';
import { TimeAgo } from '../../kit/time.tsx';
import { ViewSwitch } from '../../kit/view-switch.tsx';
import type { OverviewDay, OverviewNumbers } from '../../replies.ts';
import type { Notification } from '../notifications/notification.tsx';

const DAYS_DEFAULT = '30';

const series = [
  { view: 'accepted', label: 'Accepted', words: 'pushes accepted', color: 'var(--outcome-accepted)' },
  { view: 'opens', label: 'Opens', words: 'opens', color: 'var(--chart-1)' },
  { view: 'unregistered', label: 'Dead tokens', words: 'dead push tokens', color: 'var(--outcome-unregistered)' },
  { view: 'rejected', label: 'Rejected', words: 'pushes rejected', color: 'var(--outcome-rejected)' },
] as const;
type Series = (typeof series)[number];

// The days of the API are dates without a zone, so they are written as dates of UTC.
const SHORT = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
const LONG = new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' });

/** '2026-11-24' → 'Tue, 24 Nov' */
function dayText(day: string): string {
  return LONG.format(new Date(day));
}

export function daysOf(query: URLSearchParams): string {
  return query.get('days') ?? DAYS_DEFAULT;
}

/** @param props.latest the newest notifications: the days have those that ended since they were counted as well */
export function Days({ overview, latest }: { overview: OverviewNumbers; latest: readonly Notification[] }) {
  const { days_counted_at: countedAt } = overview;
  const { query } = place.value;
  const shown = series.find(({ view }) => view === query.get('series')) ?? series[0];
  const days = withUncounted(overview, latest);
  const sum = (name: Series['view']): number => days.reduce((total, day) => total + day[name], 0);
  const answered = sum('accepted') + sum('unregistered') + sum('rejected');
  const ofWhole =
    shown.view === 'opens'
      ? `${formatShare(sum('opens'), sum('accepted'))} of the accepted pushes`
      : `${formatShare(sum(shown.view), answered)} of the answers`;
  if (countedAt === null) {
    return <p class="muted">The days are being counted: workers do it every 15 seconds.</p>;
  }
  return (
    <section class="stack" aria-labelledby="overview-days">
      <div class="screen-head">
        <h2 id="overview-days">
          <span class="display">{formatNumber(sum(shown.view))}</span> {shown.words} in {plural(days.length, 'day')}
        </h2>
        <div class="buttons">
          <ViewSwitch
            label="What the chart shows"
            views={series}
            shown={shown.view}
            onChoose={(view) => setQuery({ series: view === 'accepted' ? undefined : view }, 'push')}
          />
          <ViewSwitch
            label="Days"
            views={['7', '30', '90'].map((view) => ({ view, label: `${view} days` }))}
            shown={daysOf(query)}
            onChoose={(value) => setQuery({ days: value === DAYS_DEFAULT ? undefined : value }, 'push')}
          />
        </div>
      </div>
      <DayChart key={shown.view} {...shown} days={days} />
      <p class="muted">
        {formatNumber(days.at(-1)?.[shown.view] ?? 0)} today. In these days {ofWhole}. Days are those of {zoneName()}.
        Counted <TimeAgo at={countedAt} />.
      </p>
      <details class="fold">
        <summary>The days as a table</summary>
        <div class="table-frame">
          <Table label="Days" columns={columns} rows={days.toReversed()} keyOf={({ day }: OverviewDay) => day} />
        </div>
      </details>
    </section>
  );
}

/** The chart must not say 0 above a list that has the newest notification with all its outcomes. */
function withUncounted(
  { days, days_counted_at: countedAt }: OverviewNumbers,
  latest: readonly Notification[],
): readonly OverviewDay[] {
  const today = days.at(-1);
  const added = latest.filter(
    ({ state, ended_at: at }) =>
      state !== 'validated' && at !== null && countedAt !== null && Date.parse(at) >= Date.parse(countedAt),
  );
  if (today === undefined || added.length === 0) return days;
  const names = ['devices', 'accepted', 'rejected', 'unregistered', 'no_token', 'ambiguous'] as const;
  const sum = { ...today, notifications: today.notifications + added.length };
  for (const one of added) for (const name of names) sum[name] += one[name];
  return [...days.slice(0, -1), sum];
}

const columns: readonly Column<OverviewDay>[] = [
  { title: 'Day', cell: ({ day }) => dayText(day) },
  ...(
    [
      ['Notifications', 'notifications'],
      ['Accepted', 'accepted'],
      ['Rejected', 'rejected'],
      ['Dead tokens', 'unregistered'],
      ['No token', 'no_token'],
      ['Ambiguous', 'ambiguous'],
      ['Opens', 'opens'],
      ['Devices', 'app_devices'],
    ] as const
  ).map(([title, name]): Column<OverviewDay> => ({
    title,
    align: 'end',
    cell: ({ [name]: value }) => (value === null ? '–' : formatNumber(value)),
  })),
];

const HEIGHT = 180;
/** The width of a date below the chart, with space around it, in pixels. */
const LABEL_WIDTH = 64;
/** Days between two dates below the chart. */
const STEPS = [1, 2, 5, 7, 14, 30];
/** The share of its day's width that a bar takes, and its largest width in pixels. */
const BAR: [number, number] = [0.72, 28];
/** 1, 2, 5, 10 …: counts have no fractions. */
const WHOLE = Array.from({ length: 10 }, (_, exponent) => [1, 2, 5].map((step) => step * 10 ** exponent)).flat();

/** One number by day, as bars. The table of all days has the numbers. */
function DayChart({ view, words, color, days }: Series & { days: readonly OverviewDay[] }) {
  const values = days.map((day) => day[view]);
  const data = useMemo((): uPlot.AlignedData => [days.map((_day, index) => index), values], [days]);
  // A chart keeps its options, so another period, with other dates, needs a new chart.
  const frame = usePlot((colors, Plot) => optionsFor(colors, Plot, days), data, [days[0]?.day, days.length]);
  const most = Math.max(0, ...values);
  const peak = days[values.indexOf(most)];
  const said = most === 0 || peak === undefined ? 'none' : `at most ${formatNumber(most)} on ${dayText(peak.day)}`;
  return (
    <div
      ref={frame}
      class="plot"
      style={{ outlineColor: color }}
      role="img"
      aria-label={`${words} by day: ${said}. The numbers are in the table of days.`}
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
