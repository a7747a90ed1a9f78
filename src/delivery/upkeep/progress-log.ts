/**
 * Reports the progress of each notification that this process sends, at most once per second and once at its end. The
 * numbers are the notification's counters, so they include pushes of other processes.
 */
import type { Clock } from '../../clock.ts';
import type { Observation, Observe } from '../../observe.ts';

const EVERY_MS = 1_000;
/** A notification without news for this long is forgotten: another process has ended it or is sending it. */
const FORGET_AFTER_MS = 10 * 60_000;

type SliceRecorded = Extract<Observation, { kind: 'slice_recorded' }>;

/** The last report of a notification. */
interface Report {
  atMs: number;
  done: number;
  hasEnded: boolean;
}

/**
 * @param options.observe receives `delivery_progress`, with the rate since the previous report; the last report has the
 *   rate since sending began
 * @returns an observer of `slice_recorded`
 */
export function openProgressLog({ observe, clock }: { observe: Observe; clock: Clock }): Observe {
  const reports = new Map<string, Report>();

  function report(recorded: SliceRecorded, nowMs: number): void {
    const { notificationId, requestId, lane, state, done, startedAt } = recorded;
    const hasEnded = state !== 'sending';
    const before = reports.get(notificationId);
    // Pushes that were in flight when a notification was canceled or failed are counted after its end. And saves run at the same
    // time: the answer to one before the end may arrive after it.
    if (before !== undefined && (before.hasEnded || (!hasEnded && nowMs - before.atMs < EVERY_MS))) return;

    const beginning: Report = { atMs: startedAt?.getTime() ?? nowMs, done: 0, hasEnded: false };
    const since = before === undefined || hasEnded ? beginning : before;
    // Devices that were registered after planning counted them are sent to as well.
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
    reports.delete(notificationId); // moves it to the end: the map is sorted by time of report
    // Thousands of single pushes end per second, most of them with their only save.
    if (state !== 'sent' || lane === 'bulk') reports.set(notificationId, { atMs: nowMs, done, hasEnded });
  }

  function forget(nowMs: number): void {
    for (const [notificationId, { atMs }] of reports) {
      if (nowMs - atMs < FORGET_AFTER_MS) return;
      reports.delete(notificationId);
    }
  }

  return (observation) => {
    if (observation.kind !== 'slice_recorded') return;
    const nowMs = clock().getTime();
    forget(nowMs);
    report(observation, nowMs);
  };
}

function perSecond(devices: number, elapsedMs: number): number {
  return Math.round((devices * 1_000) / Math.max(elapsedMs, 1));
}
