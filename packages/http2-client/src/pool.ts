/**
 * A pool of long-lived HTTP/2 sessions to one origin. Each request ends as `answered`, `never_sent` or `ambiguous`. The
 * pool resends requests that the peer refused unprocessed (GOAWAY, REFUSED_STREAM).
 *
 * The first request opens one session; more are opened only when all have been full for a while and requests wait
 * (`session-growth.ts`). The number of requests in flight adapts to the round-trip time (`round-trip-window.ts`). A
 * session that has ended is replaced when a request needs it.
 */
import type { Answer } from './answer.ts';
import type { Http2Request, Schedule } from './outgoing.ts';
import { DEFAULT_LIMITS, type Http2PoolOptions, type PoolEvent, type PoolLimits } from './pool-options.ts';
import { end, isSentAgain, type Pending } from './pending-request.ts';
import { RequestQueue } from './request-queue.ts';
import { RoundTripWindow } from './round-trip-window.ts';
import { SessionGrowth } from './session-growth.ts';
import { Session, type SessionOptions } from './session.ts';
import { trustAlso } from './socket.ts';
import type { TransportFailure } from './transport-reason.ts';

/** Requests in flight and reserved answers together may reach at least this number, however small the window is. */
const UNSAVED_MIN = 256;
const NOT_WANTED: Answer = { kind: 'never_sent', reason: 'not_wanted' };
const POOL_CLOSED: Answer = { kind: 'never_sent', reason: 'pool_closed' };
const NO_FREE_STREAM: TransportFailure = { reason: 'no_free_stream' };
/** Created once, because every request emits it. */
const REQUEST_SENT: PoolEvent = { kind: 'request_sent' };

export interface Http2Pool {
  /**
   * Sends one request. Never rejects.
   * @param isWanted called before each attempt, and regularly while the request waits: when it returns false, the
   *   request ends as `never_sent`, or as `ambiguous` if an earlier attempt was written
   */
  request(request: Http2Request, isWanted?: () => boolean): Promise<Answer>;
  /**
   * Resolves when few requests wait for a stream; undefined if few wait now. A caller with thousands of requests should
   * call it every few requests: requests passed in too early only wait here and take memory.
   */
  whenReady(): Promise<void> | undefined;
  /** Resolves when all requests handed over so far have been written, or have ended. */
  whenSent(): Promise<void>;
  /** Accepts no more requests, ends waiting ones, and lets requests in flight finish within `closeTimeoutMs`. */
  close(): Promise<void>;
}

export function openHttp2Pool(options: Http2PoolOptions): Http2Pool {
  return new Pool(options);
}

class Pool implements Http2Pool {
  readonly #limits: PoolLimits;
  readonly #sessionOptions: Pick<
    SessionOptions<Pending>,
    'origin' | 'secureContext' | 'tunnel' | 'bodyBytesMax' | 'limits' | 'schedule'
  >;
  readonly #schedule: Schedule;
  readonly #onEvent: (event: PoolEvent) => void;
  readonly #reserved: Http2PoolOptions['reserved'];
  readonly #stopListening: (() => void) | undefined;
  readonly #timer: NodeJS.Timeout;
  readonly #queue = new RequestQueue<Pending>();
  readonly #window = new RoundTripWindow();
  readonly #growth: SessionGrowth;
  readonly #sessions = new Set<Session<Pending>>();
  #inFlight = 0;
  #isSendScheduled = false;
  #checkedAt = performance.now();
  #hasSkippedCheck = false;
  /** Requests are given up if they have waited since both their own start and this moment for `waitTimeoutMs`. */
  #waitsCountFrom = 0;
  #closing: Promise<void> | undefined;

  constructor(options: Http2PoolOptions) {
    const {
      origin,
      ca,
      tunnel,
      bodyBytesMax,
      reserved,
      onEvent = () => undefined,
      schedule = setImmediate,
    } = options;
    this.#limits = { ...DEFAULT_LIMITS, ...options };
    const secureContext = ca === undefined ? undefined : trustAlso(ca);
    this.#sessionOptions = { origin, secureContext, tunnel, bodyBytesMax, limits: this.#limits, schedule };
    this.#schedule = schedule;
    this.#onEvent = onEvent;
    this.#reserved = reserved;
    this.#growth = new SessionGrowth(this.#limits);
    this.#timer = setInterval(() => this.#checkTimeouts(), this.#limits.checkIntervalMs);
    this.#stopListening = reserved?.onRemoved(() => this.#scheduleSend());
  }

