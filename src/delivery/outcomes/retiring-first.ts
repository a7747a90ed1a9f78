import { sql } from 'kysely';
import { deletingNamedTokens } from '../../devices/tokens/named-tokens.ts';
import { type DeadToken, retiringTokens } from '../../devices/tokens/retire-store.ts';

/**
 * Retires dead tokens in the statement that saves their outcomes, so that a crash cannot separate the two. The tokens
 * come first, because all slices of a notification wait for the lock on its counters. A token is retired even if the
 * slice has been lost.
 */
export function retiringFirst(appId: string, deadTokens: readonly DeadToken[], now: Date) {
  const [first] = deadTokens;
  if (first === undefined) return { expressions: sql``, comesFirst: sql`true`, suffix: '' };
  // All pushes of a notification go to tokens of the same kind.
  if (first.named !== undefined) {
    return {
      expressions: sql`${deletingNamedTokens(appId, first.named, deadTokens)},`,
      comesFirst: sql`(select count(*) from retired) >= 0`,
      suffix: '_and_named_tokens',
    };
  }
  return {
    expressions: sql`${retiringTokens(appId, deadTokens, now)},`,
    comesFirst: sql`(select count(*) from retired) + (select count(*) from queued) >= 0`,
    suffix: '_and_dead_tokens',
  };
}
