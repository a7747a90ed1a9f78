import { randomUUID } from 'node:crypto';
import { describe, expect, test, vi } from 'vitest';
import type { Verdict } from '../../src/gateways/gateway.ts';
import type { AppGateways } from '../../src/delivery/open-gateways.ts';
import { type Outcome, unpackOutcomes } from '../../src/delivery/outcome.ts';
import { packOutcomes } from '../../src/delivery/outcome-sheet.ts';
import { type SliceEntry, SliceRecord, type SliceRecordOptions } from '../../src/delivery/record-slice.ts';
import { SliceRun, type SliceRunOptions } from '../../src/delivery/slice-run.ts';
import { UnrecordedPushes } from '../../src/delivery/unrecorded-pushes.ts';
import { observeNothing } from '../../src/observe.ts';
import { fakeGateway } from '../support/gateways.ts';

type Device = Parameters<SliceRun['push']>[0][number];

const ACCEPTED: Verdict = { kind: 'accepted' };

function devices(
  count: number,
  platform: 'iOS' | 'Android' = 'iOS',
  pushToken: string | null = 'token',
): Device[] {
  return Array.from({ length: count }, () => ({
    id: randomUUID(),
    platform,
    push_token: pushToken,
    development: false,
  })).sort(byId);
}

function byId(left: Device, right: Device): number {
  return left.id < right.id ? -1 : 1;
}

interface Attempt {
  run: SliceRun;
  record: SliceRecord;
  /** What was stored, in order. */
  entries: SliceEntry[];
  /** Ends the run and closes the record. */
  end: () => Promise<{ outcomes: Map<string, Outcome>; fresh: number; goOnAt: Date | null }>;
}

function start(
  gateways: AppGateways,
  changes: Partial<SliceRunOptions & Omit<SliceRecordOptions, 'store'>> = {},
  store: SliceRecordOptions['store'] = async () => 'sending',
): Attempt {
  const entries: SliceEntry[] = [];
  const record = new SliceRecord({
    earlier: null,
    unrecorded: new UnrecordedPushes(Infinity),
    ...changes,
    store: async (entry) => {
      const state = await store(entry);
      if (state !== 'lost') entries.push(entry);
      return state;
    },
  });
  const run = new SliceRun({
    message: {
      notificationId: randomUUID(),
      payload: { alert: 'Hello' },
      priority: 'high',
      timeToLiveSeconds: 3_600,
      dueAt: new Date(),
    },
    requestId: null,
    lane: 'bulk',
    gateways,
    refused: {},
    record,
    clock: () => new Date(),
    observe: observeNothing,
    random: () => 0,
    onRefused: async () => 'stop',
    ...changes,
    stop: changes.stop === undefined ? record.over : AbortSignal.any([changes.stop, record.over]),
  });
  const end: Attempt['end'] = async () => {
    const goOnAt = await run.finish();
    await record.close(goOnAt === null ? { state: 'done' } : { state: 'waiting', notBefore: goOnAt });
    const outcomes = unpackOutcomes(entries.at(-1)?.outcomes ?? packOutcomes(new Map()));
    return { outcomes, fresh: record.settled, goOnAt };
  };
  return { run, record, entries, end };
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
  ])('%j becomes %s', async (verdict, kind) => {
    const apns = fakeGateway('apns', () => verdict);
    const { run, end } = start({ apns });
    await run.push(devices(700));
    const { outcomes, goOnAt } = await end();
    expect(outcomes.size).toBe(700);
    expect(kinds(outcomes)).toEqual([kind]);
    expect(new Set(apns.sent).size).toBe(700);
    expect(goOnAt).toBeNull();
  });

  test('a device without a token is told so, and no request is made', async () => {
    const apns = fakeGateway('apns', () => ACCEPTED);
    const { run, end } = start({ apns });
    await run.push(devices(3, 'iOS', null));
    expect(kinds((await end()).outcomes)).toEqual(['no_token']);
    expect(apns.sent).toEqual([]);
  });

  test('a device whose gateway has no credentials is rejected with that reason', async () => {
    const apns = fakeGateway('apns', () => ACCEPTED);
    const { run, end } = start({ apns });
    await run.push([...devices(2), ...devices(2, 'Android')].sort(byId));
    const { outcomes } = await end();
    expect(accepted(outcomes)).toBe(2);
    expect([...outcomes.values()].filter(({ reason }) => reason === 'no fcm credentials')).toHaveLength(2);
  });

  test('what an earlier attempt recorded is not sent again', async () => {
    const apns = fakeGateway('apns', () => ACCEPTED);
    const audience = devices(4);
    const known = audience
      .slice(0, 3)
      .map(({ id }): [string, Outcome] => [id, { kind: 'accepted', reason: null, atMs: 1 }]);
    const { run, end } = start({ apns }, { earlier: packOutcomes(new Map(known)) });
    await run.push(audience);
    const { outcomes, fresh } = await end();
    expect(apns.sent).toEqual([audience[3]?.id]);
    expect(outcomes.size).toBe(4);
    expect(fresh).toBe(1);
  });
});

