import { randomUUID } from 'node:crypto';
import { describe, expect, test, vi } from 'vitest';
import { ACCEPTED, type PushMessage, type Verdict } from '../../src/gateways/gateway.ts';
import type { NotificationState } from '../../src/notifications/look-up/notification-reply.ts';
import type { AppGateways } from '../../src/delivery/send/open-gateways.ts';
import { OutcomeSaver } from '../../src/delivery/outcomes/outcome-saver.ts';
import { type Outcome, packOutcomes, unpackOutcomes } from '../../src/delivery/outcomes/packed.ts';
import type { SlicePart } from '../../src/delivery/outcomes/slice-outcomes.ts';
import type { SliceNext } from '../../src/delivery/outcomes/store.ts';
import { openPauses, type Pace } from '../../src/delivery/send/pace.ts';
import { SliceRun } from '../../src/delivery/send/slice-run.ts';
import type { SliceRunOptions } from '../../src/delivery/send/slice-state.ts';
import { UnsavedOutcomes } from '../../src/delivery/outcomes/unsaved-outcomes.ts';
import { type Observe, observeNothing } from '../../src/observe.ts';
import { fakeGateway } from '../support/gateways.ts';
import { leasedSlice } from '../support/outcomes.ts';
import { tokenKey } from '../support/token-keys.ts';
import { PATIENCE } from '../support/patience.ts';

type Device = Parameters<SliceRun['push']>[0][number];

function devices(
  count: number,
  platform: 'iOS' | 'Android' = 'iOS',
  pushToken: string | null = 'token',
): Device[] {
  return Array.from({ length: count }, () => ({
    id: randomUUID(),
    platform,
    push_token: pushToken,
    push_token_type: 'token' as const,
    development: false,
  })).sort(byId);
}

function byId(left: Device, right: Device): number {
  return left.id < right.id ? -1 : 1;
}

interface RecordChanges {
  /** Outcomes that earlier attempts saved. */
  earlier?: readonly Buffer[];
  /** Which attempt at the slice it is. */
  attempt?: number;
  unsaved?: UnsavedOutcomes;
}

function start(
  gateways: AppGateways,
  {
    earlier = [],
    attempt = 1,
    unsaved = new UnsavedOutcomes(),
    ...changes
  }: Partial<SliceRunOptions> & RecordChanges = {},
  save: () => Promise<NotificationState | 'lost'> = async () => 'sending',
) {
  /** The saves, in order: parts, and at last the end. */
  const saved: (SlicePart & { next?: SliceNext })[] = [];
  const store = {
    saveParts: async (parts: readonly SlicePart[]) => {
      const state = await save();
      if (state !== 'lost') saved.push(...parts);
      return parts.map(() => state);
    },
    saveEnd: async (end: SlicePart, next: SliceNext) => {
      const state = await save();
      if (state !== 'lost') saved.push({ ...end, next });
      return state;
    },
  };
  const saver = new OutcomeSaver(store, unsaved);
  const outcomes = saver.open(leasedSlice({ earlier, attempt }), tokenKey);
  const run = new SliceRun({
    message: messageFor(3_600),
    requestId: 'request-1',
    gateways,
    refused: {},
    saver,
    outcomes,
    clock: () => new Date(),
    observe: observeNothing,
    random: () => 0,
    onUniqueIds: async () => undefined,
    onRefused: async () => undefined,
    ...changes,
  });
  /** Ends the run and saves its end. */
  const end = async () => {
    const next = await run.finish();
    await saver.end(outcomes, next, run.state.unsent);
    const goOnAt = next.state === 'done' ? null : (next.notBefore ?? 'at once');
    const all = unpackOutcomes(saved.at(-1)?.outcomes ?? packOutcomes(new Map()));
    return { outcomes: all, fresh: outcomes.size, goOnAt, next };
  };
  return { run, saved, end };
}

/** Sends to iPhones, all of them on one page, and ends the run. */
async function sendToApple(
  count: number,
  answer: Parameters<typeof fakeGateway>[1] = () => ACCEPTED,
  ...[changes, save]: Parameters<typeof start> extends [unknown, ...infer Rest] ? Rest : never
) {
  const apns = fakeGateway('apns_production', answer);
  const { run, saved, end } = start({ apns_production: apns }, changes, save);
  await run.push(devices(count));
  return { sent: apns.sent, run, saved, ...(await end()) };
}

