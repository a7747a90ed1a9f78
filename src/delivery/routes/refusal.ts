/** Sentences about refused credentials. */
import { clockSentence } from '../../gateways/clock-ahead.ts';
import type { Verdict } from '../../gateways/gateway.ts';

export type Refused = Extract<Verdict, { kind: 'credentials_refused' }>;

/** Whether the verdict is about the push itself, which means that the gateway accepted the credentials. */
export function isOnPush({ kind }: Verdict): boolean {
  return kind === 'accepted' || kind === 'rejected' || kind === 'unregistered';
}

/** Why the route is paused. */
export function refusalSentence({ reason, detail = reason, clock }: Refused): string {
  if (clock === undefined) return `credentials that worked before are refused (${detail})`;
  const { aheadMs } = clock;
  const cause = aheadMs === null ? 'the clock may be wrong' : clockSentence(aheadMs);
  return `a new token is refused (${detail}): ${cause}`;
}