describe('a retry', () => {
  test('is made in place after the time that the gateway names, when what is known has been stored', async () => {
    const apns = fakeGateway('apns', (_recipient, call) =>
      call <= 6 && call > 1
        ? { kind: 'retry', reason: 'ServiceUnavailable', afterMs: 20, scope: 'device' }
        : ACCEPTED,
    );
    const { run, entries, end } = start({ apns });
    await run.push(devices(6));
    const { outcomes, fresh, goOnAt } = await end();
    expect(kinds(outcomes)).toEqual(['accepted']);
    expect(fresh).toBe(6);
    expect(goOnAt).toBeNull();
    // One by one or all at once, as the clock has it; but first what was known before any of them.
    expect(entries[0]).toMatchObject({ counts: { accepted: 1 }, next: { state: 'leased' } });
    expect(entries.reduce((sum, { counts }) => sum + counts.accepted, 0)).toBe(6);
    expect(entries.at(-1)?.next.state).toBe('done');
  });

  test('that is far off hands the slice on, at that time', async () => {
    const now = new Date('2026-11-20T12:00:00.000Z');
    const apns = fakeGateway('apns', () => ({
      kind: 'retry',
      reason: '503',
      afterMs: 60_000,
      scope: 'device',
    }));
    const { run, end } = start({ apns }, { clock: () => now });
    await run.push(devices(1));
    const { goOnAt, fresh } = await end();
    expect(goOnAt).toEqual(new Date('2026-11-20T12:01:00.000Z'));
    expect(fresh).toBe(0);
  });

  test('beyond the time to live is given up as rejected, with the reason', async () => {
    const apns = fakeGateway('apns', () => ({
      kind: 'retry',
      reason: '503',
      afterMs: 3_601_000,
      scope: 'device',
    }));
    const { run, end } = start({ apns });
    await run.push(devices(1));
    const [outcome] = [...(await end()).outcomes.values()];
    expect(outcome).toMatchObject({ kind: 'rejected', reason: '503' });
  });

  test('of the whole project holds back every further push through that gateway', async () => {
    const fcm = fakeGateway('fcm', () => ({
      kind: 'retry',
      reason: 'QUOTA_EXCEEDED',
      afterMs: 60_000,
      scope: 'project',
    }));
    const { run, end } = start({ fcm });
    await run.push(devices(500, 'Android'));
    // The first goes alone, since the gateway has not proven itself; none follows.
    expect(fcm.sent).toHaveLength(1);
    expect((await end()).goOnAt).not.toBeNull();
  });
});

