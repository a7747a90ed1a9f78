/** Lists the reasons why devices did not get a notification. */
import { appAddress } from '../../frame/session.ts';
import { type ApiCall } from '../../frame/api.ts';
import { Curl } from '../../kit/developer/curl.tsx';
import { formatNumber, formatShare, plural } from '../../kit/format.ts';
import type { Content } from '../../kit/content.ts';
import { outcomeLabels } from '../../kit/outcome-bar.tsx';
import { type Column, Table } from '../../kit/table.tsx';
import type { NotificationReport, ReasonCount } from '../../replies.ts';

export function Reasons(props: { id: string; report: NotificationReport; devices: number; call: ApiCall }): Content {
  const { id, report, devices, call } = props;
  const { reasons, uncounted } = report;
  if (reasons.length === 0 && uncounted === 0) return null;
  return (
    <section class="stack" aria-labelledby="reasons-heading">
      <div class="screen-head">
        <h2 id="reasons-heading">Why devices did not get it</h2>
        <Curl call={call} />
      </div>
      {reasons.length > 0 && (
        <div class="table-frame">
          <Table label="Reasons" columns={columns(id, devices)} rows={reasons} keyOf={keyOf} />
        </div>
      )}
      {uncounted > 0 && (
        <p class="muted">
          {plural(uncounted, 'more device')} whose reason is not counted: it was stored a moment ago, or is no longer
          kept.
        </p>
      )}
    </section>
  );
}

function keyOf({ outcome, reason }: ReasonCount): string {
  return `${outcome} ${reason}`;
}

function columns(id: string, devices: number): readonly Column<ReasonCount>[] {
  return [
    {
      title: 'Outcome',
      cell: ({ outcome }) => (
        <span class="notifications-outcome">
          <span class={`swatch ${outcome}`} aria-hidden="true" />
          {outcomeLabels[outcome]}
        </span>
      ),
    },
    {
      title: 'Reason',
      cell: ({ reason }) =>
        reason === null || reason.includes(' ') ? '–' : <code class="notifications-code">{reason}</code>,
    },
    { title: 'What it means', cell: ({ explanation }) => <span>{withCode(explanation)}</span> },
    {
      title: 'Devices',
      align: 'end',
      cell: ({ outcome, reason, devices: number }) => (
        <span>
          <a href={appAddress('outcomes', { notification: id, outcome, reason: reason ?? undefined })}>
            {formatNumber(number)}
          </a>{' '}
          <span class="muted">{formatShare(number, devices)}</span>
        </span>
      ),
    },
  ];
}

/** Text between backticks becomes code. */
function withCode(text: string): Content[] {
  return text.split('`').map((part, index) => (index % 2 === 1 ? <code>{part}</code> : part));
}
