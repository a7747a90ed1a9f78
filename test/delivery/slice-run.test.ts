import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Gateway, GatewayName, Recipient, Verdict } from '../../src/gateways/gateway.ts';
import type { AppGateways, OpenGateway } from '../../src/delivery/open-gateways.ts';
import { openPauses } from '../../src/delivery/pace.ts';
import { SliceRun, type SliceRunOptions } from '../../src/delivery/slice-run.ts';
import type { Outcome } from '../../src/delivery/outcome.ts';
import { observeNothing } from '../../src/observe.ts';

type Answer = (recipient: Recipient, call: number) => Verdict | Promise<Verdict>;
type Device = Parameters<SliceRun['push']>[0][number];

const ACCEPTED: Verdict = { kind: 'accepted' };

function openGateway(name: GatewayName, answer: Answer): OpenGateway & { sent: string[] } {
  const sent: string[] = [];
  const gateway: Gateway = {
    name,
    compile: () => async (recipient) => {
      sent.push(recipient.deviceId);
      return answer(recipient, sent.length);
    },
    close: async () => undefined,
  };
  return { gateway, version: 'v1', proven: false, pace: openPauses(), sent };
}

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
  }));
}

function startRun(gateways: AppGateways, changes: Partial<SliceRunOptions> = {}): SliceRun {
  return new SliceRun({
    message: {
      notificationId: randomUUID(),
      payload: { alert: 'Hello' },
      priority: 'high',
      timeToLiveSeconds: 3_600,
      dueAt: new Date(),
    },
    lane: 'bulk',
    gateways,
    refused: {},
    outcomes: new Map(),
    stop: new AbortController().signal,
    clock: () => new Date(),
    observe: observeNothing,
    random: () => 0,
    onRefused: async () => 'stop',
    ...changes,
  });
}

const kinds = (outcomes: ReadonlyMap<string, Outcome>): string[] =>
  [...new Set([...outcomes.values()].map(({ kind }) => kind))].sort();

describe('every device gets one outcome', () => {
  test.each<[Verdict, string]>([
    [ACCEPTED, 'accepted'],
    [{ kind: 'rejected', reason: 'BadTopic' }, 'rejected'],
    [{ kind: 'unregistered', reason: 'Unregistered', deadSince: null }, 'unregistered'],
    [{ kind: 'ambiguous', reason: 'timeout' }, 'ambiguous'],
  ])('%j becomes %s', async (verdict, kind) => {
    const apns = openGateway('apns', () => verdict);
    const run = startRun({ apns });
    await run.push(devices(700));
    const result = run.finish();
    expect(result.fresh.size).toBe(700);
    expect(kinds(result.fresh)).toEqual([kind]);
    expect(new Set(apns.sent).size).toBe(700);
    expect(result.goOnAt).toBeNull();
  });

  test('a device without a token is told so, and no request is made', async () => {
    const apns = openGateway('apns', () => ACCEPTED);
    const run = startRun({ apns });
    await run.push(devices(3, 'iOS', null));
    expect(kinds(run.finish().fresh)).toEqual(['no_token']);
    expect(apns.sent).toEqual([]);
  });

  test('a device whose gateway has no credentials is rejected with that reason', async () => {
    const apns = openGateway('apns', () => ACCEPTED);
    const run = startRun({ apns });
    await run.push([...devices(2), ...devices(2, 'Android')]);
    const outcomes = [...run.finish().fresh.values()];
    expect(outcomes.filter(({ kind }) => kind === 'accepted')).toHaveLength(2);
    expect(outcomes.filter(({ reason }) => reason === 'no fcm credentials')).toHaveLength(2);
  });

  test('what an earlier attempt recorded is not sent again', async () => {
    const apns = openGateway('apns', () => ACCEPTED);
    const audience = devices(4);
    const known = new Map(
      audience
        .slice(0, 3)
        .map(({ id }): [string, Outcome] => [id, { kind: 'accepted', reason: null, atMs: 1 }]),
    );
    const run = startRun({ apns }, { outcomes: known });
    await run.push(audience);
    const result = run.finish();
    expect(apns.sent).toEqual([audience[3]?.id]);
    expect(result.outcomes.size).toBe(4);
    expect(result.fresh.size).toBe(1);
  });
});

