/** What is in flight when something breaks. */
import { vi } from 'vitest';
import type { Simulator } from '@carillon/simulator';
import { collapseIdOf, identityOf } from '../processes/fan-out.ts';
import type { Stage } from './stage.ts';

export interface Load {
  /** As the column of the page has it. */
  name: string;
  begin(stage: Stage): Promise<Begun>;
}

export interface Begun {
  /** What has been done so far: pushes that the gateways have accepted, or rows stored. */
  done(): Promise<number> | number;
  total: number;
  /** Waits until all has ended. @throws if a counter or a record differs from what gateways and callers have seen */
  end(): Promise<Account>;
}

export interface Account {
  /** Pushes that end as `ambiguous`: a gateway took the request twice and answered neither. They may be lost. */
  doubtful: number;
  /** Devices without their push, or calls whose rows are not there. */
  lost: number;
  /** Pushes that a tray shows although it has shown the same before. */
  shownTwice: number;
  /** Pushes that a gateway got again, with the identity by which a tray replaces the first. */
  repeated: number;
}

/** A caller repeats a call for this long: longer than any outage of the matrix. */
export const CALLER_PATIENCE_MS = 200_000;
/** Once nothing is broken any more: a lease, a pause of a gateway that asked for it, the sweep. */
export const ENDS_WITHIN_MS = 180_000;

/** No repetition changes it. */
class Refusal extends Error {}

/** Repeats a call that throws, as a back end does; not one that is refused. */
export async function untilAnswered<Reply>(call: () => Promise<Reply>): Promise<Reply> {
  const attempt = async (): Promise<{ reply: Reply } | Refusal> => {
    try {
      return { reply: await call() };
    } catch (error) {
      if (error instanceof Refusal) return error;
      throw error;
    }
  };
  const result = await vi.waitFor(attempt, { timeout: CALLER_PATIENCE_MS, interval: 100 });
  if (result instanceof Refusal) throw result;
  return result.reply;
}

/**
 * Calls the server, again and again where there is no answer, a 5xx, a 409 (another call with the same key is in progress) or a 429.
 * @returns the body of the reply
 */
export async function callUntilAnswered(
  { backend }: Stage,
  ...request: Parameters<Stage['backend']['call']>
): Promise<unknown> {
  return untilAnswered(async () => {
    const { status, body } = await backend.call(...request);
    if (status < 300) return body;
    const text = `${request[1]} answered ${status}: ${JSON.stringify(body)}`;
    throw status >= 500 || [409, 429].includes(status) ? new Error(text) : new Refusal(text);
  });
}

/**
 * Compares what the gateways have got with what they should have.
 * @param expected push tokens by notification
 * @param doubtful so many pushes end as `ambiguous`
 */
export function accountOf(
  simulator: Simulator,
  expected: ReadonlyMap<string, ReadonlySet<string>>,
  doubtful: number,
): Account {
  const account = { lost: 0, shownTwice: 0, repeated: 0, doubtful };
  for (const [id, tokens] of expected) {
    const got = simulator.pushesByToken(id);
    for (const token of tokens) if (!got.has(token)) account.lost += 1;
    for (const [token, count] of got) {
      account.repeated += count - 1;
      if (!tokens.has(token)) account.shownTwice += 1;
    }
    const identities = Map.groupBy(simulator.received({ nid: id }), ({ token }) => token);
    for (const pushes of identities.values()) {
      account.shownTwice += new Set(pushes.map(identityOf)).size - 1;
      if (pushes.length > 1) account.shownTwice += pushes.filter((push) => collapseIdOf(push) !== id).length;
    }
  }
  account.lost = Math.max(0, account.lost - doubtful);
  return account;
}