  request(request: Http2Request, isWanted = always): Promise<Answer> {
    if (this.#closing !== undefined) return Promise.resolve(POOL_CLOSED);
    return new Promise((resolve) => {
      const waitingSince = performance.now();
      this.#queue.push({
        ...request,
        isWanted,
        resolve,
        attempts: 0,
        repeats: 0,
        doubt: undefined,
        waitingSince,
      });
      this.#send();
    });
  }

  whenReady(): Promise<void> | undefined {
    return this.#queue.whenShort();
  }

  whenSent(): Promise<void> {
    return this.#queue.whenSent();
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    clearInterval(this.#timer);
    this.#stopListening?.();
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      end(next, POOL_CLOSED);
    }
    this.#queue.notify();
    await Promise.all([...this.#sessions].map(async (session) => session.close(this.#limits.closeTimeoutMs)));
  }

  /** Sends waiting requests on free streams, and opens sessions if there are too few. */
  #send(): void {
    if (this.#fillStreams()) this.#openSessions();
    else this.#growth.onFreeStream();
    this.#queue.notify();
  }

  /** Sends after the answers of this turn of the event loop have been saved. */
  #scheduleSend(): void {
    if (this.#isSendScheduled || !this.#queue.isAwaited) return;
    this.#isSendScheduled = true;
    this.#schedule(() => {
      this.#isSendScheduled = false;
      this.#send();
    });
  }

  /**
   * Whether the window is full, or whether requests in flight and unsaved answers have reached the number that a crash
   * may repeat.
   */
  get #isFull(): boolean {
    if (this.#inFlight >= this.#window.size) return true;
    return this.#inFlight + (this.#reserved?.count ?? 0) >= Math.max(this.#window.size, UNSAVED_MIN);
  }

  /** Whether requests wait only until the caller has saved answers, which says nothing about the peer. */
  get #isHeldBack(): boolean {
    if (!this.#isFull || this.#inFlight >= this.#window.size) return false;
    return [...this.#sessions].some(({ freeStreams }) => freeStreams > 0);
  }

  /** @returns whether requests still wait because no session has a free stream */
  #fillStreams(): boolean {
    for (const session of this.#sessions) {
      for (let free = session.freeStreams; free > 0; free = session.freeStreams) {
        if (this.#isFull) return false;
        const next = this.#nextWanted();
        if (next === undefined) return false;
        session.send(next);
        this.#inFlight += 1;
        this.#onEvent(REQUEST_SENT);
      }
    }
    return this.#queue.size > 0;
  }

  #nextWanted(): Pending | undefined {
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      if (next.isWanted()) return next;
      end(next, NOT_WANTED);
    }
    return undefined;
  }

  #openSessions(): void {
    let sessions = 0;
    let haveAllAnswered = true;
    for (const session of this.#sessions) {
      if (!session.isUsable) continue;
      sessions += 1;
      haveAllAnswered &&= session.hasAnswered;
    }
    const load = {
      sessions,
      haveAllAnswered,
      inFlight: this.#inFlight,
      window: this.#window.size,
      isWindowFull: this.#isFull,
    };
    const count = this.#growth.sessionsToOpen(load, performance.now());
    for (let opened = 0; opened < count; opened++) this.#openSession();
  }

  #openSession(): void {
    let wasOpen = false;
    const session = new Session<Pending>({
      ...this.#sessionOptions,
      onOpen: () => {
        wasOpen = true;
        this.#onEvent({ kind: 'session_opened' });
      },
      onWritable: () => this.#send(),
      onAnswer: (pending, answer, durationMs) => this.#onAnswer(pending, answer, durationMs),
      onEnd: (failure) => {
        this.#onEvent({ kind: 'session_closed', failure, wasOpen });
        this.#sessions.delete(session);
        this.#growth.onSessionEnd(session.hasAnswered, failure, performance.now());
        this.#send();
      },
    });
    this.#sessions.add(session);
  }

  #onAnswer(pending: Pending, answer: Answer, durationMs: number): void {
    this.#onEvent({ kind: 'request_ended', answer: answer.kind, durationMs });
    this.#inFlight -= 1;
    if (answer.kind === 'answered') {
      this.#growth.onAnswer();
      this.#window.answered(durationMs, this.#queue.size > 0, performance.now());
    }
    if (this.#closing === undefined && isSentAgain(pending, answer, this.#limits)) {
      pending.waitingSince = performance.now(); // its time in flight does not count as waiting
      this.#queue.putBack(pending);
    } else {
      end(pending, answer);
    }
    this.#scheduleSend();
  }

  /**
   * A late check is skipped once: this process stood still (a suspended machine, a blocked event loop), so it has
   * neither read answers nor sent requests.
   */
  #checkTimeouts(): void {
    const now = performance.now();
    const isLate = now - this.#checkedAt > 2 * this.#limits.checkIntervalMs;
    this.#checkedAt = now;
    this.#hasSkippedCheck = isLate && !this.#hasSkippedCheck;
    if (this.#hasSkippedCheck) return;
    for (const session of this.#sessions) session.checkTimeouts(now);
    for (const pending of this.#queue.takeWhere(({ isWanted }) => !isWanted())) end(pending, NOT_WANTED);
    if (this.#isHeldBack) this.#waitsCountFrom = now;
    this.#endLateWaits(now - this.#limits.waitTimeoutMs);
    this.#send();
  }

  #endLateWaits(since: number): void {
    if (this.#waitsCountFrom > since) return;
    const failure = this.#growth.lastFailure ?? NO_FREE_STREAM;
    for (;;) {
      const late = this.#queue.shiftWaitingSince(since);
      if (late === undefined) break;
      end(late, { kind: 'never_sent', ...failure });
    }
  }
}

function always(): boolean {
  return true;
}
