/** Says which variant of an A/B test a device has, and why. */
import { z } from 'zod';
import {
  groupAt,
  type Groups,
  positionOf,
  sharesOf,
  type Subject,
} from '../../notifications/content/assign-variant.ts';

export const explainedVariant = z
  .strictObject({
    name: z.string().describe('The variant, or `hold_out`.'),
    sentence: z.string().describe('Why, in a sentence for people. It may change.'),
  })
  .meta({ id: 'ExplainedVariant' });

export type ExplainedVariant = z.output<typeof explainedVariant>;

/**
 * @param seed the id of the notification, or the name of its experiment
 * @param recorded the variant in the outcome of the device
 * @param subject undefined if the app does not have the device
 * @returns undefined if nothing is known
 */
export function explainVariant(
  groups: Groups,
  seed: string,
  recorded: string | undefined,
  subject: Subject | undefined,
): ExplainedVariant | undefined {
  if (subject === undefined) {
    return recorded === undefined
      ? undefined
      : { name: recorded, sentence: 'This is recorded with the outcome; the app no longer has the device.' };
  }
  const position = positionOf(seed, subject);
  const now = groupAt(position, groups);
  const who = subject.userId === null ? 'The device, which has no user,' : 'The user of the device';
  const where = `${who} has the position ${position.toFixed(4)}, and the positions ${rangeOf(now, groups)} belong to ${now}.`;
  if (recorded === undefined || recorded === now) return { name: now, sentence: where };
  return {
    name: recorded,
    sentence: `This was recorded when the notification was sent; the user of the device has changed since. ${where}`,
  };
}

/** The hold-out has the first positions; the variants follow in their order. */
function rangeOf(name: string, groups: Groups): string {
  let from = groups.holdOut;
  const shares = sharesOf({ ...groups, holdOut: 0 });
  for (const { name: variant, share } of shares) {
    const to = from + share * (1 - groups.holdOut);
    if (variant === name) return `from ${from.toFixed(4)} to ${to.toFixed(4)}`;
    from = to;
  }
  return `from 0 to ${groups.holdOut.toFixed(4)}`;
}
