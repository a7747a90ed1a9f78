/**
 * Delivers one slice: leases it, reads its devices, sends their pushes through the gateways and saves the outcomes.
 *
 * An attempt ends in one of four ways:
 * - Every device has its outcome, and the slice is done.
 * - An error ends it. It is given back with the outcomes so far, and tried again after a pause (`troubles/`).
 * - Retries, a shutdown or a paused route end it early. Its outcomes are saved with the slice for the next attempt.
 * - Another worker has taken the lease. Outcomes that were not saved are dropped.
 *
 * If the lease could not be renewed in time, nothing more is sent, and the outcomes are saved unless another worker has the slice.
 *
 * A cancel is noticed at the next save or lease renewal.
 */
import type { Kysely } from 'kysely';
import { databaseError } from '../../db/database-error.ts';
import type { TokenKey, TokenKeys } from '../../apps/token-keys.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../db/tables.ts';
import type { UnsavedOutcomes } from '../outcomes/unsaved-outcomes.ts';
import { gatewayOf } from '../../route.ts';
import type { Observe } from '../../observe.ts';
import { noTracer, type Span, type Tracer, within } from '../../tracing/span.ts';
import { openAllotment } from './allotment.ts';
import { traceSessions } from './trace-sessions.ts';
import type { Gateways } from './open-gateways.ts';
import type { ActiveNotification } from './active-notification-store.ts';
import { ActiveNotifications } from './active-notifications.ts';
import { OutcomeSaver } from '../outcomes/outcome-saver.ts';
import { recordAll } from '../outcomes/record-all.ts';
import type { SliceOutcomes } from '../outcomes/slice-outcomes.ts';
import { SliceCaps } from '../caps/slice-caps.ts';
import { openOutcomeStore, persist, type SliceNext } from '../outcomes/store.ts';
import { storeUniqueIds } from '../outcomes/unique-ids.ts';
import { storeRefusal } from '../routes/refusal-store.ts';
import { holdLease, type Lease, momentOf } from '../lease.ts';
import { type SharedByThreads, makeSharedByThreads } from '../shared-by-threads.ts';
import { SliceRun } from './slice-run.ts';
import type { SliceRunOptions } from './slice-state.ts';
import { readSliceDevices, type SliceToRead, waveOf } from '../slice-devices.ts';
import { type LeasedSlice, type NextSlice, type NotificationKey, ofNotification } from '../slice-store.ts';
import type { MatchingDevice } from '../../targeting/matching-devices.ts';
import { beginSlice, traceOutcomes } from '../trace.ts';
import { CarefulSlice } from '../troubles/careful.ts';
import { causeToGiveUp, giveBackFailed, giveUpSlice } from '../troubles/give-up.ts';
import { OneAtATime } from '../troubles/one-at-a-time.ts';
import { FIRST_PAUSE_MS } from '../troubles/tries.ts';
import { giveBackUntried } from '../troubles/trouble-store.ts';
import { type CutWave, sliceMoment } from '../waves/wave.ts';

export interface DeliveryResources {
  db: Kysely<Database>;
  gateways: Gateways;
  tokenKeys: TokenKeys;
  /** Shared with the gateways of bulk notifications, which send less while many outcomes are unsaved. */
  unsaved: UnsavedOutcomes;
  clock: Clock;
  /** A monotonic clock, in milliseconds; by default the clock of the process. */
  monotonicMs?: () => number;
  /**
   * Whether expired leases of other attempts may be taken. Not soon after the database was away: nobody could renew them. By
   * default always.
   */
  mayTakeOver?: () => boolean;
  observe: Observe;
  /** 0 to 1, for the jitter of retries. */
  random: () => number;
  /** Waits before outcomes are saved again; by default a timer. */
  wait?: (ms: number) => Promise<unknown>;
  /** If undefined, nothing is traced. */
  tracer?: Tracer;
  /** By default one of its own. */
  shared?: SharedByThreads | undefined;
}

export interface DeliveryContext extends DeliveryResources {
  tracer: Tracer;
  saver: OutcomeSaver;
  notifications: ActiveNotifications;
  /** Runs one action at a time that may kill the process. */
  turns: OneAtATime;
}

/** The input of one attempt: a leased slice and its notification. */
interface SliceWork extends SliceToRead {
  slice: NextSlice;
  /** Called when all pushes have been sent and only the answers are missing. */
  giveWay: (() => void) | undefined;
  /** Set if steps that may kill the process are noted. */
  careful: CarefulSlice | undefined;
  lease: Lease;
  stop: AbortSignal;
}

