/** Finds variants of an A/B test that push the same: their numbers can differ by chance alone. */
import { canonicalTag } from '../content/locales.ts';
import { variantContents } from '../content/variants.ts';
import { canonicalText } from '../idempotency.ts';
import type { NotificationContent } from '../message.ts';
import type { Warning } from './warning.ts';

/** A variant that is the same as an earlier one is a warning and no fault: two equal groups are how one tests the test. */
export function sameVariantWarnings(content: NotificationContent): Warning[] {
  const seen = new Map<string, string>();
  return variantContents(content).flatMap(({ name, path, content: { payload, localized = {} } }) => {
    const byTag = Object.entries(localized).map(([key, keys]) => [canonicalTag(key) ?? key, keys]);
    const pushed = canonicalText([payload, Object.fromEntries(byTag)]);
    const same = seen.get(pushed);
    if (same === undefined) {
      seen.set(pushed, name);
      return [];
    }
    const message = `is the same as ${same}, so only chance can make their numbers differ; change one of its texts`;
    return [{ code: 'same_variants' as const, path, message, fix: fixOf(content, path) }];
  });
}

/** Of three, one may go. Of two, none may: then there is no test, unless there is a hold-out to compare with. */
function fixOf(
  { variants = [], hold_out: holdOut, experiment }: NotificationContent,
  path: string,
): Warning['fix'] {
  if (variants.length > 2) return [{ op: 'remove', path }];
  if (holdOut !== undefined) return null;
  return [
    { op: 'remove', path: 'notification.variants' },
    ...(experiment === undefined ? [] : [{ op: 'remove' as const, path: 'notification.experiment' }]),
  ];
}