describe('a retry', () => {
  test('is made in place after the time that the gateway names', async () => {
    const apns = openGateway('apns', (_recipient, call) =>
      call <= 5 ? { kind: 'retry', reason: 'ServiceUnavailable', afterMs: 20, scope: 'device' } : ACCEPTED,
    );
    const run = startRun({ apns });
    await run.push(devices(5));
    expect(run.finish().fresh.size).toBe(0);
    await run.retryWaiting();
    expect(kinds(run.finish().fresh)).toEqual(['accepted']);
    expect(run.finish().fresh.size).toBe(5);
  });

  test('that is far off hands the slice on, at that time', async () => {
    const now = new Date('2026-11-20T12:00:00.000Z');
    const apns = openGateway('apns', () => ({
      kind: 'retry',
      reason: '503',
      afterMs: 60_000,
      scope: 'device',
    }));
    const run = startRun({ apns }, { clock: () => now });
    await run.push(devices(1));
    await run.retryWaiting();
    const { goOnAt, fresh } = run.finish();
    expect(goOnAt).toEqual(new Date('2026-11-20T12:01:00.000Z'));
    expect(fresh.size).toBe(0);
  });

  test('beyond the time to live is given up as rejected, with the reason', async () => {
    const apns = openGateway('apns', () => ({
      kind: 'retry',
      reason: '503',
      afterMs: 3_601_000,
      scope: 'device',
    }));
    const run = startRun({ apns });
    await run.push(devices(1));
    const [outcome] = [...run.finish().fresh.values()];
    expect(outcome).toMatchObject({ kind: 'rejected', reason: '503' });
  });

  test('of the whole project holds back every further push through that gateway', async () => {
    const fcm = openGateway('fcm', () => ({
      kind: 'retry',
      reason: 'QUOTA_EXCEEDED',
      afterMs: 60_000,
      scope: 'project',
    }));
    const run = startRun({ fcm });
    await run.push(devices(500, 'Android'));
    // The first goes alone, since the gateway has not proven itself; none follows.
    expect(fcm.sent).toHaveLength(1);
    expect(run.finish().goOnAt).not.toBeNull();
  });
});

describe('refused credentials', () => {
  test('stop after one request when the gateway was never proven', async () => {
    const refusals: string[] = [];
    const apns = openGateway('apns', () => ({ kind: 'credentials_refused', reason: 'InvalidProviderToken' }));
    const run = startRun(
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
    expect(run.finish().goOnAt).not.toBeNull();
  });

  test('of one gateway reject its devices without a request, and the other goes on', async () => {
    const apns = openGateway('apns', () => ({ kind: 'credentials_refused', reason: 'InvalidProviderToken' }));
    const fcm = openGateway('fcm', () => ACCEPTED);
    const run = startRun({ apns, fcm }, { onRefused: async () => 'go_on' });
    await run.push([...devices(100), ...devices(100, 'Android')]);
    const outcomes = [...run.finish().fresh.values()];
    expect(apns.sent).toHaveLength(1);
    expect(outcomes.filter(({ kind }) => kind === 'accepted')).toHaveLength(100);
    expect(outcomes.filter(({ reason }) => reason === 'InvalidProviderToken')).toHaveLength(100);
  });
});

test('a stop lets the pushes in flight finish and begins no other', async () => {
  const stop = new AbortController();
  const apns = openGateway('apns', (_recipient, call) => {
    if (call === 300) stop.abort();
    return ACCEPTED;
  });
  apns.proven = true;
  const run = startRun({ apns }, { stop: stop.signal });
  await run.push(devices(1_000));
  const { fresh, goOnAt } = run.finish();
  expect(fresh.size).toBe(apns.sent.length);
  expect(fresh.size).toBeLessThan(1_000);
  expect(goOnAt).not.toBeNull();
});
