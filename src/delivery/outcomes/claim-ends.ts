/** Collects the ends of notifications that were sent as a whole, so that one statement saves many. */
import { atTurnEnd } from '../../scheduling/flush-order.ts';
import { SharedRuns } from '../../scheduling/shared-runs.ts';
import type { Observe } from '../../observe.ts';
import type { Claimed } from '../claims/claim-store.ts';
import { type LeasedSlice, ofNotification } from '../slice-store.ts';
import type { SliceOutcomes, SlicePart } from './slice-outcomes.ts';
import type { UnsavedOutcomes } from './unsaved-outcomes.ts';
import {
  forSharedStatement,
  observeLost,
  OutcomesNotSaved,
  type OutcomeStoreOptions,
  persist,
} from './store.ts';
import { endClaims } from './claim-end-statement.ts';

/** For this number of ends, Postgres takes a few milliseconds. */
const ENDS_PER_STATEMENT = 200;
/** One at a time: with two, each would save half as many, and a statement costs as much as saving several ends. */
const STATEMENTS_MAX = 1;
/** An end that comes soon after another waits this long at most; nobody waits for it. */
const SAVE_EVERY_MS = 10;
const SAVE_EVERY_MS_DURING_BULK = 25;

/** A claim whose devices all have an outcome. */
export interface WaitingEnd {
  claim: Claimed & Pick<LeasedSlice, 'origin'>;
  outcomes: SliceOutcomes;
  /** Taken from the outcomes, once: ends whose statement Postgres refuses are saved again one by one. */
  taken?: SlicePart;
}

/** The state of the notification afterwards; `lost` if the claim was no longer valid, and nothing was saved. */
export type EndResult = 'sent' | 'canceled' | 'lost';

/** `add` rejects as `persist` does. */
export type ClaimEnds = SharedRuns<WaitingEnd, EndResult>;

/** @param isSendingBulk whether this process is sending a bulk notification, which every statement slows down */
export function openClaimEnds(
  options: OutcomeStoreOptions & { unsaved: UnsavedOutcomes },
  isSendingBulk: () => boolean,
): ClaimEnds {
  return new SharedRuns({
    itemsMax: ENDS_PER_STATEMENT,
    runsMax: STATEMENTS_MAX,
    everyMs: () => (isSendingBulk() ? SAVE_EVERY_MS_DURING_BULK : SAVE_EVERY_MS),
    soon: (task) => atTurnEnd('record', task),
    isFaultOfItem: (error) => error instanceof OutcomesNotSaved,
    run: async (items) => {
      const [first] = items;
      if (first === undefined) return [];
      const outcomes = items.reduce((sum, end) => sum + end.outcomes.size, 0);
      const ends = items.map((end) => ({ ...end.claim, ...(end.taken ??= end.outcomes.takeEnd()) }));
      const saving = persist(forSharedStatement(options, items), first.claim, async (now) =>
        endClaims(options.db, ends, now),
      );
      const states = await options.unsaved.whileSaving(outcomes, saving);
      return items.map((end) => {
        const state = states.get(end.claim.notificationId) ?? 'lost';
        observeEnd(options.observe, end, state);
        return state;
      });
    },
  });
}

function observeEnd(observe: Observe, { claim, outcomes }: WaitingEnd, state: EndResult): void {
  if (state === 'lost') return observeLost(observe, outcomes.slice);
  const of = ofNotification(claim);
  const { startedAt } = claim;
  const done = outcomes.size;
  observe({ kind: 'slice_recorded', ...of, lane: 'direct', state, devices: done, done, startedAt });
  if (state === 'sent') observe({ kind: 'notification_ended', ...of, state, reason: null });
}