/** Opens the resources that all slices of a thread share. */
export function openDelivery(resources: DeliveryResources): DeliveryContext {
  const { holder, turn } = resources.shared ?? makeSharedByThreads();
  return {
    tracer: noTracer,
    ...resources,
    saver: new OutcomeSaver(openOutcomeStore(resources), resources.unsaved),
    notifications: new ActiveNotifications(resources.tokenKeys, holder),
    turns: new OneAtATime(turn),
  };
}

/**
 * Delivers the next slice of a notification.
 * @param giveWay called when all pushes have been sent and only the answers are missing
 * @returns false if there was no slice to deliver
 * @throws the error that ended the attempt, after the outcomes known by then were saved. The slice is given back, unless the database
 *   is away until its lease runs out; then another attempt follows
 */
export async function deliverNextSlice(
  context: DeliveryContext,
  key: NotificationKey,
  stop: AbortSignal,
  giveWay?: () => void,
): Promise<boolean> {
  const leasedAt = momentOf(context);
  const { db, clock, mayTakeOver } = context;
  const slice = await context.notifications.leaseNext(db, key, clock(), mayTakeOver?.());
  if (slice === undefined) return false;
  const lease = holdLease(context, slice, leasedAt);
  try {
    await deliverLeased(context, slice, { lease, stop: AbortSignal.any([stop, lease.lost]), giveWay });
  } catch (error) {
    await giveBackFailed(context, slice, { error, isOver: () => stop.aborted || lease.isOver() });
    throw error;
  } finally {
    lease.release();
  }
  return true;
}

async function deliverLeased(
  context: DeliveryContext,
  slice: NextSlice,
  hold: Pick<SliceWork, 'giveWay' | 'stop' | 'lease'>,
): Promise<void> {
  const { db, notifications, turns, tracer, clock } = context;
  const cause = causeToGiveUp(slice);
  if (cause !== undefined) return giveUpSlice(context, slice, cause);
  const isNoted = slice.deaths > 0 || slice.hasOthers;
  const careful = isNoted ? new CarefulSlice({ db, turns, notifications }, slice) : undefined;
  const read = async (): Promise<ActiveNotification> => notifications.read(db, slice);
  const notification = careful === undefined ? await read() : await careful.attemptForAll('read', read);
  if (notification === undefined)
    return giveBackUntried(db, slice, new Date(clock().getTime() + FIRST_PAUSE_MS));
  const span = beginSlice(tracer, slice);
  const work = { slice, notification, wave: waveOf(notification, slice), careful, ...hold };
  await within(span, async () => attemptSlice(context, work, span));
}

async function attemptSlice(context: DeliveryContext, work: SliceWork, span: Span): Promise<void> {
  const { db, saver } = context;
  const { slice, notification, wave, careful, giveWay, stop, lease } = work;
  const tokenKey = await context.tokenKeys.of(slice.appId);
  if (wave !== undefined && wave.action !== 'send') {
    return leaveOutSlice(context, { slice, notification, wave }, span, tokenKey);
  }
  const gateways = await context.gateways.forApp({ appId: slice.appId, bundleId: notification.bundleId });
  const outcomes = saver.open(slice, tokenKey);
  const caps = notification.cap && new SliceCaps(context, { slice, cap: notification.cap });
  const run = openRun(context, {
    slice,
    perDevice: notification.perDevice,
    // The time to live counts from the moment of the slice.
    message:
      wave === undefined
        ? notification.message
        : { ...notification.message, dueAt: sliceMoment(wave, slice.number) },
    refused: slice.refused,
    caps,
    gateways,
    saver,
    outcomes,
    stop,
    isLeaseOver: () => lease.isOver(),
    span,
    careful,
    poison: slice.poison,
  });
  await finishRun(context, run, {
    outcomes,
    gateways,
    span,
    pages: readPages(db, work, outcomes, span),
    giveWay,
    end: async (ended) => {
      const next = run.state.failure === undefined ? ended : soonAfter(ended, context.clock());
      if (caps !== undefined) await persist(context, slice, async () => caps.giveBack(outcomes));
      await saver.end(outcomes, next, run.state.unsent);
    },
  });
}

/** `giveBackFailed` decides when it goes on; until then, no worker takes it. */
function soonAfter(next: SliceNext, now: Date): SliceNext {
  if (next.state === 'done') return next;
  const soonMs = now.getTime() + FIRST_PAUSE_MS;
  return { ...next, notBefore: new Date(Math.max(next.notBefore?.getTime() ?? 0, soonMs)) };
}

