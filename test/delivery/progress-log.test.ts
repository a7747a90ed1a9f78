import { beforeEach, describe, expect, test } from 'vitest';
import { openProgressLog } from '../../src/delivery/upkeep/progress-log.ts';
import type { Observation, Observe } from '../../src/observe.ts';
import { collectObservations } from '../support/database.ts';

const START = new Date('2026-11-21T12:00:00.000Z');

let elapsedMs: number;
let seen: Observation[];
let progress: Observe;

beforeEach(() => {
  elapsedMs = 0;
  const observations = collectObservations();
  seen = observations.seen;
  progress = openProgressLog({
    observe: observations.observe,
    clock: () => new Date(START.getTime() + elapsedMs),
  });
});

function recorded(
  atMs: number,
  done: number,
  changes: { id?: string; state?: string; devices?: number } = {},
) {
  elapsedMs = atMs;
  progress({
    kind: 'slice_recorded',
    notificationId: changes.id ?? 'n',
    requestId: `request of ${changes.id ?? 'n'}`,
    lane: 'bulk',
    state: changes.state ?? 'sending',
    devices: changes.devices ?? 10_000,
    done,
    startedAt: START,
  });
}

/** The reports, as `[done, percent, devicesPerSecond]`. */
function reported(id = 'n') {
  return seen.flatMap((observation) =>
    observation.kind === 'delivery_progress' && observation.notificationId === id
      ? [[observation.done, observation.percent, observation.devicesPerSecond]]
      : [],
  );
}

describe('the progress of a notification', () => {
  test('the progress of a notification is reported at most once a second', () => {
    for (let atMs = 100; atMs <= 5_000; atMs += 100) recorded(atMs, atMs);
    expect(reported().map(([done]) => done)).toEqual([100, 1_100, 2_100, 3_100, 4_100]);
  });

  test('the progress of a notification is reported with its done share and the rate since the report before', () => {
    recorded(500, 1_000);
    recorded(1_500, 1_500);
    recorded(3_500, 9_999);
    expect(reported()).toEqual([
      [1_000, 10, 2_000],
      [1_500, 15, 500],
      [9_999, 99, 4_250],
    ]);
  });

  test('the progress of a notification is reported once more at its end, with the rate since its start', () => {
    recorded(1_000, 1_000);
    recorded(1_900, 9_000);
    recorded(2_000, 10_000, { state: 'sent' });
    expect(reported()).toEqual([
      [1_000, 10, 1_000],
      [10_000, 100, 5_000],
    ]);
    expect(seen.at(-1)).toMatchObject({
      requestId: 'request of n',
      state: 'sent',
      devices: 10_000,
      lane: 'bulk',
    });
  });

  test('the progress of a notification is reported once where it ends with its first slice', () => {
    recorded(50, 3, { state: 'sent', devices: 3 });
    expect(reported()).toEqual([[3, 100, 60]]);
  });

  test.each(['canceled', 'failed'])(
    'the progress of a notification ends when it is %s, whatever is still in flight',
    (state) => {
      recorded(1_000, 1_000);
      recorded(1_100, 2_000, { state });
      recorded(1_200, 3_000, { state });
      recorded(9_000, 4_000, { state });
      expect(reported().map(([done]) => done)).toEqual([1_000, 2_000]);
    },
  );

  test('the progress of a notification ends when it is sent, even if an earlier save is answered later', () => {
    recorded(1_000, 1_000);
    recorded(1_100, 10_000, { state: 'sent' });
    recorded(1_101, 9_800);
    expect(reported().map(([done]) => done)).toEqual([1_000, 10_000]);
  });

  test('the progress of a notification is separate from that of other notifications', () => {
    recorded(1_000, 1_000);
    recorded(1_000, 5_000, { id: 'other' });
    recorded(1_500, 2_000);
    recorded(2_000, 6_000, { id: 'other' });
    expect(reported()).toEqual([[1_000, 10, 1_000]]);
    expect(reported('other')).toEqual([
      [5_000, 50, 5_000],
      [6_000, 60, 1_000],
    ]);
  });

  test('the progress of a notification never counts more devices than it has, even if some joined later', () => {
    recorded(1_000, 11, { devices: 10 });
    expect(seen).toMatchObject([{ devices: 11, done: 11, percent: 100 }]);
  });

  test('the progress of a notification is forgotten where another process has ended it', () => {
    recorded(0, 1_000);
    recorded(600_000, 1, { id: 'other' });
    recorded(600_100, 2_000);
    // As for a notification without a report: the rate is that since its start.
    expect(reported().at(-1)).toEqual([2_000, 20, 3]);
  });

  test('the progress of a notification depends only on recorded slices', () => {
    progress({ kind: 'stopped' });
    progress({
      kind: 'slice_finished',
      notificationId: 'n',
      requestId: 'request-1',
      number: 0,
      devices: 1,
      durationMs: 1,
    });
    expect(seen).toEqual([]);
  });
});
