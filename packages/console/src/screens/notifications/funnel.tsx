/** How far a notification got: accepted, received, shown, opened. */
import type { Content } from '../../kit/content.ts';
import { formatComparedShare, formatNumber, formatShare, plural } from '../../kit/format.ts';
import { type Column, Table } from '../../kit/table.tsx';
import { Card } from '../../kit/card.tsx';
import type { Funnel, FunnelStep } from '../../replies.ts';

interface Step extends Pick<FunnelStep, 'devices' | 'share'> {
  name: string;
  /** The sampling error; null if the number is not an estimate. */
  interval: { low: number; high: number } | null;
}

/** @returns null if devices have reported nothing, and no device is asked to report */
export function FunnelCard({ funnel }: { funnel: Funnel }) {
  const { sample, accepted, received, shown, opened } = funnel;
  if (accepted === 0 || (sample === null && opened === 0)) return null;
  const steps = [
    { name: 'Accepted', devices: accepted, share: 1, interval: null },
    ...estimated('Received', received),
    ...estimated('Shown', shown),
    { name: 'Opened', devices: opened, share: Math.min(1, opened / accepted), interval: null },
  ];
  return (
    <Card title="How far it got">
      <Table label="Steps" columns={columns} rows={steps} keyOf={({ name }: Step) => name} />
      <p class="muted">{note(funnel)}</p>
    </Card>
  );
}

function estimated(name: string, of: FunnelStep | null): Step[] {
  return of === null ? [] : [{ name, devices: of.devices, share: of.share, interval: of.low < of.high ? of : null }];
}

const columns: readonly Column<Step>[] = [
  { title: 'Step', cell: ({ name }) => name },
  {
    title: 'Devices',
    align: 'end',
    cell: ({ devices, interval }) => `${interval === null ? '' : 'about '}${formatNumber(devices)}`,
  },
  { title: 'Of the accepted', cell: ({ share, interval }) => <IntervalBar share={share} interval={interval} /> },
];

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

/** A share in words, and as a bar to the lower end of its interval and on to the upper end; `highest` takes the whole length. */
export function IntervalBar(props: {
  share: number;
  interval: { low: number; high: number } | null;
  highest?: number;
  children?: Content;
}) {
  const { share, interval, highest = 1, children } = props;
  const { low, high } = interval ?? { low: share, high: share };
  const part = (of: number) => ({ flexGrow: highest === 0 ? 0 : of / highest, background: 'var(--outcome-accepted)' });
  return (
    <div class="notifications-rate">
      <span>
        <strong>{formatComparedShare(share)}</strong> {children}
      </span>
      <span class="bar" aria-hidden="true">
        <span style={part(low)} />
        {interval !== null && <span style={{ ...part(high - low), opacity: 0.5 }} />}
      </span>
      {interval !== null && (
        <span class="muted">
          {formatComparedShare(low)} to {formatComparedShare(high)}
        </span>
      )}
    </div>
  );
}