/** @returns the devices of the slice, no more than `max_recipients` allows */
async function* readPages(
  db: Kysely<Database>,
  work: SliceWork,
  outcomes: SliceOutcomes,
  span: Span,
): AsyncGenerator<readonly MatchingDevice[]> {
  const { maxRecipients } = work.notification;
  const allotted = maxRecipients === null ? undefined : openAllotment(db, outcomes, maxRecipients);
  for await (const page of readSliceDevices(db, work, span)) {
    yield allotted === undefined ? page : await allotted(page);
  }
}

/** The options of a run that do not come from the context. */
export interface OpenRunOptions extends Omit<
  SliceRunOptions,
  'requestId' | 'clock' | 'observe' | 'random' | 'onUniqueIds' | 'onRefused'
> {
  slice: LeasedSlice;
  span: Span;
  /** Called when a route has refused the credentials. */
  onRefused?: () => void;
}

/** The run that sends the pushes of a slice, or of a claim. */
export function openRun(context: DeliveryContext, options: OpenRunOptions): SliceRun {
  const { db, clock, observe, random } = context;
  const { slice, span, onRefused, ...rest } = options;
  const of = ofNotification(slice);
  return new SliceRun({
    ...rest,
    requestId: of.requestId,
    clock,
    observe,
    random,
    onUniqueIds: async (ids) => {
      try {
        await storeUniqueIds(db, slice, ids);
      } catch (error) {
        // They help to look up a push at Apple, and nothing depends on them.
        observe(databaseError(error, 'store the ids that Apple gave to pushes', of));
      }
    },
    // Stored at once, so that every worker stops sending on the route.
    onRefused: async (route, { reason, detail }) => {
      onRefused?.();
      const gateway = gatewayOf(route);
      span.event('credentials refused', { 'carillon.route': route, 'carillon.reason': reason });
      observe({ kind: 'credentials_refused', ...of, gateway, route, reason, detail });
      await storeRefusal(db, slice, { route, reason });
    },
  });
}

export interface FinishOptions extends Pick<OpenRunOptions, 'outcomes' | 'gateways' | 'span'> {
  /** The devices, sorted by id. */
  pages: Iterable<readonly MatchingDevice[]> | AsyncIterable<readonly MatchingDevice[]>;
  /** Called when all pushes have been sent and only the answers are missing. */
  giveWay?: (() => void) | undefined;
  /** Saves the end, also after a failure of the run. */
  end: (next: SliceNext) => Promise<void>;
}

/**
 * Sends the pushes of a slice, or of a claim, and has its end saved.
 * @throws the error that ended the attempt
 */
export async function finishRun(
  context: DeliveryContext,
  run: SliceRun,
  { outcomes, gateways, span, pages, giveWay, end }: FinishOptions,
): Promise<void> {
  const startedMs = performance.now();
  const unfollow = traceSessions(gateways, span);
  try {
    for await (const page of pages) {
      await run.push(page);
      if (run.state.stopped) break;
    }
  } catch (error) {
    run.state.fail(error);
  }
  const next = await run.finish(giveWay).finally(unfollow);
  traceOutcomes(span, outcomes);
  await within(span.begin('record outcomes'), async () => end(next));
  if (run.state.failure !== undefined) throw run.state.failure;
  observeFinished(context, outcomes, startedMs);
}

/** @param startedMs when the attempt began (monotonic) */
function observeFinished(
  { observe }: Pick<DeliveryContext, 'observe'>,
  { slice, size }: SliceOutcomes,
  startedMs: number,
): void {
  const durationMs = performance.now() - startedMs;
  const { number } = slice;
  observe({ kind: 'slice_finished', ...ofNotification(slice), number, devices: size, durationMs });
}

/** Records the outcomes of a slice whose devices get nothing. Nothing is waited for, so all are saved at the end. */
async function leaveOutSlice(
  context: DeliveryContext,
  work: SliceToRead & { wave: CutWave },
  span: Span,
  tokenKey: TokenKey,
): Promise<void> {
  const { db, saver } = context;
  const startedMs = performance.now();
  const { action, reason } = work.wave;
  const outcome = action === 'expire' ? 'expired' : 'dropped';
  const outcomes = saver.openClaim(work.slice, tokenKey);
  await recordAll(outcomes, readSliceDevices(db, work, span), { outcome, reason }, context);
  traceOutcomes(span, outcomes);
  await saver.end(outcomes, { state: 'done' });
  observeFinished(context, outcomes, startedMs);
}
