/** The numbers of an A/B test by variant, with their confidence intervals, and whether a difference may be chance. */
import { formatNumber, formatShare } from '../../kit/format.ts';
import { type Column, Table } from '../../kit/table.tsx';
import { Card } from '../../kit/card.tsx';
import type { VariantGroup, VariantReport } from '../../replies.ts';
import { IntervalBar } from './funnel.tsx';
import { groupLabel, outcomesAddress } from './notification.tsx';

/** The name of the group that gets nothing. */
const HOLD_OUT = 'hold_out';

const rates = { received: 'Received', shown: 'Shown', opened: 'Opened' } as const;
const rateNames = ['received', 'shown', 'opened'] as const;

/** @param props.id the id of the notification */
export function VariantsCard({ id, variants }: { id: string; variants: VariantReport }) {
  const { groups, comparisons } = variants;
  const known = rateNames.filter((rate) => groups.some((group) => group[rate] !== null));
  return (
    <Card title="A/B test">
      <div class="notifications-variants">
        <Table
          label="Variants"
          columns={columnsFor(id, known, groups)}
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

function columnsFor(
  id: string,
  known: readonly (typeof rateNames)[number][],
  groups: readonly VariantGroup[],
): readonly Column<VariantGroup>[] {
  return [
    {
      title: 'Variant',
      cell: ({ name, share }) => (
        <span>
          <strong>
            <bdi>{groupLabel(name)}</bdi>
          </strong>{' '}
          <span class="muted">{formatShare(share, 1)}</span>
        </span>
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
          <IntervalBar share={of.share} interval={of} highest={highest}>
            <span class="muted">{formatNumber(of.devices)}</span>
          </IntervalBar>
        );
      },
    })),
  ];
}
