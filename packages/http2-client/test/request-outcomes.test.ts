/**
 * Compares the result of each request with what the peer has received, for every way that a stream, a session or the
 * pool can end. The peer is scripted frame by frame and counts on its own.
 */
import * as fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import type { PoolEvent } from '../src/pool-options.ts';
import {
  answerHead,
  frame,
  goaway,
  type HeardRequest,
  type RawConnection,
  type RawPeer,
  reset,
  settings,
  uint32,
} from './raw-peer.ts';
import { ask, askMany, usePools } from './pools.ts';
import { holdTime, kinds, waitUntil } from './waiting.ts';

const { events, rawPeerOf: peerOf, poolTo } = usePools({ repeatsIfAmbiguous: 1, checkIntervalMs: 5 });

/** How often each path has arrived completely. */
function wholeAt({ connections }: RawPeer): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { requests } of connections) {
    for (const { path, isWhole } of requests.values()) {
      if (isWhole) counts.set(path, (counts.get(path) ?? 0) + 1);
    }
  }
  return counts;
}

function wholeCount(peer: RawPeer): number {
  return [...wholeAt(peer).values()].reduce((sum, count) => sum + count, 0);
}

/** A client that has answered a PING has read everything before it. */
function hasHeardPing(connection: RawConnection | undefined, times = 1): boolean {
  return (connection?.heard.filter(({ type }) => type === 6).length ?? 0) >= times;
}

function sessionsEnded(): number {
  return events.filter(({ kind }) => kind === 'session_closed').length;
}

describe('a request that was written and not answered', () => {
  const SILENT_MS = 20_000;

  test('a request without an answer is sent once more, and is then ambiguous, with the default timeouts', async () => {
    holdTime();
    const peer = await peerOf({});
    const answers = askMany(poolTo(peer), 30);
    await waitUntil(() => wholeCount(peer) === 30);
    vi.advanceTimersByTime(SILENT_MS);
    await waitUntil(() => sessionsEnded() === 1);
    vi.advanceTimersByTime(1_000);
    await waitUntil(() => wholeCount(peer) === 60);
    vi.advanceTimersByTime(SILENT_MS);
    expect(await answers).toEqual(
      Array.from({ length: 30 }, () => ({ kind: 'ambiguous', reason: 'answer_timeout' })),
    );
    expect(wholeAt(peer)).toEqual(new Map(Array.from({ length: 30 }, (_, n) => [`/${n}`, 2])));
  });

  test('a request waits again for its repeat, and is ambiguous when that wait runs out', async () => {
    holdTime();
    const peer = await peerOf({});
    let hasEnded = false;
    let sweeps = 0;
    const pool = poolTo(peer, { reconnectAfterMs: 60_000, reconnectAfterMsMax: 60_000 });
    const answer = ask(pool, '/', () => (sweeps += 1) > 0);
    void answer.then(() => (hasEnded = true));
    await waitUntil(() => wholeCount(peer) === 1);
    vi.advanceTimersByTime(SILENT_MS - 1_000);
    peer.connections[0]?.socket.resetAndDestroy();
    await waitUntil(() => sessionsEnded() === 1);
    vi.advanceTimersByTime(14_000);
    const before = sweeps;
    await waitUntil(() => sweeps >= before + 2);
    expect(hasEnded).toBe(false);
    vi.advanceTimersByTime(1_000);
    expect(await answer).toEqual({ kind: 'ambiguous', reason: 'connection_failed', detail: 'ECONNRESET' });
    expect(wholeCount(peer)).toBe(1);
  });

  test.each(['close', 'withdraw', 'refuse'] as const)(
    'a written request is ambiguous when its repeat is prevented: %s',
    async (end) => {
      const peer = await peerOf({
        onRequest: ({ streamId }, connection) => {
          if (peer.connections[0] === connection) connection.socket.resetAndDestroy();
          else if (end === 'refuse') connection.say(reset(streamId, 7));
        },
      });
      // Unless it is to be refused, the repeat waits for a connection.
      const reconnectAfterMs = end === 'refuse' ? 1 : 60_000;
      const pool = poolTo(peer, { reconnectAfterMs, reconnectAfterMsMax: reconnectAfterMs });
      let isWanted = true;
      const answer = ask(pool, '/', () => isWanted);
      await waitUntil(() => sessionsEnded() === 1);
      if (end === 'close') await pool.close();
      if (end === 'withdraw') isWanted = false;
      expect(await answer).toMatchObject({ kind: 'ambiguous' });
    },
  );
});