describe('refused credentials', () => {
  test('stop after one request when the gateway was never proven', async () => {
    const refusals: string[] = [];
    const apns = fakeGateway('apns', () => ({ kind: 'credentials_refused', reason: 'InvalidProviderToken' }));
    const { run, end } = start(
      { apns },
      {
        onRefused: async (gateway, reason) => {
          refusals.push(`${gateway} ${reason}`);
          return 'stop';
        },
      },
    );
    await run.push(devices(900));
    expect(apns.sent).toHaveLength(1);
    expect(refusals).toEqual(['apns InvalidProviderToken']);
    expect(run.stopped).toBe(true);
    expect((await end()).goOnAt).not.toBeNull();
  });

  test('of one gateway reject its devices without a request, and the other goes on', async () => {
    const apns = fakeGateway('apns', () => ({ kind: 'credentials_refused', reason: 'InvalidProviderToken' }));
    const fcm = fakeGateway('fcm', () => ACCEPTED);
    const { run, end } = start({ apns, fcm }, { onRefused: async () => 'go_on' });
    await run.push([...devices(100), ...devices(100, 'Android')].sort(byId));
    const { outcomes } = await end();
    expect(apns.sent).toHaveLength(1);
    expect(accepted(outcomes)).toBe(100);
    expect([...outcomes.values()].filter(({ reason }) => reason === 'InvalidProviderToken')).toHaveLength(
      100,
    );
  });
});

describe('a run that is broken off', () => {
  test('by a stop lets the pushes in flight finish and begins no other', async () => {
    const stop = new AbortController();
    const apns = fakeGateway('apns', (_recipient, call) => {
      if (call === 300) stop.abort();
      return ACCEPTED;
    });
    apns.proven = true;
    const { run, end } = start({ apns }, { stop: stop.signal });
    await run.push(devices(1_000));
    const { outcomes, goOnAt } = await end();
    expect(outcomes.size).toBe(apns.sent.length);
    expect(outcomes.size).toBeLessThan(400);
    expect(goOnAt).not.toBeNull();
  });

  test('by an error keeps what was found', async () => {
    const apns = fakeGateway('apns', (_recipient, call) => {
      if (call === 300) throw new Error('a promise was broken');
      return ACCEPTED;
    });
    const { run, end } = start({ apns });
    await run.push(devices(1_000));
    const { outcomes, goOnAt } = await end();
    expect(run.failure).toMatchObject({ message: 'a promise was broken' });
    expect(outcomes.size).toBe(apns.sent.length - 1);
    expect(outcomes.size).toBeLessThan(400);
    expect(goOnAt).not.toBeNull();
  });

  test.each(['lost', 'canceled', 'failed'] as const)(
    'when its slice or notification turns out to be %s begins no other push',
    async (state) => {
      const apns = fakeGateway('apns', () => ACCEPTED);
      const { run, end } = start({ apns }, {}, async () => state);
      await run.push(devices(1_000));
      expect((await end()).goOnAt).not.toBeNull();
      expect(apns.sent.length).toBeLessThan(700);
    },
  );
});

