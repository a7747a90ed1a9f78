/**
 * Tells how far each notification has come that this process sends: at most once a second, and once when it
 * has ended. The numbers are the notification's counters, so they hold what other processes have sent too.
 */
import type { Clock } from '../../clock.ts';
import type { Observation, Observe } from '../../observe.ts';

const EVERY_MS = 1_000;
/** A notification not heard of for so long was ended by another process, or is left to it. */
const FORGET_AFTER_MS = 10 * 60_000;

type SliceRecorded = Extract<Observation, { kind: 'slice_recorded' }>;

/** When something was last told, and how many devices were done then. */
interface Told {
  atMs: number;
  done: number;
  hasEnded: boolean;
}

/**
 * @param options.observe is told `delivery_progress`. Its rate is that since the time before, and the last
 *   one's that since sending began.
 * @returns an observer, which heeds `slice_recorded` alone
 */
export function openProgressLog({ observe, clock }: { observe: Observe; clock: Clock }): Observe {
  const toldOf = new Map<string, Told>();

  function tell(recorded: SliceRecorded, nowMs: number): void {
    const { notificationId, requestId, lane, state, done, startedAt } = recorded;
    const hasEnded = state !== 'sending';
    const before = toldOf.get(notificationId);
    // What was under way when a notification was canceled or failed comes in after its end.
    if (before !== undefined && (before.hasEnded || (!hasEnded && nowMs - before.atMs < EVERY_MS))) return;

    const beginning: Told = { atMs: startedAt?.getTime() ?? nowMs, done: 0, hasEnded: false };
    const since = before === undefined || hasEnded ? beginning : before;
    // Devices that came after the count are sent to as well.
    const devices = Math.max(recorded.devices, done);
    observe({
      kind: 'delivery_progress',
      notificationId,
      requestId,
      lane,
      state,
      devices,
      done,
      percent: devices === 0 ? 100 : Math.floor((100 * done) / devices),
      devicesPerSecond: perSecond(done - since.done, nowMs - since.atMs),
    });
    toldOf.delete(notificationId); // and back behind the others: the map is in the order of the telling
    if (state !== 'sent') toldOf.set(notificationId, { atMs: nowMs, done, hasEnded });
  }

  function forget(nowMs: number): void {
    for (const [notificationId, { atMs }] of toldOf) {
      if (nowMs - atMs < FORGET_AFTER_MS) return;
      toldOf.delete(notificationId);
    }
  }

  return (observation) => {
    if (observation.kind !== 'slice_recorded') return;
    const nowMs = clock().getTime();
    forget(nowMs);
    tell(observation, nowMs);
  };
}

function perSecond(devices: number, elapsedMs: number): number {
  return Math.round((devices * 1_000) / Math.max(elapsedMs, 1));
}
