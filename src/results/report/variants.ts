/**
 * The numbers of an A/B test by variant, and whether a difference can be chance. Variants are compared by what their
 * devices report: received, shown, opened.
 */
import { z } from 'zod';
import { type Groups, HOLD_OUT, sharesOf } from '../../notifications/content/assign-variant.ts';
import { count } from '../../api/reply.ts';
import { noOutcomes, type OutcomeKind, outcomeKinds } from '../../delivery/outcomes/packed.ts';
import { confidenceZ, difference, wilson } from '../receipts/confidence-interval.ts';
import type { VariantCounts } from '../receipts/variant-store.ts';

const rates = ['received', 'shown', 'opened'] as const;
type Rate = (typeof rates)[number];

const share = z.number().min(0).max(1);

const rateReply = z
  .strictObject({
    devices: count.describe('Devices that have reported it.'),
    of: count.describe(
      'The devices that could have reported it: those in the sample of receipts, or all to which the push was sent.',
    ),
    share: share.describe('`devices` divided by `of`.'),
    low: share.describe('The lower end of the 95% confidence interval of the share, by Wilson’s formula.'),
    high: share,
  })
  .meta({ id: 'VariantRate' })
  .nullable()
  .describe('Null if nothing is known: no receipts are asked for, or the group gets nothing.');

const outcomeCounts = z
  .strictObject({
    accepted: count,
    rejected: count,
    unregistered: count,
    no_token: count,
    ambiguous: count,
    dropped: count,
    expired: count,
    capped: count,
  } satisfies Record<OutcomeKind, typeof count>)
  .meta({ id: 'OutcomeCounts' });

export const variantsReply = z
  .strictObject({
    groups: z
      .array(
        z
          .strictObject({
            name: z
              .string()
              .describe('The name of the variant; `hold_out` for the devices that get nothing.'),
            share: share.describe('The share of the audience that it should get.'),
            devices: count.describe('Devices with an outcome.'),
            outcomes: outcomeCounts,
            received: rateReply,
            shown: rateReply,
            opened: rateReply,
          })
          .meta({ id: 'VariantGroup' }),
      )
      .describe('The variants in their order, and the hold-out last.'),
    comparisons: z
      .array(
        z
          .strictObject({
            variant: z.string(),
            with: z.string().describe('The first variant.'),
            rate: z.enum(rates),
            difference: z
              .number()
              .min(-1)
              .max(1)
              .describe('The difference of the shares: 0.02 is 2 percentage points.'),
            low: z
              .number()
              .min(-1)
              .max(1)
              .describe(
                'The ends of the confidence interval, by Newcombe’s formula. With several variants it is wider (Bonferroni), so that ' +
                  'all of them hold together with 95%.',
              ),
            high: z.number().min(-1).max(1),
            may_be_chance: z
              .boolean()
              .describe('Whether the interval contains 0: then there may be no difference at all.'),
            sentence: z.string().describe('The comparison in a sentence for people.'),
          })
          .meta({ id: 'VariantComparison' }),
      )
      .describe('Compares each variant with the first one, for each rate that is known for both.'),
  })
  .meta({ id: 'VariantReport' })
  .nullable()
  .describe('The numbers of an A/B test; null if the notification has no `variants`.');

type Variants = NonNullable<z.output<typeof variantsReply>>;
type Group = Variants['groups'][number];
type Comparison = Variants['comparisons'][number];

/** Devices by variant and outcome. */
export type VariantOutcomes = Map<string, Partial<Record<OutcomeKind, number>>>;

/**
 * @param outcomes outcomes that are not pruned
 * @param stored counts of pruned outcomes, receipts and opens
 */
export function variantsOf(
  groups: Groups,
  outcomes: VariantOutcomes,
  stored: readonly VariantCounts[],
): Variants {
  const byName = new Map(stored.map((counts) => [counts.variant, counts]));
  const all = sharesOf(groups).map(({ name, share: wanted }): Group => {
    const counts = byName.get(name);
    const ofKind = outcomesOf(outcomes.get(name) ?? {}, counts);
    const isSent = name !== HOLD_OUT;
    const asked = counts?.asked ?? 0;
    return {
      name,
      share: wanted,
      devices: outcomeKinds.reduce((sum, kind) => sum + ofKind[kind], 0),
      outcomes: ofKind,
      received: isSent ? rateOf(counts?.received ?? 0, asked) : null,
      shown: isSent ? rateOf(counts?.shown ?? 0, asked) : null,
      // An ambiguous push may have arrived, and its open counts.
      opened: isSent ? rateOf(counts?.opened ?? 0, ofKind.accepted + ofKind.ambiguous) : null,
    };
  });
  return { groups: all, comparisons: comparisonsOf(all.filter(({ name }) => name !== HOLD_OUT)) };
}

function outcomesOf(
  recorded: Readonly<Partial<Record<OutcomeKind, number>>>,
  pruned: VariantCounts | undefined,
): Group['outcomes'] {
  const sums = { ...noOutcomes };
  for (const kind of outcomeKinds) sums[kind] = (recorded[kind] ?? 0) + (pruned?.[kind] ?? 0);
  return sums;
}

/** @returns null if there are no devices */
function rateOf(devices: number, of: number): Group[Rate] {
  // A device may report before its outcome is stored.
  const known = Math.max(devices, of);
  return known === 0 ? null : { devices, of: known, ...wilson(devices, known) };
}

function comparisonsOf([first, ...others]: readonly Group[]): Comparison[] {
  if (first === undefined) return [];
  const z95 = confidenceZ(others.length);
  return others.flatMap((other) =>
    rates.flatMap((rate) => {
      const [mine, base] = [other[rate], first[rate]];
      if (mine === null || base === null) return [];
      const { share: found, low, high } = difference(mine, base, z95);
      const mayBeChance = low <= 0 && high >= 0;
      const shares = `${other.name} was ${rate} on ${percent(mine.share)} of its devices, ${first.name} on ${percent(base.share)}.`;
      const range = `the difference is between ${points(low)} and ${points(high)} percentage points`;
      const meaning = mayBeChance
        ? `That may be chance: ${range}.`
        : `That is unlikely to be chance: ${range}, so ${other.name} is ${rate} ${found > 0 ? 'more' : 'less'}.`;
      const sentence = `${shares} ${meaning}`;
      const which = { variant: other.name, with: first.name, rate };
      return [{ ...which, difference: found, low, high, may_be_chance: mayBeChance, sentence }];
    }),
  );
}

function percent(value: number): string {
  return `${(value * 100).toFixed(1)}%`;
}

/** With a plus or minus sign. */
function points(value: number): string {
  const text = (value * 100).toFixed(1);
  return value > 0 ? `+${text}` : text.replace('-', '−');
}
