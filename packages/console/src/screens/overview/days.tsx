/** The days of the app: one number of them as a chart, and all as a table. The series and the period are in the address. */
import { place, setQuery } from '../../frame/router.ts';
import { formatNumber, formatShare, plural, zoneName } from '../../kit/format.ts';
import { type Column, Table } from '../../kit/table.tsx';
import { TimeAgo } from '../../kit/time.tsx';
import { ViewSwitch } from '../../kit/view-switch.tsx';
import type { OverviewDay, OverviewNumbers } from '../../replies.ts';
import type { Notification } from '../notifications/notification.tsx';
import { DayChart, dayText } from './day-chart.tsx';

const DAYS_DEFAULT = '30';

const series = ['accepted', 'opens', 'unregistered', 'rejected'] as const;
export type Series = (typeof series)[number];
const labels: Readonly<Record<Series, { view: string; words: string }>> = {
  accepted: { view: 'Accepted', words: 'pushes accepted' },
  opens: { view: 'Opens', words: 'opens' },
  unregistered: { view: 'Dead tokens', words: 'dead push tokens' },
  rejected: { view: 'Rejected', words: 'pushes rejected' },
};

export function daysOf(query: URLSearchParams): string {
  return query.get('days') ?? DAYS_DEFAULT;
}

/** @param props.latest the newest notifications: the days have those that ended since they were counted as well */
export function Days({ overview, latest }: { overview: OverviewNumbers; latest: readonly Notification[] }) {
  const { days_counted_at: countedAt } = overview;
  const { query } = place.value;
  const shown = series.find((name) => name === query.get('series')) ?? 'accepted';
  const days = withUncounted(overview, latest);
  const sum = (name: Series): number => days.reduce((total, day) => total + day[name], 0);
  const answered = sum('accepted') + sum('unregistered') + sum('rejected');
  const whole = shown === 'opens' ? sum('accepted') : answered;
  const ofWhole = shown === 'opens' ? 'of the accepted pushes' : 'of the answers';
  if (countedAt === null) {
    return <p class="muted">The days are being counted: workers do it every 15 seconds.</p>;
  }
  return (
    <section class="stack" aria-labelledby="overview-days">
      <div class="screen-head">
        <h2 id="overview-days">
          <span class="display">{formatNumber(sum(shown))}</span> {labels[shown].words} in {plural(days.length, 'day')}
        </h2>
        <div class="buttons">
          <ViewSwitch
            label="What the chart shows"
            views={series.map((view) => ({ view, label: labels[view].view }))}
            shown={shown}
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
      <DayChart key={shown} title={labels[shown].words} series={shown} days={days} />
      <p class="muted">
        {formatNumber(days.at(-1)?.[shown] ?? 0)} today. In these days {formatShare(sum(shown), whole)} {ofWhole}. Days
        are those of {zoneName()}. Counted <TimeAgo at={countedAt} />.
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

const numbers: readonly (readonly [string, Exclude<keyof OverviewDay, 'day'>])[] = [
  ['Notifications', 'notifications'],
  ['Accepted', 'accepted'],
  ['Rejected', 'rejected'],
  ['Dead tokens', 'unregistered'],
  ['No token', 'no_token'],
  ['Ambiguous', 'ambiguous'],
  ['Opens', 'opens'],
  ['Devices', 'app_devices'],
];

const columns: readonly Column<OverviewDay>[] = [
  { title: 'Day', cell: ({ day }) => dayText(day) },
  ...numbers.map(([title, name]): Column<OverviewDay> => ({
    title,
    align: 'end',
    cell: ({ [name]: value }) => (value === null ? '–' : formatNumber(value)),
  })),
];
