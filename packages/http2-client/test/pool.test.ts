import { constants, type Http2Session, type ServerHttp2Stream } from 'node:http2';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Answer } from '../src/answer.ts';
import type { Reserved } from '../src/pool-options.ts';
import { bodyOf, makeCertificate, type Peer, respond } from './peer.ts';
import { ask, askMany, HEADERS, usePools } from './pools.ts';
import { holdTime, kinds, PATIENCE, waitUntil } from './waiting.ts';

/** Answers that the caller has not saved. */
class Reservation implements Reserved {
  count = 0;
  readonly #listeners = new Set<() => void>();

  add(count: number): void {
    this.count += count;
  }

  remove(count: number): void {
    this.count -= count;
    for (const listener of this.#listeners) listener();
  }

  onRemoved(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

const {
  events,
  listenTls,
  peerOf: peer,
  poolTo,
} = usePools({ checkIntervalMs: 10, reconnectAfterMs: 20, closeTimeoutMs: 100 });

/** A peer that answers `/warm`, and leaves all other requests to the test. */
async function holdingPeer(): Promise<Peer & { held: ServerHttp2Stream[] }> {
  const held: ServerHttp2Stream[] = [];
  const opened = await peer((stream, headers) => {
    if (headers[':path'] === '/warm') respond(stream);
    else held.push(stream);
  });
  return { ...opened, held };
}

/** Answers the held requests, and those held later. */
function release(held: ServerHttp2Stream[]): void {
  const releasing = setInterval(() => {
    for (const stream of held.splice(0)) respond(stream);
  }, 5);
  onTestFinished(() => clearInterval(releasing));
}

describe('whenReady', () => {
  test('whenReady makes a caller wait while hundreds of requests wait, and resolves when few do', async () => {
    let isOpen = false;
    const held: ServerHttp2Stream[] = [];
    const { origin } = await peer((stream) => {
      if (isOpen) respond(stream, 200);
      else held.push(stream);
    });
    const pool = poolTo({ origin }, { sessionsMax: 1 });
    expect(pool.whenReady()).toBeUndefined();
    let asked = 0;
    const answers: Promise<Answer>[] = [];
    for (; pool.whenReady() === undefined; asked++) answers.push(ask(pool, `/${asked}`));
    expect(asked).toBeLessThan(1_000);

    const resolved = pool.whenReady();
    await vi.waitFor(() => expect(held.length).toBeGreaterThan(0), PATIENCE);
    isOpen = true;
    for (const stream of held) respond(stream, 200);
    await resolved;
    expect(pool.whenReady()).toBeUndefined();
    expect(kinds(await Promise.all(answers))).toEqual({ answered: asked });
  });

  test('whenReady resolves when the pool is closed', async () => {
    const origin = await listenTls(() => undefined);
    const pool = poolTo({ origin });
    const answers = askMany(pool, 600);
    const resolved = pool.whenReady();
    expect(resolved).toBeDefined();
    await pool.close();
    await resolved;
    expect(pool.whenReady()).toBeUndefined();
    expect(kinds(await answers)).toEqual({ never_sent: 600 });
  });
});

describe('whenSent', () => {
  test('whenSent resolves once the earlier requests have left, before later ones leave and before answers come', async () => {
    const { origin, held } = await holdingPeer();
    const pool = poolTo({ origin }, { streamsMax: 10, sessionsMax: 1 });
    await pool.whenSent();
    await ask(pool, '/warm');
    const first = askMany(pool, 10);
    await pool.whenSent();
    const second = askMany(pool, 5);
    let haveLeft = false;
    const resolved = pool.whenSent().then(() => (haveLeft = true));
    const third = askMany(pool, 10);
    await vi.waitFor(() => expect(held).toHaveLength(10), PATIENCE);
    for (const stream of held.splice(0, 4)) respond(stream);
    await vi.waitFor(() => expect(held).toHaveLength(10), PATIENCE);
    expect(haveLeft).toBe(false);
    for (const stream of held.splice(0, 1)) respond(stream);
    await resolved;
    release(held);
    expect(kinds((await Promise.all([first, second, third])).flat())).toEqual({ answered: 25 });
  });

  test('whenSent resolves when its requests are withdrawn, or the pool is closed', async () => {
    const origin = await listenTls(() => undefined);
    const pool = poolTo({ origin });
    let isWanted = true;
    const withdrawn = ask(pool, '/', () => isWanted);
    const resolved = pool.whenSent();
    isWanted = false;
    await resolved;
    expect(await withdrawn).toMatchObject({ kind: 'never_sent' });

    // Between two attempts to connect there is no session whose end could resolve it.
    const unreached = poolTo({ origin: 'https://localhost:1' }, { reconnectAfterMs: 60_000 });
    const left = ask(unreached, '/');
    await vi.waitFor(() => expect(events.map(({ kind }) => kind)).toContain('session_closed'), PATIENCE);
    const resolvedToo = unreached.whenSent();
    await unreached.close();
    await resolvedToo;
    expect(await left).toMatchObject({ kind: 'never_sent' });
    await unreached.whenSent();
  });
});

describe('an answer', () => {
  test('an answer has status, headers and body, and the peer received the whole request body', async () => {
    const { origin } = await peer(async (stream) => {
      const received = await bodyOf(stream);
      respond(stream, 418, `got ${received}`, { 'retry-after': '7' });
    });
    const answer = await poolTo({ origin }).request({
      path: '/tea',
      headers: HEADERS,
      ownHeaders: [],
      body: 'ünïcode',
    });
    expect(answer).toMatchObject({ kind: 'answered', status: 418, body: 'got ünïcode' });
    expect(answer.kind === 'answered' && answer.headers['retry-after']).toBe('7');
  });

  test('an answer has its body cut when that is too long', async () => {
    const { origin } = await peer((stream) => respond(stream, 502, 'x'.repeat(300_000)));
    const answer = await ask(poolTo({ origin }), '/');
    expect(answer.kind === 'answered' && answer.body.length).toBeLessThan(200_000);
  });
});

describe('limits', () => {
  test('no request leaves while many answers are unsaved', async () => {
    const seen: string[] = [];
    const { origin } = await peer((stream, headers) => {
      seen.push(String(headers[':path']));
      respond(stream);
    });
    const reserved = new Reservation();
    const pool = poolTo({ origin }, { reserved });
    await ask(pool, '/first');
    reserved.add(1_000);
    const answers = askMany(pool, 10);
    expect(await ask(poolTo({ origin }), '/other')).toMatchObject({ kind: 'answered' });
    expect(seen).toEqual(['/first', '/other']);
    reserved.remove(900);
    expect(kinds(await answers)).toEqual({ answered: 10 });
  });

  test('the time in which answers are not saved is no wait for the gateway', async () => {
    const { origin } = await peer((stream) => respond(stream));
    const gone = await peer(() => undefined);
    await gone.close();
    const reserved = new Reservation();
    const pool = poolTo({ origin }, { reserved, waitTimeoutMs: 50 });
    const toGone = poolTo(gone, { reserved, waitTimeoutMs: 150 });
    await ask(pool, '/first');
    reserved.add(1_000);
    const answer = ask(pool, '/second');
    // Begins later, may wait longer, and could not be sent anyway.
    expect(await ask(toGone, '/other')).toMatchObject({ kind: 'never_sent' });
    reserved.remove(1_000);
    expect(await answer).toMatchObject({ kind: 'answered' });
  });

  test('a withdrawn request does not wait for answers to be saved', async () => {
    const { origin } = await peer((stream) => respond(stream));
    const reserved = new Reservation();
    const pool = poolTo({ origin }, { reserved });
    await ask(pool, '/first');
    reserved.add(1_000);
    let isWanted = true;
    const withdrawn = ask(pool, '/withdrawn', () => isWanted);
    const wanted = ask(pool, '/wanted');
    isWanted = false;
    expect(await withdrawn).toEqual({ kind: 'never_sent', reason: 'not_wanted' });
    reserved.remove(1_000);
    expect(await wanted).toMatchObject({ kind: 'answered' });
  });

  test('a request takes the slot of an answered one only in a scheduled task', async () => {
    const seen: string[] = [];
    const { origin } = await peer((stream, headers) => {
      seen.push(String(headers[':path']));
      respond(stream);
    });
    const tasks: (() => void)[] = [];
    const pool = poolTo({ origin }, { streamsMax: 1, sessionsMax: 1, schedule: (task) => tasks.push(task) });
    const answers = [ask(pool, '/first'), ask(pool, '/second')];
    const runUntil = async (holds: () => boolean): Promise<void> => {
      await waitUntil(() => {
        for (const task of tasks.splice(0)) task();
        return holds();
      });
    };
    await runUntil(() => seen.length === 1);
    await answers[0];
    await waitUntil(() => tasks.length > 0);
    expect(seen).toEqual(['/first']);
    await runUntil(() => seen.length === 2);
    await answers[1];
  });

  test('a request that is withdrawn before its turn is not sent', async () => {
    const seen: string[] = [];
    let first: ServerHttp2Stream | undefined;
    const { origin } = await peer((stream, headers) => {
      seen.push(String(headers[':path']));
      if (headers[':path'] === '/first') first = stream;
      else respond(stream);
    });
    const pool = poolTo({ origin }, { streamsMax: 1, sessionsMax: 1 });
    const answered = ask(pool, '/first');
    await vi.waitFor(() => expect(first).toBeDefined(), PATIENCE);
    let isWanted = true;
    const withdrawn = ask(pool, '/second', () => isWanted);
    const third = ask(pool, '/third');
    isWanted = false;
    if (first !== undefined) respond(first);
    expect(await withdrawn).toEqual({ kind: 'never_sent', reason: 'not_wanted' });
    expect(kinds([await answered, await third])).toEqual({ answered: 2 });
    expect(seen).toEqual(['/first', '/third']);
  });

  test('a peer that allows one stream until a request has succeeded sees one, then a full window', async () => {
    let inFlight = 0;
    let mostBefore = 0;
    let mostAfter = 0;
    let succeeded = false;
    const { origin, opened } = await peer(
      (stream, _headers, session) => {
        inFlight += 1;
        if (succeeded) mostAfter = Math.max(mostAfter, inFlight);
        else mostBefore = Math.max(mostBefore, inFlight);
        setImmediate(() => {
          inFlight -= 1;
          if (!succeeded) session.settings({ maxConcurrentStreams: 1000 });
          succeeded = true;
          respond(stream);
        });
      },
      { settings: { maxConcurrentStreams: 1 } },
    );
    const answers = await askMany(poolTo({ origin }, { streamsMax: 50, growAfterMs: 60_000 }), 500);
    expect(kinds(answers)).toEqual({ answered: 500 });
    expect(mostBefore).toBe(1);
    expect(mostAfter).toBeGreaterThan(1);
    expect(mostAfter).toBeLessThanOrEqual(50);
    expect(opened()).toBe(1);
  });

  test('more sessions are opened only for a lasting backlog, and never more than the maximum', async () => {
    holdTime();
    const { origin, opened, held } = await holdingPeer();
    const pool = poolTo({ origin }, { streamsMax: 10, sessionsMax: 3, growAfterMs: 100 });
    await ask(pool, '/warm');
    const within = Array.from({ length: 10 }, (_, n) => ask(pool, `/${n}`));
    await vi.waitFor(() => expect(held).toHaveLength(10), PATIENCE);
    expect(opened()).toBe(1);

    const beyond = Array.from({ length: 40 }, () => ask(pool, '/warm'));
    vi.advanceTimersByTime(100);
    expect(kinds(await Promise.all(beyond))).toEqual({ answered: 40 });
    expect(opened()).toBe(2);

    const more = Array.from({ length: 40 }, (_, n) => ask(pool, `/more-${n}`));
    vi.advanceTimersByTime(100);
    await vi.waitFor(() => expect(held).toHaveLength(30), PATIENCE);
    expect(opened()).toBe(3);
    release(held);
    expect(kinds(await Promise.all([...within, ...more]))).toEqual({ answered: 50 });
    expect(opened()).toBe(3);
  });

  test('another session is opened when all stay full, however short each request waits', async () => {
    holdTime();
    const { origin, opened, held } = await holdingPeer();
    const pool = poolTo({ origin }, { streamsMax: 10, sessionsMax: 2, growAfterMs: 100 });
    await ask(pool, '/warm');
    const answers = [askMany(pool, 30)];
    for (let step = 0; step < 3; step++) {
      await waitUntil(() => held.length === 10);
      expect(opened()).toBe(1);
      vi.advanceTimersByTime(40);
      const oldest = held.splice(0);
      answers.push(askMany(pool, 10));
      for (const stream of oldest) respond(stream);
    }
    await waitUntil(() => opened() === 2);
    release(held);
    expect(kinds((await Promise.all(answers)).flat())).toEqual({ answered: 60 });
  });

  test('sessions double while the window allows more than they carry, up to the maximum', async () => {
    holdTime();
    const { origin, opened, held } = await holdingPeer();
    const pool = poolTo({ origin }, { streamsMax: 2, sessionsMax: 6, growAfterMs: 100 });
    await ask(pool, '/warm');
    // A session counts once it has answered, so some of the waiting requests are answered at once.
    const answers = Array.from({ length: 40 }, (_, n) => ask(pool, n % 3 === 2 ? '/warm' : `/${n}`));
    const counts: number[] = [];
    for (const usable of [1, 2, 4, 6]) {
      await waitUntil(() => held.length === usable * 2);
      counts.push(opened());
      vi.advanceTimersByTime(100);
    }
    expect(counts).toEqual([1, 2, 4, 6]);
    release(held);
    await Promise.all(answers);
    expect(opened()).toBe(6);
  });
});

describe('requests that the peer refuses unprocessed', () => {
  test('requests are neither lost nor repeated with a GOAWAY after every 50 requests', async () => {
    const processed = new Map<string, number>();
    const seen = new WeakMap<Http2Session, number>();
    const { origin, opened } = await peer((stream, headers, session) => {
      const count = (seen.get(session) ?? 0) + 1;
      seen.set(session, count);
      if (count > 50) return; // above the last stream id: not processed
      const path = String(headers[':path']);
      processed.set(path, (processed.get(path) ?? 0) + 1);
      respond(stream);
      if (count === 50) session.goaway(constants.NGHTTP2_NO_ERROR, stream.id);
    });
    const answers = await askMany(poolTo({ origin }), 1000);
    expect(kinds(answers)).toEqual({ answered: 1000 });
    expect(processed.size).toBe(1000);
    expect(Math.max(...processed.values())).toBe(1);
    expect(opened()).toBeGreaterThanOrEqual(20);
  });

  test('requests are sent again at once after REFUSED_STREAM', async () => {
    const tries = new Map<string, number>();
    const { origin } = await peer((stream, headers) => {
      const path = String(headers[':path']);
      const count = (tries.get(path) ?? 0) + 1;
      tries.set(path, count);
      if (count <= 2 && Number(path.slice(1)) % 3 === 0) stream.close(constants.NGHTTP2_REFUSED_STREAM);
      else respond(stream);
    });
    expect(kinds(await askMany(poolTo({ origin }), 300))).toEqual({ answered: 300 });
    expect(tries.get('/0')).toBe(3);
    expect(tries.get('/1')).toBe(1);
  });

  test('a GOAWAY with an error code leaves requests up to its last stream ambiguous, and repeats later requests', async () => {
    const processed: string[] = [];
    let isFirst = true;
    const { origin } = await peer((stream, headers, session) => {
      const path = String(headers[':path']);
      processed.push(path);
      if (!isFirst) {
        respond(stream);
      } else if (path === '/1') {
        isFirst = false;
        // As code the one that, on a single stream, would mean "not processed".
        session.goaway(constants.NGHTTP2_REFUSED_STREAM, stream.id);
      }
    });
    const answers = await askMany(poolTo({ origin }, { drainAfterErrorMs: 20 }), 4);
    expect(answers.map(({ kind }) => kind)).toEqual(['ambiguous', 'ambiguous', 'answered', 'answered']);
    expect(processed.filter((path) => path === '/0' || path === '/1')).toEqual(['/0', '/1']);
  });

  test('the open streams of a draining session finish while another session takes over', async () => {
    let draining: ServerHttp2Stream | undefined;
    const { origin, opened } = await peer((stream, headers, session) => {
      if (headers[':path'] === '/slow') {
        draining = stream;
        session.goaway(constants.NGHTTP2_NO_ERROR, stream.id);
      } else {
        respond(stream);
      }
    });
    const pool = poolTo({ origin });
    const slow = ask(pool, '/slow');
    await vi.waitFor(() => expect(draining).toBeDefined(), PATIENCE);
    expect(await ask(pool, '/next')).toMatchObject({ kind: 'answered' });
    expect(opened()).toBe(2);
    if (draining !== undefined) respond(draining, 400, 'at last');
    expect(await slow).toMatchObject({ kind: 'answered', body: 'at last' });
  });
});

describe('requests that may have been processed', () => {
  test('requests are ambiguous when the connection is lost, and waiting requests go to the next session', async () => {
    let count = 0;
    const { origin, opened } = await peer((stream, _headers, session) => {
      count += 1;
      if (count < 10) return;
      if (count === 10) session.destroy();
      else respond(stream);
    });
    const answers = await askMany(poolTo({ origin }, { streamsMax: 10, sessionsMax: 1 }), 25);
    expect(kinds(answers)).toEqual({ ambiguous: 10, answered: 15 });
    expect(opened()).toBe(2);
  });

  test('requests without an answer time out, and their streams are reset', async () => {
    const closed: number[] = [];
    let arrived = false;
    const { origin } = await peer((stream, headers) => {
      if (headers[':path'] !== '/never') return respond(stream);
      arrived = true;
      stream.on('close', () => closed.push(stream.rstCode));
    });
    holdTime();
    const pool = poolTo({ origin }, { requestTimeoutMs: 50 });
    const never = ask(pool, '/never');
    await waitUntil(() => arrived);
    vi.advanceTimersByTime(50);
    expect(await never).toEqual({ kind: 'ambiguous', reason: 'answer_timeout' });
    await vi.waitFor(() => expect(closed).toEqual([constants.NGHTTP2_CANCEL]), PATIENCE);
    expect(await ask(pool, '/next')).toMatchObject({ kind: 'answered' });
  });

  test('requests time out sooner on a session that has answered nothing yet', async () => {
    const silent = new Set<Http2Session>();
    const { origin } = await peer((stream, _headers, session) => {
      if (silent.size < 2) silent.add(session);
      else respond(stream);
    });
    holdTime();
    const pool = poolTo({ origin }, { firstAnswerTimeoutMs: 50, repeatsIfAmbiguous: 2 });
    const answer = ask(pool, '/');
    for (const session of [1, 2]) {
      await waitUntil(() => silent.size === session);
      vi.advanceTimersByTime(50);
      await waitUntil(() => events.filter(({ kind }) => kind === 'session_closed').length === session);
      vi.advanceTimersByTime(1_000); // the wait before another session
    }
    expect(await answer).toMatchObject({ kind: 'answered' });
  });

  test('requests time out sooner if later requests are answered, and their session goes on', async () => {
    const { origin, opened } = await peer((stream, headers) => {
      if (!String(headers[':path']).endsWith('7')) respond(stream);
    });
    const pool = poolTo({ origin }, { overtakenTimeoutMs: 30, streamsMax: 4, sessionsMax: 1 });
    const asked = askMany(pool, 100);
    // Keeps the session busy until the last of them is overtaken too.
    const over = new AbortController();
    void asked.then(() => over.abort());
    while (!over.signal.aborted) await ask(pool, '/later');
    const answers = await asked;
    expect(kinds(answers)).toEqual({ answered: 90, ambiguous: 10 });
    expect(answers[7]).toEqual({ kind: 'ambiguous', reason: 'answer_timeout' });
    expect(opened()).toBe(1);
  });

  test('requests are sent to another session when theirs answers only PINGs', async () => {
    const stalled = new Set<Http2Session>();
    const { origin, opened } = await peer((stream, headers, session) => {
      if (headers[':path'] === '/first') respond(stream);
      else if (stalled.size === 0 || stalled.has(session)) stalled.add(session);
      else respond(stream);
    });
    const limits = { requestTimeoutMs: 2_000, pingAfterBusyMs: 20, repeatsIfAmbiguous: 1, streamsMax: 10 };
    const pool = poolTo({ origin }, limits);
    expect(await ask(pool, '/first')).toMatchObject({ kind: 'answered' });
    expect(kinds(await askMany(pool, 50))).toEqual({ answered: 50 });
    expect(opened()).toBeGreaterThanOrEqual(2);
    expect(stalled.size).toBe(1);
  });

  test('requests are ambiguous when a PING is unanswered, and the session is replaced', async () => {
    let connections = 0;
    // Sends SETTINGS, and nothing afterwards.
    const origin = await listenTls((socket) => {
      connections += 1;
      socket.write(Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]));
    });
    const pool = poolTo({ origin }, { pingAfterBusyMs: 20, pingTimeoutMs: 20 });
    expect(await ask(pool, '/1')).toEqual({ kind: 'ambiguous', reason: 'ping_timeout' });
    expect(await ask(pool, '/2')).toEqual({ kind: 'ambiguous', reason: 'ping_timeout' });
    expect(connections).toBe(2);
  });

  test('a slow peer that answers PINGs still answers its requests', async () => {
    let pings = 0;
    const { origin, opened } = await peer((stream, _headers, session) => {
      session.on('ping', () => {
        pings += 1;
        if (pings === 3) respond(stream);
      });
    });
    const pool = poolTo({ origin }, { pingAfterBusyMs: 10, pingTimeoutMs: 5_000 });
    expect(await ask(pool, '/')).toMatchObject({ kind: 'answered' });
    expect(opened()).toBe(1);
  });
});

describe('a peer that cannot be reached', () => {
  test('requests to a peer that cannot be reached are never_sent in bounded time, with few attempts to connect', async () => {
    const gone = await peer(() => undefined);
    await gone.close();
    const pool = poolTo(gone, { waitTimeoutMs: 2_000, reconnectAfterMs: 50 });
    const answers = await askMany(pool, 20);
    expect(kinds(answers)).toEqual({ never_sent: 20 });
    expect(answers[0]).toMatchObject({ reason: 'connection_failed', detail: 'ECONNREFUSED' });
    const attempts = events.filter(({ kind }) => kind === 'session_closed').length;
    expect(attempts).toBeGreaterThan(1);
    expect(attempts).toBeLessThanOrEqual(8); // 25 + 50 + 100 + … + 800 ms is the quickest that backoff allows
  });

  test('a peer that can be reached again gets the waiting requests', async () => {
    const gone = await peer(() => undefined);
    await gone.close();
    const answer = ask(poolTo(gone), '/');
    await vi.waitFor(() => expect(events.some(({ kind }) => kind === 'session_closed')).toBe(true), PATIENCE);
    await peer((stream) => respond(stream), { port: Number(new URL(gone.origin).port) });
    expect(await answer).toMatchObject({ kind: 'answered', status: 200 });
  });

  test('a peer with a certificate that is not trusted gets no request', async () => {
    const { origin } = await peer((stream) => respond(stream));
    const other = await makeCertificate();
    const pool = poolTo({ origin });
    const distrustful = poolTo({ origin }, { ca: other.cert, waitTimeoutMs: 50 });
    expect(await ask(distrustful, '/')).toMatchObject({ kind: 'never_sent' });
    expect(await ask(pool, '/')).toMatchObject({ kind: 'answered' });
  });

  test('the pool reconnects after growing delays while sessions end without an answer', async () => {
    let connections = 0;
    const origin = await listenTls((socket) => {
      connections += 1;
      socket.end();
    });
    const pool = poolTo({ origin }, { reconnectAfterMs: 50, waitTimeoutMs: 1_500 });
    expect(await ask(pool, '/')).toMatchObject({ kind: 'never_sent' });
    expect(connections).toBeGreaterThan(1);
    // With the first delay alone there would be thirty.
    expect(connections).toBeLessThanOrEqual(9);
  });
});

describe('close', () => {
  test('close lets requests in flight finish, ends the waiting requests, and takes no more', async () => {
    const held: ServerHttp2Stream[] = [];
    const { origin, sessions } = await peer((stream) => {
      held.push(stream);
    });
    const pool = poolTo({ origin }, { streamsMax: 2, sessionsMax: 1, closeTimeoutMs: 10_000 });
    const answers = askMany(pool, 5);
    await vi.waitFor(() => expect(held).toHaveLength(2), PATIENCE);
    const closed = pool.close();
    expect(await ask(pool, '/late')).toEqual({ kind: 'never_sent', reason: 'pool_closed' });
    for (const stream of held) respond(stream);
    await closed;
    expect((await answers).map(({ kind }) => kind)).toEqual([
      'answered',
      'answered',
      'never_sent',
      'never_sent',
      'never_sent',
    ]);
    await vi.waitFor(() => expect(sessions.size).toBe(0), PATIENCE);
    const kindsOfEvents = events.map(({ kind }) => kind);
    expect(kindsOfEvents.filter((kind) => kind.startsWith('session_'))).toEqual([
      'session_opened',
      'session_closed',
    ]);
    // Each request that got a stream, and no other, has an event at its start and its end.
    expect(kindsOfEvents.filter((kind) => kind === 'request_sent')).toHaveLength(2);
    expect(kindsOfEvents.filter((kind) => kind === 'request_ended')).toHaveLength(2);
  });

  test('close waits at most closeTimeoutMs for a peer that never answers', async () => {
    let arrived = false;
    const { origin } = await peer(() => {
      arrived = true;
    });
    const pool = poolTo({ origin }, { closeTimeoutMs: 30 });
    const answer = ask(pool, '/');
    await vi.waitFor(() => expect(arrived).toBe(true), PATIENCE);
    await pool.close();
    expect(await answer).toEqual({ kind: 'ambiguous', reason: 'closed_by_us' });
  });

  test('close resolves at once when nothing was sent', async () => {
    await poolTo({ origin: 'https://localhost:1' }).close();
    expect(events).toEqual([]);
  });
});
