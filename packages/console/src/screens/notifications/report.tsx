/** What the report of a notification has: why devices did not get it, how far it got, and the variants of an A/B test. */
import { Card } from '../../kit/card.tsx';
import type { Content } from '../../kit/content.ts';
import { formatComparedShare, formatNumber, formatShare, plural } from '../../kit/format.ts';
import { Swatch } from '../../kit/outcome-bar.tsx';
import { type Column, Table } from '../../kit/table.tsx';
import type {
  Funnel,
  FunnelStep,
  NotificationReport,
  ReasonCount,
  VariantGroup,
  VariantReport,
} from '../../replies.ts';
import { type Counters, groupLabel, outcomesAddress } from './notification.tsx';

type Reason = Omit<ReasonCount, 'outcome'> & { outcome: ReasonCount['outcome'] | 'not_sent' };

export function Reasons({ id, report, counters }: { id: string; report: NotificationReport; counters: Counters }) {
  const { uncounted } = report;
  const reasons = reasonsOf(report, counters);
  if (reasons.length === 0 && uncounted === 0) return null;
  return (
    <Card title="Why devices did not get it">
      {reasons.length > 0 && (
        <Table
          label="Reasons"
          columns={reasonColumns(id, counters.devices)}
          rows={reasons}
          keyOf={({ outcome, reason }: Reason) => `${outcome} ${reason}`}
        />
      )}
      {uncounted > 0 && (
        <p class="muted">{plural(uncounted, 'more device')} whose reason is not counted yet, or no longer kept.</p>
      )}
    </Card>
  );
}

/** With those that it was canceled before: they have no outcome. */
function reasonsOf({ reasons }: NotificationReport, { state, pending }: Counters): readonly Reason[] {
  if (state !== 'canceled' || pending === 0) return reasons;
  const explanation = 'It was canceled before it was their turn.';
  return [{ outcome: 'not_sent', reason: null, explanation, devices: pending }, ...reasons];
}

function reasonColumns(id: string, devices: number): readonly Column<Reason>[] {
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

/** A share of devices. If it is estimated or may be chance, `low` and `high` are the ends of its interval, otherwise the share itself. */
type Rate = Pick<FunnelStep, 'devices' | 'share' | 'low' | 'high'>;
type Step = Rate & { name: string };

/** Accepted, received, shown, opened. @returns null if devices have reported nothing, and no device is asked to report */
export function FunnelCard({ funnel }: { funnel: Funnel }) {
  const { sample, accepted, received, shown, opened } = funnel;
  if (accepted === 0 || (sample === null && opened === 0)) return null;
  const openRate = Math.min(1, opened / accepted);
  const steps = [
    { name: 'Accepted', devices: accepted, share: 1, low: 1, high: 1 },
    ...(received === null ? [] : [{ ...received, name: 'Received' }]),
    ...(shown === null ? [] : [{ ...shown, name: 'Shown' }]),
    { name: 'Opened', devices: opened, share: openRate, low: openRate, high: openRate },
  ];
  return (
    <Card title="How far it got">
      <Table label="Steps" columns={stepColumns} rows={steps} keyOf={({ name }: Step) => name} />
      <p class="muted">{note(funnel)}</p>
    </Card>
  );
}

const stepColumns: readonly Column<Step>[] = [
  { title: 'Step', cell: ({ name }) => name },
  {
    title: 'Devices',
    align: 'end',
    cell: ({ devices, low, high }) => `${low < high ? 'about ' : ''}${formatNumber(devices)}`,
  },
  { title: 'Of the accepted', cell: (step) => <RateBar of={step} /> },
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
function RateBar(props: { of: Rate; highest?: number; children?: Content }) {
  const { of, highest = 1, children } = props;
  const { share, low, high } = of;
  const part = (length: number) => ({
    flexGrow: highest === 0 ? 0 : length / highest,
    background: 'var(--outcome-accepted)',
  });
  return (
    <div class="notifications-rate">
      <span>
        <strong>{formatComparedShare(share)}</strong> {children}
      </span>
      <span class="bar" aria-hidden="true">
        <span style={part(low)} />
        {low < high && <span style={{ ...part(high - low), opacity: 0.5 }} />}
      </span>
      {low < high && (
        <span class="muted">
          {formatComparedShare(low)} to {formatComparedShare(high)}
        </span>
      )}
    </div>
  );
}

/** The name of the group that gets nothing. */
const HOLD_OUT = 'hold_out';

const rates = { received: 'Received', shown: 'Shown', opened: 'Opened' } as const;
const rateNames = ['received', 'shown', 'opened'] as const;

/** With confidence intervals, and whether a difference may be chance. @param props.id the id of the notification */
export function VariantsCard({ id, variants }: { id: string; variants: VariantReport }) {
  const { groups, comparisons } = variants;
  const known = rateNames.filter((rate) => groups.some((group) => group[rate] !== null));
  return (
    <Card title="A/B test">
      <div class="notifications-variants">
        <Table
          label="Variants"
          columns={variantColumns(id, known, groups)}
          rows={groups}
          keyOf={({ name }: VariantGroup) => name}
        />
      </div>
      {comparisons.map(({ variant, rate, may_be_chance: isChance, sentence }) => (
        <p key={`${variant} ${rate}`} class={isChance ? 'muted' : ''}>
          <bdi>{sentence}</bdi>
        </p>
      ))}
      <p class="muted">
        {known.length === 0 ? 'Nothing has been reported yet.' : 'The ranges are 95% confidence intervals.'}
        {!known.includes('received') && ' Without receipts, only opens are known.'}
        {groups.some(({ name }) => name === HOLD_OUT) &&
          ' Devices in the hold-out got no push. Export their ids to compare them in your own data.'}
      </p>
    </Card>
  );
}

function variantColumns(
  id: string,
  known: readonly (typeof rateNames)[number][],
  groups: readonly VariantGroup[],
): readonly Column<VariantGroup>[] {
  return [
    {
      title: 'Variant',
      cell: ({ name, share }) => (
        <>
          <strong dir="auto">{groupLabel(name)}</strong> <span class="muted">{formatShare(share, 1)}</span>
        </>
      ),
    },
    {
      title: 'Devices',
      align: 'end',
      cell: ({ name, devices, outcomes }) => (
        <>
          <a
            href={outcomesAddress(id, { variant: name })}
            aria-label={`${formatNumber(devices)} devices of ${groupLabel(name)}`}>
            {formatNumber(devices)}
          </a>
          {name !== HOLD_OUT && <div class="muted">{formatNumber(outcomes.accepted)} accepted</div>}
        </>
      ),
    },
    ...known.map((rate) => ({
      title: rates[rate],
      cell: (group: VariantGroup) => {
        const of = group[rate];
        const highest = Math.max(...groups.map((one) => one[rate]?.high ?? 0));
        return of === null ? (
          '–'
        ) : (
          <RateBar of={of} highest={highest}>
            <span class="muted">{formatNumber(of.devices)}</span>
          </RateBar>
        );
      },
    })),
  ];
}