/** Asks for another try. */
const retry = (changes: Partial<Extract<Verdict, { kind: 'retry' }>> = {}): Verdict => ({
  kind: 'retry',
  reason: '503',
  afterMs: null,
  scope: 'device',
  ...changes,
});

function messageFor(timeToLiveSeconds: number, dueAt = new Date()): PushMessage {
  const notificationId = randomUUID();
  return { notificationId, payload: { alert: 'Hello' }, priority: 'high', timeToLiveSeconds, dueAt };
}

const kinds = (outcomes: ReadonlyMap<string, Outcome>): string[] =>
  [...new Set([...outcomes.values()].map(({ kind }) => kind))].sort();

const accepted = (outcomes: ReadonlyMap<string, Outcome>): number =>
  [...outcomes.values()].filter(({ kind }) => kind === 'accepted').length;

describe('every device gets one outcome', () => {
  test.each<[Verdict, string]>([
    [ACCEPTED, 'accepted'],
    [{ kind: 'rejected', reason: 'BadTopic' }, 'rejected'],
    [{ kind: 'unregistered', reason: 'Unregistered', deadSince: null }, 'unregistered'],
    [{ kind: 'ambiguous', reason: 'timeout' }, 'ambiguous'],
  ])('a device whose push ends with %j gets the outcome %s', async (verdict, kind) => {
    const { outcomes, goOnAt, sent } = await sendToApple(700, () => verdict);
    expect(outcomes.size).toBe(700);
    expect(kinds(outcomes)).toEqual([kind]);
    expect(new Set(sent).size).toBe(700);
    expect(goOnAt).toBeNull();
  });

  test('a device without a token gets no_token, and no request is made', async () => {
    const apns = fakeGateway('apns_production', () => ACCEPTED);
    const { run, end } = start({ apns_production: apns });
    await run.push(devices(3, 'iOS', null));
    expect(kinds((await end()).outcomes)).toEqual(['no_token']);
    expect(apns.sent).toEqual([]);
  });

  test('a device whose gateway has no credentials is rejected with that reason', async () => {
    const apns = fakeGateway('apns_production', () => ACCEPTED);
    const { run, end } = start({ apns_production: apns });
    await run.push([...devices(2), ...devices(2, 'Android')].sort(byId));
    const { outcomes } = await end();
    expect(accepted(outcomes)).toBe(2);
    expect([...outcomes.values()].filter(({ reason }) => reason === 'no_credentials')).toHaveLength(2);
  });
});

