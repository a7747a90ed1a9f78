/** The columns of a list of notifications, which the overview has as well. */
import { appAddress } from '../../frame/session.ts';
import { formatNumber, formatShare } from '../../kit/format.ts';
import { OutcomeBar, outcomes, Swatch } from '../../kit/outcome-bar.tsx';
import { type Column, Table, TwoLines } from '../../kit/table.tsx';
import { TimeAgo } from '../../kit/time.tsx';
import {
  makerWords,
  type Notification,
  outcomesOf,
  StateBadge,
  targetWords,
  textOf,
  titleOf,
} from './notification.tsx';

const columns: readonly Column<Notification>[] = [
  { title: 'Notification', grows: true, cell: (row) => <TwoLines name={titleOf(row)} text={textOf(row)} /> },
  { title: 'State', cell: ({ state }) => <StateBadge state={state} /> },
  {
    title: 'Audience',
    cell: (row) => (
      <span class="notifications-cut">
        <TwoLines name={targetWords(row)} text={makerWords(row)} />
      </span>
    ),
  },
  { title: 'Accepted', cell: (row) => <Accepted row={row} /> },
  { title: 'When', cell: ({ due_at: at }) => <TimeAgo at={at} /> },
];

export function NotificationTable({ label, rows }: { label: string; rows: readonly Notification[] }) {
  return (
    <div class="table-frame notifications-table">
      <Table
        label={label}
        columns={columns}
        rows={rows}
        keyOf={({ id }: Notification) => id}
        hrefOf={({ id }: Notification) => appAddress(`notifications/${id}`)}
      />
    </div>
  );
}

/** The bar of its outcomes, and the share of its devices that was accepted. */
function Accepted({ row }: { row: Notification }) {
  const { state, devices, accepted } = row;
  if (state === 'scheduled' || (state === 'canceled' && devices === 0)) return <span class="muted">–</span>;
  if (state === 'validated') return <span class="muted">{formatNumber(devices)} in a dry run</span>;
  if (devices === 0) return <span class="muted">Nobody to send to</span>;
  return (
    <div class="notifications-accepted">
      <span>
        {formatShare(accepted, devices)} <span class="muted">of {formatNumber(devices)}</span>
      </span>
      <OutcomeBar counts={outcomesOf(row)} />
    </div>
  );
}

/** What the colours of the bars mean. */
export function Colours() {
  return (
    <details class="fold">
      <summary>What the colours mean</summary>
      <ul class="legend">
        {outcomes.map((outcome) => (
          <li key={outcome}>
            <Swatch outcome={outcome} />
          </li>
        ))}
      </ul>
    </details>
  );
}