describe('an answer that was cut off', () => {
  test.each([
    ['a 200, which says that it was accepted', 200, 'answered'],
    ['a refusal without its body', 400, 'ambiguous'],
    ['a 410 without its body', 410, 'ambiguous'],
  ] as const)('the status alone decides what a broken answer means: %s', async (_name, status, kind) => {
    const peer = await peerOf({
      onRequest: ({ streamId }, { say }) => say(answerHead(streamId, status, false), reset(streamId, 2)),
    });
    expect(await ask(poolTo(peer), '/')).toMatchObject({ kind });
    expect(wholeCount(peer)).toBe(kind === 'ambiguous' ? 2 : 1);
  });

  test.each([
    ['silence', () => undefined],
    ['the end of the connection', ({ socket }: RawConnection) => socket.end()],
  ])(
    'an answer that is cut off by %s is asked for again, and the complete answer counts',
    async (_name, cut) => {
      let asked = 0;
      const peer = await peerOf({
        onRequest: ({ streamId }, connection) => {
          asked += 1;
          connection.say(answerHead(streamId, 400, false));
          if (asked === 1) cut(connection);
          else connection.say(frame(0, 1, streamId, '{"reason":"BadTopic"}'));
        },
      });
      const answer = ask(poolTo(peer, { requestTimeoutMs: 1_000, reconnectAfterMs: 1 }), '/');
      expect(await answer).toMatchObject({ kind: 'answered', status: 400, body: '{"reason":"BadTopic"}' });
    },
  );
});

describe('while the process stands still for longer than its timeouts', () => {
  const STANDS_STILL_MS = 1_500;
  const limits = {
    requestTimeoutMs: 1_000,
    waitTimeoutMs: 1_000,
    checkIntervalMs: 20,
    repeatsIfAmbiguous: 0,
  };

  /** Answers the first request at once, then blocks the event loop before the client can read the answer. */
  function answersAndBlocks({ streamId }: HeardRequest, { say }: RawConnection): void {
    say(answerHead(streamId, 200));
    if (streamId === 1) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, STANDS_STILL_MS);
  }

  test('an answer that arrives while the process stands still counts', async () => {
    const peer = await peerOf({ onRequest: answersAndBlocks });
    expect(await ask(poolTo(peer, limits), '/')).toMatchObject({ kind: 'answered', status: 200 });
  });

  test('a request that waits for a stream is still sent after the process stood still', async () => {
    const peer = await peerOf({ greeting: settings([3, 1]), onRequest: answersAndBlocks });
    const answers = await askMany(poolTo(peer, { ...limits, sessionsMax: 1 }), 2);
    expect(answers).toMatchObject([{ kind: 'answered' }, { kind: 'answered' }]);
  });
});

describe('a request whose end the windows hold back', () => {
  test.each([
    ['a time-out', () => undefined],
    ['RST_STREAM', ({ say }: RawConnection) => say(reset(1, 2))],
    ['the end of the connection', ({ socket }: RawConnection) => socket.resetAndDestroy()],
  ])('a request whose end the windows hold back is never_sent after %s', async (_name, end) => {
    const peer = await peerOf({ greeting: settings([4, 3]) });
    const answer = ask(poolTo(peer, { attemptsMax: 1, requestTimeoutMs: 50 }), '/');
    await waitUntil(() => peer.connections[0]?.requests.size === 1);
    if (peer.connections[0] !== undefined) end(peer.connections[0]);
    expect(await answer).toMatchObject({ kind: 'never_sent' });
    expect(wholeCount(peer)).toBe(0);
  });

  test('a request whose end the windows hold back does not block others on its connection', async () => {
    const peer = await peerOf({
      greeting: settings([4, 3]),
      onRequest: ({ streamId }, { say }) => say(answerHead(streamId, 200)),
    });
    const pool = poolTo(peer, { sessionsMax: 1 });
    const held = ask(pool, '/held');
    await waitUntil(() => peer.connections[0]?.requests.size === 1);
    const connection = peer.connections[0];
    const others = askMany(pool, 3);
    await waitUntil(() => connection?.requests.size === 4);
    for (const streamId of [3, 5, 7]) connection?.say(frame(8, 0, streamId, Buffer.from([0, 0, 0, 9])));
    expect(kinds(await others)).toEqual({ answered: 3 });
    connection?.say(frame(8, 0, 1, Buffer.from([0, 0, 0, 9])));
    expect(await held).toMatchObject({ kind: 'answered' });
  });
});