describe('a retry', () => {
  test('a retry is made in place after the time that the gateway names, once the known outcomes are saved', async () => {
    const { outcomes, fresh, goOnAt, saved } = await sendToApple(6, (_recipient, call) =>
      call <= 6 && call > 1 ? retry({ afterMs: 20 }) : ACCEPTED,
    );
    expect(kinds(outcomes)).toEqual(['accepted']);
    expect(fresh).toBe(6);
    expect(goOnAt).toBeNull();
    // One by one or all at once, as the clock has it; but first what was known before any of them.
    expect(saved[0]).toMatchObject({ counts: { accepted: 1 }, part: 0 });
    expect(saved.reduce((sum, { counts }) => sum + counts.accepted, 0)).toBe(6);
    expect(saved.at(-1)).toMatchObject({ next: { state: 'done' } });
  });

  test('a retry that is far off gives the slice back until then', async () => {
    const now = new Date('2026-11-20T12:00:00.000Z');
    const { goOnAt, fresh } = await sendToApple(1, () => retry({ afterMs: 60_000 }), { clock: () => now });
    expect(goOnAt).toEqual(new Date('2026-11-20T12:01:00.000Z'));
    expect(fresh).toBe(0);
  });

  test.each([0, 500, null])(
    'a retry waits longer with every attempt at the slice, even if the gateway asks for %j ms each time',
    async (afterMs) => {
      const now = new Date('2026-11-20T12:00:00.000Z');
      const delays: number[] = [];
      for (const attempt of [6, 7, 8, 60]) {
        const changes = { attempt, clock: () => now, message: messageFor(3_600, now) };
        const { goOnAt, sent } = await sendToApple(1, () => retry({ afterMs }), changes);
        delays.push(Number(goOnAt) - now.getTime());
        expect(sent).toHaveLength(1);
      }
      expect(delays).toEqual([16_000, 30_000, 30_000, 30_000]);
    },
  );

  test('a retry with a time to live of 0 is made only for a push that has not left', async () => {
    const { outcomes, sent } = await sendToApple(
      1,
      (_recipient, call) =>
        call === 1 ? retry({ reason: 'connection_failed', afterMs: 5, unsent: true }) : retry({ afterMs: 5 }),
      { message: messageFor(0) },
    );
    expect([...outcomes.values()]).toMatchObject([{ kind: 'rejected', reason: '503' }]);
    expect(sent).toHaveLength(2);
  });

  test('a retry beyond the time to live is not made: the device is rejected with the last reason', async () => {
    const { outcomes } = await sendToApple(1, () => retry({ afterMs: 3_601_000 }));
    expect([...outcomes.values()]).toMatchObject([{ kind: 'rejected', reason: '503' }]);
  });

  test('a retry of the whole project holds back every further push through that gateway', async () => {
    const fcm = fakeGateway('fcm', () => retry({ afterMs: 60_000, scope: 'project' }));
    const { run, end } = start({ fcm });
    await run.push(devices(500, 'Android'));
    // The first goes alone, since the gateway has not proven itself; none follows.
    expect(fcm.sent).toHaveLength(1);
    expect((await end()).goOnAt).not.toBeNull();
  });
});

describe('the time to live', () => {
  const due = new Date('2026-11-20T12:00:00.000Z');
  const later = (ms: number): Date => new Date(due.getTime() + ms);

  test.each([
    [600, 600_001],
    [1, 1_001],
    [0, 60_001],
  ])(
    'a time to live of %i s stops all sending %i ms after the due time, and each device is rejected as expired',
    async (ttl, ms) => {
      const changes = { message: messageFor(ttl, due), clock: () => later(ms) };
      const { outcomes, goOnAt, sent } = await sendToApple(300, undefined, changes);
      expect(sent).toEqual([]);
      expect(goOnAt).toBeNull();
      expect(outcomes.size).toBe(300);
      for (const { kind, reason } of outcomes.values())
        expect([kind, reason]).toEqual(['rejected', 'expired']);
    },
  );

  test.each([
    [600, 600_000],
    [1, 1_000],
    [0, 60_000],
  ])('a time to live of %i s lets a push leave up to %i ms after the due time', async (ttl, ms) => {
    const changes = { message: messageFor(ttl, due), clock: () => later(ms) };
    expect(accepted((await sendToApple(3, undefined, changes)).outcomes)).toBe(3);
  });

  test('the time to live keeps pushes that wait in the gateway from leaving once it is over', async () => {
    let nowMs = due.getTime();
    let isWantedNow: (() => boolean) | undefined;
    const left = Promise.withResolvers<Verdict>();
    const apns = fakeGateway('apns_production', async () => left.promise, {
      onCompile: (isWanted) => (isWantedNow = isWanted),
    });
    const changes = { message: messageFor(600, due), clock: () => new Date(nowMs) };
    const { run, end } = start({ apns_production: apns }, changes);
    const pushing = run.push(devices(1));
    await vi.waitFor(() => expect(apns.sent).toHaveLength(1), PATIENCE);
    expect(isWantedNow?.()).toBe(true);
    nowMs += 600_001;
    expect(isWantedNow?.()).toBe(false);
    left.resolve(retry({ reason: 'not_wanted', unsent: true }));
    await pushing;
    const [outcome] = [...(await end()).outcomes.values()];
    expect(outcome).toMatchObject({ kind: 'rejected', reason: 'expired' });
  });

  test('the time to live does not change the outcome of an ambiguous push', async () => {
    const { outcomes } = await sendToApple(1, () => ({ kind: 'ambiguous', reason: 'ping_timeout' }));
    expect(kinds(outcomes)).toEqual(['ambiguous']);
  });

  test('the time to live expires pushes whose turn in the gateway’s pace would come later', async () => {
    const pace = { ...openPauses(() => new Date()), take: async () => due.getTime() + 700_000 };
    const fcm = fakeGateway('fcm', () => ACCEPTED, { pace, credentialsAccepted: true });
    const { run, end } = start({ fcm }, { message: messageFor(600, due), clock: () => due });
    await run.push(devices(10, 'Android'));
    const { outcomes, goOnAt } = await end();
    expect(goOnAt).toBeNull();
    expect(outcomes.size).toBe(10);
    for (const { reason } of outcomes.values()) expect(reason).toBe('expired');
  });
});

