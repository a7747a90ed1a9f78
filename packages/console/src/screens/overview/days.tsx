/** Days as curves, and as a table for readers who want the numbers. */
import { formatNumber, formatShare, plural, zoneName } from '../../kit/format.ts';
import type { Content } from '../../kit/content.ts';
import { type Column, Table } from '../../kit/table.tsx';
import { Time } from '../../kit/time.tsx';
import { DayChart } from './day-chart.tsx';
import { dayText } from './day-text.ts';
import type { OverviewDay } from '../../replies.ts';

export function DaysSection({ days, countedAt }: { days: readonly OverviewDay[]; countedAt: string | null }): Content {
  if (countedAt === null) {
    return (
      <p class="card muted">
        The days are not counted yet: workers do it every 15 seconds. If this stays, no worker is running.
      </p>
    );
  }
  const sum = (name: 'accepted' | 'opens' | 'unregistered' | 'rejected'): number =>
    days.reduce((total, day) => total + day[name], 0);
  const accepted = sum('accepted');
  const dead = sum('unregistered');
  const answered = accepted + dead + sum('rejected');
  const today = days.at(-1);
  return (
    <section class="overview-section" aria-labelledby="overview-days">
      <div class="screen-head">
        <h2 id="overview-days">{plural(days.length, 'day')}</h2>
        <p class="muted">
          Days in {zoneName()}, counted until <Time at={countedAt} />
        </p>
      </div>
      <div class="overview-grid">
        <DayChart
          title="Pushes accepted"
          total={formatNumber(accepted)}
          note={`${formatNumber(today?.accepted ?? 0)} today`}
          days={days}
          valueOf={(day: OverviewDay) => day.accepted}
        />
        <DayChart
          title="Opens"
          total={formatNumber(sum('opens'))}
          note={`${formatNumber(today?.opens ?? 0)} today; ${formatShare(sum('opens'), accepted)} of the accepted pushes`}
          kind="opens"
          days={days}
          valueOf={(day: OverviewDay) => day.opens}
        />
        <DayChart
          title="Dead push tokens"
          total={formatNumber(dead)}
          note={`${formatNumber(today?.unregistered ?? 0)} today; ${formatShare(dead, answered)} of the answers`}
          kind="dead"
          days={days}
          valueOf={(day: OverviewDay) => day.unregistered}
        />
        <DayChart
          title="Rejected pushes"
          total={formatNumber(sum('rejected'))}
          note={`${formatNumber(today?.rejected ?? 0)} today; ${formatShare(sum('rejected'), answered)} of the answers`}
          kind="rejected"
          days={days}
          valueOf={(day: OverviewDay) => day.rejected}
        />
      </div>
      <details class="overview-table">
        <summary>The days as a table</summary>
        <div class="table-frame">
          <Table label="Days" columns={columns} rows={days.toReversed()} keyOf={({ day }: OverviewDay) => day} />
        </div>
      </details>
    </section>
  );
}

function numberColumn(title: string, valueOf: (day: OverviewDay) => number | null): Column<OverviewDay> {
  return {
    title,
    align: 'end',
    cell: (day) => {
      const value = valueOf(day);
      return value === null ? '–' : formatNumber(value);
    },
  };
}

const columns: readonly Column<OverviewDay>[] = [
  { title: 'Day', cell: ({ day }) => dayText(day) },
  numberColumn('Notifications', (day) => day.notifications),
  numberColumn('Accepted', (day) => day.accepted),
  numberColumn('Rejected', (day) => day.rejected),
  numberColumn('Dead tokens', (day) => day.unregistered),
  numberColumn('No token', (day) => day.no_token),
  numberColumn('Ambiguous', (day) => day.ambiguous),
  numberColumn('Opens', (day) => day.opens),
  numberColumn('Devices', (day) => day.app_devices),
];
