/** What a gateway's no to our credentials says to people. */
import { clockSentence } from '../../gateways/clock-ahead.ts';
import type { Verdict } from '../../gateways/gateway.ts';

export type Refused = Extract<Verdict, { kind: 'credentials_refused' }>;

/** The gateway has judged the push itself, so it let us in. */
export function isOnPush({ kind }: Verdict): boolean {
  return kind === 'accepted' || kind === 'rejected' || kind === 'unregistered';
}

/** Why a route is paused. */
export function refusalSentence({ reason, clock }: Refused): string {
  if (clock === undefined) return `credentials that worked before are refused (${reason})`;
  const { aheadMs } = clock;
  const cause = aheadMs === null ? 'the clock of this machine may be wrong' : clockSentence(aheadMs);
  return `a new token is refused (${reason}): ${cause}`;
}