describe('refused credentials', () => {
  test('refused credentials reject all devices of a route that was never proven, after one request', async () => {
    const refusals: string[] = [];
    const onRefused: SliceRunOptions['onRefused'] = async (route, { reason }) => {
      refusals.push(`${route} ${reason}`);
    };
    const { outcomes, goOnAt, sent } = await sendToApple(
      900,
      () => ({ kind: 'credentials_refused', reason: 'InvalidProviderToken' }),
      { onRefused },
    );
    expect(sent).toHaveLength(1);
    expect(refusals).toEqual(['apns_production InvalidProviderToken']);
    expect(kinds(outcomes)).toEqual(['rejected']);
    expect(outcomes.size).toBe(900);
    expect(goOnAt).toBeNull();
  });

  test('refused credentials of the sandbox reject development devices alone', async () => {
    const production = fakeGateway('apns_production', () => ACCEPTED);
    const sandbox = fakeGateway('apns_sandbox', () => ({ kind: 'credentials_refused', reason: 'Forbidden' }));
    const { run, end } = start({ apns_production: production, apns_sandbox: sandbox });
    const development = devices(8);
    for (const device of development) device.development = true;
    await run.push([...devices(300), ...development].sort(byId));
    const { outcomes } = await end();
    expect(accepted(outcomes)).toBe(300);
    expect(sandbox.sent).toHaveLength(1);
    for (const { id } of development) {
      expect(outcomes.get(id)).toMatchObject({ kind: 'rejected', reason: 'Forbidden' });
    }
  });
});

describe('a run that ends early', () => {
  test('a run that stops early counts no retry of a push that has not left', async () => {
    const stop = new AbortController();
    const answer = (): Verdict => {
      stop.abort();
      return retry({ reason: 'not_wanted', unsent: true });
    };
    const retried: string[] = [];
    const observe: Observe = ({ kind }) => {
      if (kind === 'push_retried') retried.push(kind);
    };
    const ended = await sendToApple(1, answer, { stop: stop.signal, observe });
    expect(ended).toMatchObject({ fresh: 0, next: { state: 'waiting' } });
    expect({ sent: ended.sent.length, retried }).toEqual({ sent: 1, retried: [] });
  });

  test('a run that ends because of an error keeps the outcomes that are known', async () => {
    const { outcomes, goOnAt, run, sent } = await sendToApple(1_000, (_recipient, call) => {
      if (call === 300) throw new Error('a promise was broken');
      return ACCEPTED;
    });
    expect(run.state.failure).toMatchObject({ message: 'a promise was broken' });
    expect(outcomes.size).toBe(sent.length - 1);
    expect(outcomes.size).toBeLessThan(400);
    expect(goOnAt).toBe('at once');
  });

  test.each(['lost', 'canceled', 'failed'] as const)(
    'a run whose slice or notification is %s begins no other push',
    async (state) => {
      const { goOnAt, sent } = await sendToApple(1_000, undefined, {}, async () => state);
      expect(goOnAt).toBe('at once');
      expect(sent.length).toBeLessThan(400);
    },
  );
});

