/** The numbers of an A/B test by variant, with their confidence intervals, and whether a difference may be chance. */
import { appAddress } from '../../frame/session.ts';
import { formatComparedShare, formatNumber, formatShare } from '../../kit/format.ts';
import type { Content } from '../../kit/content.ts';
import { type Column, Table } from '../../kit/table.tsx';
import type { VariantGroup, VariantRate, VariantReport } from '../../replies.ts';

/** The name of the group that gets nothing. */
const HOLD_OUT = 'hold_out';

const rates = ['received', 'shown', 'opened'] as const;

/** @param props.id the id of the notification */
export function VariantsCard({ id, variants }: { id: string; variants: VariantReport }): Content {
  const { groups, comparisons } = variants;
  const known = rates.filter((rate) => groups.some((group) => group[rate] !== null));
  const holdOut = groups.find(({ name }) => name === HOLD_OUT);
  return (
    <section class="card stack" aria-labelledby="variants-heading">
      <h2 id="variants-heading">A/B test</h2>
      <div class="notifications-variants">
        <Table
          label="Variants"
          columns={columnsFor(id, known, groups)}
          rows={groups}
          keyOf={({ name }: VariantGroup) => name}
        />
      </div>
      {comparisons.length > 0 && (
        <ul class="notifications-comparisons">
          {comparisons.map(({ variant, rate, may_be_chance: isChance, sentence }) => (
            <li key={`${variant} ${rate}`} class={isChance ? 'muted' : ''}>
              <bdi>{sentence}</bdi>
            </li>
          ))}
        </ul>
      )}
      <p class="muted">{noteOn(known, holdOut)}</p>
    </section>
  );
}

function columnsFor(
  id: string,
  known: readonly (typeof rates)[number][],
  groups: readonly VariantGroup[],
): readonly Column<VariantGroup>[] {
  return [
    {
      title: 'Variant',
      cell: ({ name, share }) => (
        <span>
          <strong>
            <bdi>{name === HOLD_OUT ? 'hold-out' : name}</bdi>
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
            href={appAddress('outcomes', { notification: id, variant: name })}
            aria-label={`${formatNumber(devices)} devices of ${name}`}>
            {formatNumber(devices)}
          </a>
          {name !== HOLD_OUT && <div class="muted">{formatNumber(outcomes.accepted)} accepted</div>}
        </>
      ),
    },
    ...known.map((rate) => ({
      title: `${rate[0]?.toUpperCase() ?? ''}${rate.slice(1)}`,
      cell: (group: VariantGroup) => <Share rate={group[rate]} highest={highestOf(groups, rate)} />,
    })),
  ];
}

/** The highest upper end of an interval, which takes the whole length of a bar. */
function highestOf(groups: readonly VariantGroup[], rate: (typeof rates)[number]): number {
  return Math.max(...groups.map((group) => group[rate]?.high ?? 0));
}

/** A share in words, and as a bar from 0 to the lower end of its interval, continued to the upper end. */
function Share({ rate, highest }: { rate: VariantRate | null; highest: number }): Content {
  if (rate === null) return '–';
  const { devices, share, low, high } = rate;
  const length = (of: number): string => `${highest === 0 ? 0 : (100 * of) / highest}%`;
  return (
    <div class="notifications-rate">
      <span class="notifications-when">
        <strong>{formatComparedShare(share)}</strong> <span class="muted">{formatNumber(devices)}</span>
      </span>
      <span class="notifications-funnel notifications-interval" aria-hidden="true">
        <span style={{ inlineSize: length(low) }} />
        <span style={{ inlineSize: length(high - low) }} />
      </span>
      <span class="muted notifications-when">
        {formatComparedShare(low)} to {formatComparedShare(high)}
      </span>
    </div>
  );
}

function noteOn(known: readonly string[], holdOut: VariantGroup | undefined): string {
  const numbers = known.length === 0 ? 'Nothing has been reported yet.' : 'The ranges are 95% confidence intervals.';
  const receipts = known.includes('received') ? '' : ' Without receipts, only opens are known.';
  const compared =
    holdOut === undefined
      ? ''
      : ' Devices in the hold-out got no push. Export their ids to compare them in your own data.';
  return `${numbers}${receipts}${compared}`;
}