describe('a GOAWAY with an error code', () => {
  test('a GOAWAY with an error code leaves answers a second to arrive', async () => {
    const peer = await peerOf({
      onRequest: ({ streamId }, { say }) => {
        if (streamId === 7) say(goaway(7, 11), frame(6, 0, 0, '12345678'));
      },
    });
    const answers = askMany(poolTo(peer), 4);
    await waitUntil(() => hasHeardPing(peer.connections[0]));
    peer.connections[0]?.say(...[1, 3, 5, 7].map((id) => answerHead(id, 200)));
    expect(kinds(await answers)).toEqual({ answered: 4 });
    expect(wholeCount(peer)).toBe(4);
  });

  test('a GOAWAY with an error code leaves answers a second also long after a GOAWAY without an error', async () => {
    holdTime();
    const peer = await peerOf({
      onRequest: (_request, { say }) => say(goaway(1, 0), frame(6, 0, 0, '12345678')),
    });
    const answer = ask(poolTo(peer), '/');
    await waitUntil(() => hasHeardPing(peer.connections[0]));
    vi.advanceTimersByTime(9_000);
    peer.connections[0]?.say(goaway(1, 11), frame(6, 0, 0, '87654321'));
    await waitUntil(() => hasHeardPing(peer.connections[0], 2));
    peer.connections[0]?.say(answerHead(1, 200));
    expect(await answer).toMatchObject({ kind: 'answered' });
    expect(wholeCount(peer)).toBe(1);
  });

  test('a connection that stays silent after an error GOAWAY ends, and its requests are sent once more', async () => {
    holdTime();
    const peer = await peerOf({
      onRequest: ({ streamId }, connection) => {
        if (connection !== peer.connections[0]) connection.say(answerHead(streamId, 200));
        else if (streamId === 3) connection.say(goaway(3, 2));
      },
    });
    const answers = askMany(poolTo(peer), 2);
    await waitUntil(() => peer.connections.length === 2 || wholeCount(peer) === 2);
    await waitUntil(() => {
      vi.advanceTimersByTime(1);
      return peer.connections.length === 2;
    });
    expect(kinds(await answers)).toEqual({ answered: 2 });
    expect(events).toContainEqual({
      kind: 'session_closed',
      failure: { reason: 'goaway', detail: 'INTERNAL_ERROR' },
      wasOpen: true,
    });
  });
});

test.each([
  ['it is kept', '{"reason":"Shutdown"}', 'ENHANCE_YOUR_CALM, {"reason":"Shutdown"}'],
  ['it is cut at 200 bytes', 'x'.repeat(10_000), `ENHANCE_YOUR_CALM, ${'x'.repeat(200)}`],
  ['it is left out if it is not printable', 'a\nb', 'ENHANCE_YOUR_CALM'],
])('the session_closed event has the debug data of a GOAWAY: %s', async (_name, words, detail) => {
  const peer = await peerOf({
    onRequest: ({ streamId }, { say }) => {
      say(answerHead(streamId, 200), frame(7, 0, 0, Buffer.concat([uint32(1, 11), Buffer.from(words)])));
    },
  });
  await ask(poolTo(peer), '/');
  await waitUntil(() => sessionsEnded() === 1);
  const failure = { reason: 'goaway', detail };
  expect(events).toContainEqual({ kind: 'session_closed', failure, wasOpen: true });
});

test('a PING answered with other data counts as unanswered', async () => {
  const peer = await peerOf({
    answersPings: ({ say }) => {
      say(frame(6, 1, 0, 'carillon'));
      return false;
    },
  });
  const pool = poolTo(peer, { repeatsIfAmbiguous: 0, pingAfterBusyMs: 10, pingTimeoutMs: 20 });
  expect(await ask(pool, '/')).toEqual({ kind: 'ambiguous', reason: 'ping_timeout' });
});

const ENDS = [
  'answer',
  'answer',
  'answer_twice_over',
  'refuse',
  'reset',
  'cut_200',
  'cut_400',
  'goaway_before',
  'goaway_after',
  'goaway_error',
  'goaway_error_silent',
  'half_close',
  'tcp_reset',
  'swallow',
  'mute',
  'malformed',
  'break_the_rules',
] as const;

