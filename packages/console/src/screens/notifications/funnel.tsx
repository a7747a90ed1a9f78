/** How far a notification got: accepted, received, shown, opened. */
import { formatComparedShare, formatNumber, formatShare, plural } from '../../kit/format.ts';
import type { Content } from '../../kit/content.ts';
import { type Column, Table } from '../../kit/table.tsx';
import type { Funnel, FunnelStep } from '../../replies.ts';

interface Step {
  name: string;
  devices: number;
  /** The share of the accepted devices; null for these themselves. */
  share: number | null;
  /** The sampling error; null if the number is not an estimate. */
  interval: { low: number; high: number } | null;
}

/** @returns null if devices have reported nothing, and no device is asked to report */
export function FunnelCard({ funnel }: { funnel: Funnel }): Content {
  const { sample, accepted, opened } = funnel;
  if (accepted === 0 || (sample === null && opened === 0)) return null;
  return (
    <section class="card stack" aria-labelledby="funnel-heading">
      <h2 id="funnel-heading">How far it got</h2>
      <Table label="Steps" columns={columns} rows={stepsOf(funnel)} keyOf={({ name }: Step) => name} />
      <p class="muted">{note(funnel)}</p>
    </section>
  );
}

function stepsOf({ accepted, received, shown, opened }: Funnel): Step[] {
  return [
    { name: 'accepted', devices: accepted, share: null, interval: null },
    ...estimated('received', received),
    ...estimated('shown', shown),
    { name: 'opened', devices: opened, share: Math.min(1, opened / accepted), interval: null },
  ];
}

function estimated(name: string, of: FunnelStep | null): Step[] {
  if (of === null) return [];
  return [{ name, devices: of.devices, share: of.share, interval: of.low < of.high ? of : null }];
}

const columns: readonly Column<Step>[] = [
  { title: 'Step', cell: ({ name }) => name },
  {
    title: 'Devices',
    align: 'end',
    cell: ({ devices, interval }) => `${interval === null ? '' : 'about '}${formatNumber(devices)}`,
  },
  {
    title: 'Of the accepted',
    cell: ({ share, interval }) => (
      <>
        <span class="notifications-funnel" aria-hidden="true">
          <span style={{ inlineSize: percent(interval?.low ?? share ?? 1) }} />
          {interval !== null && <span style={{ inlineSize: percent(interval.high - interval.low) }} />}
        </span>
        <span class="notifications-when">
          {formatComparedShare(share ?? 1)}
          {interval !== null && (
            <>
              {' '}
              <span class="muted">
                {formatComparedShare(interval.low)} to {formatComparedShare(interval.high)}
              </span>
            </>
          )}
        </span>
      </>
    ),
  },
];

function percent(share: number): string {
  return `${share * 100}%`;
}

function note({ sample, accepted, asked, received }: Funnel): string {
  if (sample === null) return 'The notification asked for no receipts, so only opens are known.';
  if (received === null) return 'Devices are asked for receipts; none has reported yet.';
  const opens = 'Opens are counted on all devices.';
  if (asked >= accepted) return `Every device is asked. ${opens}`;
  return (
    `Estimated from ${plural(asked, 'device')}, a sample of ${formatShare(sample, 1)}. ` +
    `The ranges are 95% confidence intervals. ${opens}`
  );
}
