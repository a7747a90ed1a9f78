/**
 * Handles a slice whose attempts fail: it is tried again after growing pauses, and finally given up. Its devices are
 * then rejected, and the notification ends as failed. The same happens to a slice during which processes keep dying.
 */
import { databaseError, failureOf } from '../../db/database-error.ts';
import { keepTrying } from '../../db/outages/keep-trying.ts';
import type { OwnReason } from '../../gateways/reason.ts';
import { jittered } from '../../scheduling/jitter.ts';
import type { OutcomeKind } from '../outcomes/packed.ts';
import { recordAll } from '../outcomes/record-all.ts';
import type { SliceOutcomes } from '../outcomes/slice-outcomes.ts';
import { OutcomesNotSaved } from '../outcomes/store.ts';
import type { DeliveryContext } from '../send/deliver.ts';
import { readSliceDevices, waveOf } from '../slice-devices.ts';
import { type LeasedSlice, type NextSlice, ofNotification, WHOLE_SLICE } from '../slice-store.ts';
import { endUnread } from './end-unread.ts';
import { causeInWords, TRIES_MAX } from './tries.ts';
import { giveBackUntried, sliceFailed, spreadPoison, storeGivenUp } from './trouble-store.ts';

/** Deaths of processes without a saved outcome in between, and without a note of what they did (`careful.ts`). */
const DEATHS_MAX = 10;
/** How the cause begins if pushes were sent. */
const NOT_SAVED = 'outcomes could not be saved: ';

/** Why a slice is given up. */
export interface Cause {
  /** Recorded for each device that has no outcome. */
  outcome: Extract<OutcomeKind, 'rejected' | 'ambiguous'>;
  code: Extract<OwnReason, 'stopped_the_process' | 'not_possible' | 'not_saved'>;
  sentence: string;
  /** Whether its devices may be read without harm. */
  isReadable: boolean;
}

/** @returns undefined if the slice is to be tried */
export function causeToGiveUp({ poison, deaths, gaveUp }: NextSlice): Cause | undefined {
  if (poison.includes(WHOLE_SLICE) || deaths >= DEATHS_MAX) {
    const times = deaths >= DEATHS_MAX ? `${deaths} times` : 'twice';
    return {
      outcome: 'rejected',
      code: 'stopped_the_process',
      sentence: `a part was given up, because sending it stopped the process ${times}`,
      isReadable: false,
    };
  }
  if (gaveUp === null) return undefined;
  if (gaveUp.startsWith(NOT_SAVED)) {
    const sentence = `a part was given up: ${gaveUp}`;
    return { outcome: 'ambiguous', code: 'not_saved', sentence, isReadable: true };
  }
  return {
    outcome: 'rejected',
    code: 'not_possible',
    sentence: `a part was given up after several attempts: ${gaveUp}`,
    isReadable: true,
  };
}

/**
 * Gives a slice back after an error, to be tried again after a pause. If outcomes could not be saved, it is given up then, because
 * another attempt would send the pushes once more. If the database is away, that is not the fault of the slice: it may be taken at once
 * when the database is back. Never rejects.
 * @param isOver whether it is too late to wait for the database: then the lease runs out
 */
export async function giveBackFailed(
  { db, clock, random, observe, wait }: Pick<DeliveryContext, 'db' | 'clock' | 'random' | 'observe' | 'wait'>,
  slice: LeasedSlice,
  { error, isOver }: { error: unknown; isOver: () => boolean },
): Promise<void> {
  const failure = failureOf(error);
  const of = ofNotification(slice);
  const onFailure = (storing: unknown): void => observe(databaseError(storing, 'give a slice back', of));
  try {
    if (failure === 'away') {
      const giveBack = async (): Promise<void> => {
        if (!isOver()) await giveBackUntried(db, slice, clock());
      };
      return await keepTrying(giveBack, { onFailure, random, wait });
    }
    const isUnsaved = error instanceof OutcomesNotSaved;
    const words = await causeInWords(db, error);
    await sliceFailed(db, slice, {
      message: isUnsaved ? `${NOT_SAVED}${words}` : words,
      now: clock(),
      jitter: jittered(1_000, random) / 1_000,
      triesMax: isUnsaved ? 1 : TRIES_MAX[failure],
    });
  } catch (storing) {
    onFailure(storing);
  }
}

/** Ends a slice without sending anything more. @throws the database's error */
export async function giveUpSlice(context: DeliveryContext, slice: NextSlice, cause: Cause): Promise<void> {
  const { db, saver, tokenKeys, clock, observe } = context;
  const of = ofNotification(slice);
  if (cause.code === 'stopped_the_process') {
    observe({ kind: 'push_stopped_process', ...of, number: slice.number, deviceId: null });
    if (slice.poison.includes(WHOLE_SLICE)) await spreadPoison(db, slice);
  }
  await storeGivenUp(db, slice, { reason: cause.sentence, now: clock() });
  const outcomes = saver.openClaim(slice, await tokenKeys.of(slice.appId));
  if (cause.isReadable) {
    try {
      await endAll(context, outcomes, slice, cause);
      await saver.end(outcomes, { state: 'done' }, [cause.sentence]);
      return;
    } catch (error) {
      observe(databaseError(error, 'give up a slice', of));
      if (failureOf(error) === 'away') throw error;
    }
  }
  const ended = await endUnread(db, saver.openClaim(slice, await tokenKeys.of(slice.appId)).takeEnd(), {
    sentence: cause.sentence,
    now: clock(),
  });
  if (ended !== undefined)
    observe({ kind: 'notification_ended', ...of, state: 'failed', reason: ended.reason });
}

/** Records the same outcome for all devices that have none yet. */
async function endAll(
  context: DeliveryContext,
  outcomes: SliceOutcomes,
  slice: NextSlice,
  { outcome, code }: Cause,
): Promise<void> {
  const { db, notifications } = context;
  const fixed = await notifications.read(db, slice);
  // Which variant or translation a device would have got does not matter any more.
  const notification = { ...fixed, perDevice: undefined };
  const pages = readSliceDevices(db, { slice, notification, wave: waveOf(fixed, slice) });
  await recordAll(outcomes, pages, { outcome, reason: code }, context);
}
