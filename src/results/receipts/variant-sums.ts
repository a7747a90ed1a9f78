/** The receipts of an A/B test by variant. Other notifications are counted without this. */
import type { OutcomePositions } from '../../delivery/outcomes/packed.ts';
import { type Asking, isBitSet, isCounted, type Marks } from './marks.ts';
import type { Sums } from './receipt-store.ts';

/** By the name of the variant. */
export type VariantSums = Map<string, Sums>;

/**
 * Adds the changes that the receipts of a slice have made.
 * @param before undefined if the slice is counted for the first time, and then its asked devices are counted as well
 */
export function addVariantSums(
  sums: VariantSums,
  outcomes: OutcomePositions,
  asking: Asking,
  { before, after }: { before: Marks | undefined; after: Marks },
): void {
  for (let position = 0; position < outcomes.count; position++) {
    if (!isCounted(outcomes, position, asking)) continue;
    const variant = outcomes.variantAt(position);
    if (variant === undefined) continue;
    const sum = sums.get(variant) ?? { asked: 0, received: 0, shown: 0 };
    if (before === undefined) sum.asked += 1;
    for (const what of ['received', 'shown'] as const) {
      const wasSet = before !== undefined && isBitSet(before[what], position);
      if (!wasSet && isBitSet(after[what], position)) sum[what] += 1;
    }
    sums.set(variant, sum);
  }
}
