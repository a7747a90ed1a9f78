/** Lists the reasons why devices did not get a notification. */
import { formatNumber, formatShare, plural } from '../../kit/format.ts';
import { Swatch } from '../../kit/outcome-bar.tsx';
import { type Column, Table } from '../../kit/table.tsx';
import type { NotificationReport, ReasonCount } from '../../replies.ts';
import { type Counters, outcomesAddress } from './notification.tsx';

type Reason = Omit<ReasonCount, 'outcome'> & { outcome: ReasonCount['outcome'] | 'not_sent' };

export function Reasons({ id, report, counters }: { id: string; report: NotificationReport; counters: Counters }) {
  const { uncounted } = report;
  const reasons = reasonsOf(report, counters);
  if (reasons.length === 0 && uncounted === 0) return null;
  return (
    <section class="stack" aria-labelledby="reasons-heading">
      <h2 id="reasons-heading">Why devices did not get it</h2>
      {reasons.length > 0 && (
        <div class="table-frame">
          <Table
            label="Reasons"
            columns={columns(id, counters.devices)}
            rows={reasons}
            keyOf={({ outcome, reason }: Reason) => `${outcome} ${reason}`}
          />
        </div>
      )}
      {uncounted > 0 && (
        <p class="muted">{plural(uncounted, 'more device')} whose reason is not counted yet, or no longer kept.</p>
      )}
    </section>
  );
}

/** With those that it was canceled before: they have no outcome. */
function reasonsOf({ reasons }: NotificationReport, { state, pending }: Counters): readonly Reason[] {
  if (state !== 'canceled' || pending === 0) return reasons;
  const explanation = 'It was canceled before it was their turn.';
  return [{ outcome: 'not_sent', reason: null, explanation, devices: pending }, ...reasons];
}

function columns(id: string, devices: number): readonly Column<Reason>[] {
  return [
    { title: 'Outcome', cell: ({ outcome }) => <Swatch outcome={outcome} /> },
    {
      title: 'Why',
      cell: ({ explanation, reason }) => (
        <>
          <span>{withCode(explanation)}</span>
          {isOfGateway(reason) && <div class="muted">{reason}</div>}
        </>
      ),
    },
    {
      title: 'Devices',
      align: 'end',
      cell: ({ outcome, reason, devices: number }) => (
        <span>
          {outcome === 'not_sent' ? (
            formatNumber(number)
          ) : (
            <a href={outcomesAddress(id, { outcome, reason: reason ?? undefined })}>{formatNumber(number)}</a>
          )}{' '}
          <span class="muted">{formatShare(number, devices)}</span>
        </span>
      ),
    },
  ];
}

/** Whether somebody may look for it at Apple or Google: our own reasons are written small, and say nothing more. */
function isOfGateway(reason: string | null): boolean {
  return reason !== null && /^[A-Z]\w+$/.test(reason);
}

/** Text between backticks becomes code. */
function withCode(text: string) {
  return text.split('`').map((part, index) => (index % 2 === 1 ? <code>{part}</code> : part));
}