describe('what a crash may repeat', () => {
  test('the limit of pushes that a crash may repeat counts all slices of a worker until their outcomes are saved', async () => {
    const released = Promise.withResolvers<void>();
    const apns = fakeGateway('apns_production', () => ACCEPTED);
    apns.credentialsAccepted = true;
    const unsaved = new UnsavedOutcomes();
    const attempts = [1, 2, 3].map(() =>
      start({ apns_production: apns }, { unsaved }, async () => {
        await released.promise;
        return 'sending';
      }),
    );
    for (const { run } of attempts) await run.push(devices(1_000));
    const handedOver = await vi.waitFor(() => {
      expect(apns.sent).toHaveLength(3_000);
      const taken = 3_000 - unsaved.waiting;
      expect(taken).toBeGreaterThan(0);
      return taken;
    }, PATIENCE);
    // Three statements for each of the slices, which are of three notifications, at one or two hundred outcomes.
    expect(handedOver).toBeLessThan(9 * 200);
    // The statements are not answered, so they count as well.
    await vi.waitFor(() => expect(unsaved.count).toBe(3_000), PATIENCE);

    released.resolve();
    for (const { end } of attempts) expect((await end()).outcomes.size).toBe(1_000);
    expect(unsaved.count).toBe(0);
  });

  test('a silent gateway does not use up the in-flight limit: the other gateway and other slices go on', async () => {
    const released = Promise.withResolvers<void>();
    const whenReady = (sent: number) => (sent < 300 ? undefined : released.promise);
    const answer = async () => released.promise.then(() => ACCEPTED);
    const silent = fakeGateway('apns_production', answer, { whenReady });
    const fcm = fakeGateway('fcm', () => ACCEPTED);
    silent.credentialsAccepted = true;
    const stuck = start({ apns_production: silent, fcm });
    const stuckPushing = stuck.run.push([...devices(400), ...devices(400, 'Android')].sort(byId));
    await vi.waitFor(() => expect([silent.sent.length, fcm.sent.length]).toEqual([300, 400]), PATIENCE);

    const other = start({ fcm });
    await other.run.push(devices(1_000, 'Android'));
    expect((await other.end()).outcomes.size).toBe(1_000);
    expect(silent.sent).toHaveLength(300);

    released.resolve();
    await stuckPushing;
    expect((await stuck.end()).outcomes.size).toBe(800);
  });
});

test('a gateway that swallows the first push gets the others while it is silent', async () => {
  const first = Promise.withResolvers<Verdict>();
  const apns = fakeGateway('apns_production', (_recipient, call) => (call === 1 ? first.promise : ACCEPTED));
  const { run, end } = start({ apns_production: apns }, { aloneMsMax: 1 });
  await run.push(devices(200));
  await vi.waitFor(() => expect(apns.sent).toHaveLength(200), PATIENCE);
  first.resolve({ kind: 'ambiguous', reason: 'answer_timeout' });
  const { outcomes } = await end();
  expect(accepted(outcomes)).toBe(199);
});

describe('a slice whose pushes have all left', () => {
  test('a slice whose pushes have all left gives way while it only waits for answers, and not before', async () => {
    const [left, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<Verdict>()];
    const apns = fakeGateway('apns_production', async () => answered.promise, {
      credentialsAccepted: true,
      whenSent: async () => left.promise,
    });
    const fcm = fakeGateway('fcm', () => ACCEPTED, { credentialsAccepted: true });
    const { run } = start({ apns_production: apns, fcm });
    const order: string[] = [];
    await run.push([...devices(100), ...devices(20, 'Android')].sort(byId));
    const finished = run.finish(() => order.push('gives way')).then(() => order.push('finished'));
    await new Promise(setImmediate);
    expect(order).toEqual([]);
    left.resolve();
    await new Promise(setImmediate);
    expect(order).toEqual(['gives way']);
    answered.resolve(ACCEPTED);
    await finished;
    expect(order).toEqual(['gives way', 'finished']);
  });

  test('a slice does not give way while some of its pushes wait for their turn in the pace', async () => {
    let nowMs = Date.now();
    const dueMs = nowMs + 20;
    const pace = aPace(() => dueMs);
    const apns = fakeGateway('apns_production', () => ACCEPTED, { credentialsAccepted: true });
    const fcm = fakeGateway('fcm', () => ACCEPTED, { pace, credentialsAccepted: true });
    const { run } = start({ apns_production: apns, fcm }, { clock: () => new Date(nowMs) });
    await run.push([...devices(10), ...devices(10, 'Android')].sort(byId));
    expect(apns.sent).toHaveLength(10);
    let hasGivenWay = false;
    const finished = run.finish(() => (hasGivenWay = true));
    nowMs = dueMs;
    await finished;
    expect(fcm.sent).toHaveLength(10);
    expect(hasGivenWay).toBe(false);
  });
});