describe('what a crash may repeat', () => {
  test('is little: outcomes are stored while the slice is under way, each counted once', async () => {
    const apns = fakeGateway('apns', () => ACCEPTED);
    const { run, entries, end } = start({ apns });
    await run.push(devices(1_000));
    const { outcomes } = await end();
    expect(outcomes.size).toBe(1_000);
    expect(entries.length).toBeGreaterThanOrEqual(3);
    expect(entries.reduce((sum, { counts }) => sum + counts.accepted, 0)).toBe(1_000);
    expect(entries.map(({ next }) => next.state).slice(0, -1)).not.toContain('done');
    for (const [index, entry] of entries.entries()) {
      expect(entry.bytesBefore).toBe(entries[index - 1]?.outcomes.length ?? 0);
    }
  });

  test.each([
    ['a gateway answers nothing', 'gateway'],
    ['the database stores nothing', 'database'],
  ])('is bounded over all slices of a worker while %s, and the rest follows', async (_when, silent) => {
    const released = Promise.withResolvers<void>();
    const apns = fakeGateway('apns', async () => {
      if (silent === 'gateway') await released.promise;
      return ACCEPTED;
    });
    apns.proven = true;
    const unrecorded = new UnrecordedPushes(600);
    const attempts = [1, 2, 3].map(() =>
      start({ apns }, { unrecorded }, async () => {
        if (silent === 'database') await released.promise;
        return 'sending';
      }),
    );
    const done = Promise.all(
      attempts.map(async ({ run, end }) => {
        await run.push(devices(500));
        return end();
      }),
    );
    await vi.waitFor(() => expect(apns.sent).toHaveLength(600));
    await turns(20);
    expect(apns.sent).toHaveLength(600);

    released.resolve();
    for (const { outcomes, goOnAt } of await done) {
      expect(outcomes.size).toBe(500);
      expect(goOnAt).toBeNull();
    }
    expect(unrecorded.take(1_000)).toBe(600);
  });

  test('is not all in the hands of a silent gateway: the other one and the slices of others go on', async () => {
    const released = Promise.withResolvers<void>();
    const whenReady = (sent: number) => (sent < 300 ? undefined : released.promise);
    const answer = async () => released.promise.then(() => ACCEPTED);
    const silent = fakeGateway('apns', answer, { whenReady });
    const fcm = fakeGateway('fcm', () => ACCEPTED);
    silent.proven = true;
    const unrecorded = new UnrecordedPushes(500);
    const stuck = start({ apns: silent, fcm }, { unrecorded });
    const stuckPushing = stuck.run.push([...devices(400), ...devices(400, 'Android')].sort(byId));
    await vi.waitFor(() => expect([silent.sent.length, fcm.sent.length]).toEqual([300, 400]));

    const other = start({ fcm }, { unrecorded });
    await other.run.push(devices(1_000, 'Android'));
    expect((await other.end()).outcomes.size).toBe(1_000);
    expect(silent.sent).toHaveLength(300);

    released.resolve();
    await stuckPushing;
    expect((await stuck.end()).outcomes.size).toBe(800);
  });

  test('does not hold up a slice that waits for room when it is stopped', async () => {
    const stop = new AbortController();
    const apns = fakeGateway('apns', () => ACCEPTED);
    const { run, end } = start({ apns }, { stop: stop.signal, unrecorded: new UnrecordedPushes(0) });
    const pushing = run.push(devices(10));
    await turns(3);
    stop.abort();
    await pushing;
    expect((await end()).fresh).toBe(0);
    expect(apns.sent).toEqual([]);
  });

  test('is given back by pushes that are put off', async () => {
    const apns = fakeGateway('apns', (_recipient, call) =>
      call <= 30 ? { kind: 'retry', reason: '503', afterMs: 5, scope: 'device' } : ACCEPTED,
    );
    apns.proven = true;
    const unrecorded = new UnrecordedPushes(10);
    const { run, end } = start({ apns }, { unrecorded });
    await run.push(devices(40));
    expect((await end()).outcomes.size).toBe(40);
    expect(unrecorded.take(100)).toBe(10);
  });
});

test('a failure to store ends the run with that error, and gives back the allowance', async () => {
  const apns = fakeGateway('apns', () => ACCEPTED);
  const unrecorded = new UnrecordedPushes(300);
  const { run, end } = start({ apns }, { unrecorded }, async () => {
    throw new Error('the database is away');
  });
  await run.push(devices(1_000));
  await expect(end()).rejects.toThrow('the database is away');
  expect(apns.sent.length).toBeLessThanOrEqual(300);
  expect(unrecorded.take(1_000)).toBe(300);
});

test('somebody who waits for one push does not wait until a gateway has room for a broadcast', async () => {
  const apns = fakeGateway('apns', () => ACCEPTED, { whenReady: async () => Promise.race([]) });
  const { run, end } = start({ apns }, { lane: 'direct' });
  await run.push(devices(1));
  expect((await end()).outcomes.size).toBe(1);
});

test('a page leaves others their turn: no more than fifty pushes begin in one', async () => {
  let inThisTurn = 0;
  let most = 0;
  const apns = fakeGateway('apns', () => {
    inThisTurn += 1;
    most = Math.max(most, inThisTurn);
    if (inThisTurn === 1) setImmediate(() => (inThisTurn = 0));
    return ACCEPTED;
  });
  apns.proven = true;
  const { run, end } = start({ apns });
  await run.push(devices(1_000));
  await end();
  expect(most).toBe(50);
});

/** Lets the event loop turn that often: whatever could happen by itself has happened. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}