test('the result of every request agrees with what the peer received, whatever ends a stream, a session or the pool', async () => {
  let script: readonly (typeof ENDS)[number][] = [];
  let resetCode = 0;
  let turn = 0;
  let greeted = 0;
  /** Every n-th connection grants no window, so that no request arrives completely; 0 for none. */
  let windowlessEvery = 0;
  const lastIds = new WeakMap<RawConnection, number>();
  const mute = new WeakSet<RawConnection>();
  /** How often each path has arrived completely and was not refused. */
  let taken = new Map<string, number>();

  const peer = await peerOf({
    greeting: () => {
      greeted += 1;
      return windowlessEvery > 0 && greeted % windowlessEvery === 0 ? settings([4, 2]) : settings();
    },
    answersPings: (connection) => !mute.has(connection),
    onRequest: ({ path, streamId }, connection) => {
      const { say, socket } = connection;
      if (streamId > (lastIds.get(connection) ?? Infinity)) return; // refused by the GOAWAY
      const end = script[turn % script.length] ?? 'answer';
      turn += 1;
      if (end === 'refuse') return say(reset(streamId, 7));
      if (end === 'goaway_before') {
        lastIds.set(connection, Math.max(streamId - 2, 0));
        return say(goaway(Math.max(streamId - 2, 0), 0));
      }
      taken.set(path, (taken.get(path) ?? 0) + 1);
      if (mute.has(connection)) return undefined;
      switch (end) {
        case 'answer':
          return say(answerHead(streamId, 200));
        case 'answer_twice_over':
          return say(answerHead(streamId, 400, false), frame(0, 1, streamId, '{}'), reset(streamId, 0));
        case 'reset':
          return say(reset(streamId, resetCode));
        case 'cut_200':
          return say(answerHead(streamId, 200, false), reset(streamId, 8));
        case 'cut_400':
          return say(answerHead(streamId, 400, false), reset(streamId, 7));
        case 'goaway_after':
          lastIds.set(connection, streamId);
          return say(goaway(streamId, 0), answerHead(streamId, 200));
        case 'goaway_error':
          lastIds.set(connection, streamId);
          return say(goaway(streamId, 2), answerHead(streamId, 200));
        case 'goaway_error_silent':
          lastIds.set(connection, streamId);
          return say(goaway(streamId, 11));
        case 'half_close':
          return void socket.end();
        case 'tcp_reset':
          return void socket.resetAndDestroy();
        case 'mute':
          mute.add(connection);
          return undefined;
        case 'swallow':
          return undefined;
        case 'malformed':
          return say(answerHead(streamId, '2e2'));
        case 'break_the_rules':
          return say(frame(6, 0, streamId, '12345678'));
      }
    },
  });

  await fc.assert(
    fc.asyncProperty(
      fc.record({
        ends: fc.array(fc.constantFrom(...ENDS), { minLength: 1, maxLength: 30 }),
        code: fc.constantFrom(0, 1, 2, 3, 5, 6, 8, 9, 11, 13, 99),
        streamsMax: fc.integer({ min: 1, max: 20 }),
        repeats: fc.integer({ min: 0, max: 1 }),
        everyWindowless: fc.constantFrom(0, 0, 2, 3),
        closesAfter: fc.option(fc.integer({ min: 0, max: 25 })),
        withdrawsAfter: fc.option(fc.integer({ min: 0, max: 25 })),
      }),
      async ({ ends, code, streamsMax, repeats, everyWindowless, closesAfter, withdrawsAfter }) => {
        script = ends;
        resetCode = code;
        windowlessEvery = everyWindowless;
        turn = 0;
        taken = new Map();
        events.length = 0;
        const pool = poolTo(peer, {
          streamsMax,
          repeatsIfAmbiguous: repeats,
          attemptsMax: 3,
          requestTimeoutMs: 40,
          pingAfterBusyMs: 10,
          pingTimeoutMs: 15,
          waitTimeoutMs: 200,
          drainAfterErrorMs: 10,
          reconnectAfterMs: 1,
          reconnectAfterMsMax: 5,
          closeTimeoutMs: 20,
          checkIntervalMs: 2,
        });
        let ended = 0;
        const isWanted = (): boolean => ended < (withdrawsAfter ?? Infinity);
        const answers = await Promise.all(
          Array.from({ length: 30 }, async (_, n) => {
            const answer = await ask(pool, `/${n}`, n % 2 === 0 ? undefined : isWanted);
            ended += 1;
            if (ended === closesAfter) void pool.close();
            return answer;
          }),
        );
        await pool.close();
        await waitUntil(() => peer.connections.every(({ socket }) => socket.destroyed));
        for (const [n, answer] of answers.entries()) {
          const count = taken.get(`/${n}`) ?? 0;
          expect(count).toBeLessThanOrEqual(1 + repeats);
          if (answer.kind === 'never_sent') expect(count).toBe(0);
          if (answer.kind === 'answered') expect(count).toBeGreaterThanOrEqual(1);
        }
        const count = (kind: PoolEvent['kind']): number =>
          events.filter((event) => event.kind === kind).length;
        expect(count('request_ended')).toBe(count('request_sent'));
        expect(count('session_closed')).toBeGreaterThanOrEqual(count('session_opened'));
      },
    ),
    { numRuns: 40 },
  );
}, 60_000);