/** @param placeMs when those that ask may go */
function aPace(placeMs: () => number | Error): Pace & { taken: number[]; askedAgain: number } {
  const pace = {
    taken: [] as number[],
    askedAgain: 0,
    take: async (pushes: number) => {
      pace.taken.push(pushes);
      const place = placeMs();
      if (place instanceof Error) throw place;
      return place;
    },
    pausedUntil: async () => {
      pace.askedAgain += 1;
      return 0;
    },
    pauseUntil: () => undefined,
  };
  return pace;
}
const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

describe('the pace of a gateway', () => {
  test('the pace of a gateway is drawn for each push that is sent, at most fifty at a time, and for no other device', async () => {
    const pace = aPace(() => 0);
    const fcm = fakeGateway('fcm', () => ACCEPTED, { pace });
    const { run, end } = start({ fcm });
    await run.push([...devices(120, 'Android'), ...devices(30, 'Android', null), ...devices(9)].sort(byId));
    const { outcomes } = await end();
    expect(outcomes.size).toBe(159);
    expect(sum(pace.taken)).toBe(120);
    expect(Math.max(...pace.taken)).toBeLessThanOrEqual(50);
  });

  test('pushes whose turn is later draw from the pace once, and check for a pause before they leave', async () => {
    let nowMs = Date.now();
    const dueMs = nowMs + 30;
    let placeMs = dueMs;
    const pace = aPace(() => placeMs);
    const fcm = fakeGateway('fcm', () => ACCEPTED, { pace, credentialsAccepted: true });
    const { run, end } = start({ fcm }, { clock: () => new Date(nowMs) });
    await run.push(devices(40, 'Android'));
    expect(fcm.sent).toEqual([]);
    placeMs = nowMs + 60_000; // another draw would wait for a minute
    nowMs = dueMs;
    expect((await end()).outcomes.size).toBe(40);
    expect(sum(pace.taken)).toBe(40);
    expect(pace.askedAgain).toBeGreaterThan(0);
  });

  test('a pace that cannot be drawn from ends the run, and keeps the outcomes that are known', async () => {
    const pace = aPace(() => (pace.taken.length > 2 ? new Error('the database is away') : 0));
    const fcm = fakeGateway('fcm', () => ACCEPTED, { pace, credentialsAccepted: true });
    const { run, end } = start({ fcm });
    await run.push(devices(1_000, 'Android'));
    const { outcomes, goOnAt } = await end();
    expect(run.state.failure).toMatchObject({ message: 'the database is away' });
    expect(outcomes.size).toBe(100);
    expect(goOnAt).toBe('at once');
  });
});

test('a failed save ends the run with that error, and no outcome of it counts as unsaved any more', async () => {
  const apns = fakeGateway('apns_production', () => ACCEPTED);
  const unsaved = new UnsavedOutcomes();
  const { run, end } = start({ apns_production: apns }, { unsaved }, async () => {
    throw new Error('the database is away');
  });
  await run.push(devices(1_000));
  expect(unsaved.count).toBe(0);
  await expect(end()).rejects.toThrow('the database is away');
  expect(apns.sent.length).toBeLessThan(350);
});

test('at most fifty pushes begin in one turn of the event loop', async () => {
  let inThisTurn = 0;
  let most = 0;
  const apns = fakeGateway('apns_production', () => {
    inThisTurn += 1;
    most = Math.max(most, inThisTurn);
    if (inThisTurn === 1) setImmediate(() => (inThisTurn = 0));
    return ACCEPTED;
  });
  apns.credentialsAccepted = true;
  const { run, end } = start({ apns_production: apns });
  await run.push(devices(1_000));
  await end();
  expect(most).toBe(50);
});
