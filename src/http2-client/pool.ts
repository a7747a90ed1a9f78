/**
 * A pool of long-lived HTTP/2 sessions to one origin. It answers for every request: `answered`, `never_sent`
 * or `ambiguous`; what the peer refused unprocessed (GOAWAY, REFUSED_STREAM) it sends again itself.
 *
 * One session is opened with the first request; more only when all have been full for a while and requests wait, and
 * then as many as the window asks for. How many are in flight at once follows the round trip. A session that ends is
 * replaced as soon as somebody waits, at a growing distance while sessions end without a single answer: Apple forbids
 * quick open and close.
 */
import type { Answer } from './answer.ts';
import { trustAlso } from './trust.ts';
import type { Exchange, Schedule } from './outgoing.ts';
import { DEFAULT_LIMITS, type PoolLimits } from './pool-limits.ts';
import { RoundTripWindow } from './round-trip-window.ts';
import { Session } from './session.ts';
import type { TransportFailure } from './transport-reason.ts';
import { WaitingLine, type Waiter } from './waiting-line.ts';

/** In flight and reserved together may be as many, however small the window is. */
const REPEATED_MIN = 256;
const NOT_WANTED: Answer = { kind: 'never_sent', reason: 'not_wanted' };
const POOL_CLOSED: Answer = { kind: 'never_sent', reason: 'pool_closed' };
const REQUEST_SENT: PoolEvent = { kind: 'request_sent' }; // made once: it is an event of every request
const NO_FREE_STREAM: TransportFailure = { reason: 'no_free_stream' };
/** Requests that wait for a stream: more than the answers that come in one turn of the event loop. */
const WAITING_MAX = 500;

export interface Http2PoolOptions extends Partial<PoolLimits> {
  /** Scheme, host and port, e.g. `https://api.push.apple.com`. */
  origin: string;
  /** PEM of a certificate authority to trust besides the system's. */
  ca?: string | undefined;
  onEvent?: (event: PoolEvent) => void;
  /** Runs a task at the end of this turn of the event loop, `setImmediate` by default: what is sent leaves with it. */
  schedule?: Schedule;
  /** Requests that count as in flight although they have been answered. */
  reserved?: Reserved | undefined;
}

/** What happens in a pool, for logs and metrics. */
export type PoolEvent =
  | { readonly kind: 'session_opened' }
  /** `wasOpen`: false where the attempt to connect failed. */
  | { readonly kind: 'session_closed'; readonly failure: TransportFailure; readonly wasOpen: boolean }
  | { readonly kind: 'request_sent' }
  /** `durationMs` counts from `request_sent`. */
  | { readonly kind: 'request_ended'; readonly answer: Answer['kind']; readonly durationMs: number };

/**
 * Answers that the caller has not saved yet: a crash would repeat these requests as it repeats those in flight. While
 * there are many, fewer requests leave.
 */
export interface Reserved {
  readonly count: number;
  /** @param listener called when `count` has become smaller @returns a function that removes the listener */
  onRemoved(listener: () => void): () => void;
}

export interface Http2Pool {
  /**
   * Sends one request and says what became of it. Never rejects.
   * @param isWanted asked when its turn has come (also before it is sent once more), and every so often while it
   *   waits: where it says no, the request comes back as `never_sent`, or as `ambiguous` if it had been written before
   */
  request(exchange: Exchange, isWanted: () => boolean): Promise<Answer>;
  /**
   * Resolves when few requests wait for a stream; undefined where few do. Whoever has thousands asks before every
   * few: begun earlier they would only wait here, and take memory.
   */
  whenReady(): Promise<void> | undefined;
  /** Resolves when all requests that it has been given until now have left, or have come back. */
  whenSent(): Promise<void>;
  /**
   * Takes no more requests, hands back those that wait, as `isWanted` does where it says no, and lets those in flight
   * finish.
   */
  close(): Promise<void>;
}

interface Pending extends Exchange, Waiter {
  waitingSince: number;
  readonly tell: (answer: Answer) => void;
  readonly isWanted: () => boolean;
  /** Times it came back unprocessed. */
  attempts: number;
  /** Times it was sent again after an ambiguous answer. */
  repeats: number;
  /** Why the first answer was ambiguous; undefined while the peer has surely not processed it. */
  doubt: TransportFailure | undefined;
}

export function openHttp2Pool(options: Http2PoolOptions): Http2Pool {
  const { origin, reserved, onEvent = () => undefined, schedule = setImmediate } = options;
  const limits: PoolLimits = { ...DEFAULT_LIMITS, ...options };
  const secureContext = options.ca === undefined ? undefined : trustAlso(options.ca);
  const line = new WaitingLine<Pending>();
  const window = new RoundTripWindow();
  const sessions = new Set<Session<Pending>>();
  const sweeper = setInterval(sweep, limits.sweepMs);
  const forgetReserved = reserved?.onRemoved(pumpAtTurnEnd);
  let isToPump = false;
  let closing: Promise<void> | undefined;
  let ready: PromiseWithResolvers<void> | undefined;
  /** Who waits for so many to have left, in order. */
  const waitingForSent: { gone: number; resolve: () => void }[] = [];
  let inFlight = 0;
  /** Since when requests have waited because all sessions are full. */
  let shortSince: number | undefined;
  /** Sessions in a row that ended without one answer. */
  let failures = 0;
  let lastFailure: TransportFailure | undefined;
  let openNotBefore = 0;

  function request(exchange: Exchange, isWanted: () => boolean): Promise<Answer> {
    if (closing !== undefined) return Promise.resolve(POOL_CLOSED);
    return new Promise((tell) => {
      const waitingSince = performance.now();
      line.push({ ...exchange, isWanted, tell, attempts: 0, repeats: 0, doubt: undefined, waitingSince });
      pump();
    });
  }

  function whenReady(): Promise<void> | undefined {
    if (closing !== undefined || line.size < WAITING_MAX) return undefined;
    ready ??= Promise.withResolvers();
    return ready.promise;
  }

  async function whenSent(): Promise<void> {
    if (closing !== undefined || line.gone === line.come) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    waitingForSent.push({ gone: line.come, resolve });
    await promise;
  }

  /** Gives out free streams, sees to it that there are sessions, and asks for more requests where few are left. */
  function pump(): void {
    if (fillStreams()) openSessions();
    else shortSince = undefined;
    while (waitingForSent[0] !== undefined && waitingForSent[0].gone <= line.gone) {
      waitingForSent.shift()?.resolve();
    }
    if (ready === undefined || line.size >= WAITING_MAX / 2) return;
    ready.resolve();
    ready = undefined;
  }

  /** After what was answered in this turn has been saved (`schedule`). */
  function pumpAtTurnEnd(): void {
    if (isToPump || (line.size === 0 && ready === undefined)) return;
    isToPump = true;
    schedule(() => {
      isToPump = false;
      pump();
    });
  }

  /** Whether a crash would repeat as much as it may, or the window is full. */
  function isFull(): boolean {
    if (inFlight >= window.size) return true;
    return inFlight + (reserved?.count ?? 0) >= Math.max(window.size, REPEATED_MIN);
  }

  /** Gives free streams to those who wait. @returns whether some still wait, and no session has one left */
  function fillStreams(): boolean {
    for (const session of sessions) {
      for (let room = session.room; room > 0; room = session.room) {
        if (isFull()) return false;
        const next = nextWanted();
        if (next === undefined) return false;
        session.send(next);
        inFlight += 1;
        onEvent(REQUEST_SENT);
      }
    }
    return line.size > 0;
  }

  function nextWanted(): Pending | undefined {
    for (let next = line.shift(); next !== undefined; next = line.shift()) {
      if (next.isWanted()) return next;
      settle(next, NOT_WANTED);
    }
    return undefined;
  }

  function openSessions(): void {
    for (let wanted = sessionsWanted(); wanted > 0; wanted--) openSession();
  }

  /**
   * One where none is usable. Where all have been full for a while, as many as carry what the window has room for,
   * but no more than there are: over a long way the window grows faster than sessions would, one at a time.
   */
  function sessionsWanted(): number {
    let usable = 0;
    let haveAnswered = true;
    for (const session of sessions) {
      if (!session.isUsable) continue;
      usable += 1;
      haveAnswered &&= session.hasAnswered;
    }
    if (usable === 0) return 1;
    const now = performance.now();
    if (isFull() || !haveAnswered) shortSince = undefined;
    else shortSince ??= now;
    if (shortSince === undefined || now - shortSince < limits.growAfterMs) return 0;
    const wanted = Math.max(Math.ceil((window.size - inFlight) / (inFlight / usable)), 1);
    return Math.min(wanted, usable, limits.sessionsMax - usable);
  }

  function openSession(): void {
    if (performance.now() < openNotBefore) return; // the sweep comes back to it
    shortSince = undefined;
    let wasOpen = false;
    const session = new Session<Pending>({
      origin,
      secureContext,
      limits,
      schedule,
      onOpen: () => {
        wasOpen = true;
        onEvent({ kind: 'session_opened' });
      },
      onRoom: pump,
      onAnswer,
      onEnd: (failure) => {
        onEvent({ kind: 'session_closed', failure, wasOpen });
        onEnd(session, failure);
      },
    });
    sessions.add(session);
  }

  function onAnswer(pending: Pending, answer: Answer, durationMs: number): void {
    onEvent({ kind: 'request_ended', answer: answer.kind, durationMs });
    inFlight -= 1;
    if (answer.kind === 'answered') {
      failures = 0;
      lastFailure = undefined;
      window.answered(durationMs, line.size > 0, performance.now());
    }
    if (isToBeSentAgain(pending, answer) && closing === undefined) {
      pending.waitingSince = performance.now(); // its time in flight was no waiting
      line.putBack(pending);
    } else {
      settle(pending, answer);
    }
    pumpAtTurnEnd();
  }

  function isToBeSentAgain(pending: Pending, answer: Answer): boolean {
    switch (answer.kind) {
      case 'answered':
        return false;
      case 'never_sent':
        pending.attempts += 1;
        return pending.attempts < limits.attemptsMax;
      case 'ambiguous':
        pending.doubt ??= { reason: answer.reason, detail: answer.detail };
        pending.repeats += 1;
        return pending.repeats <= limits.repeatsIfAmbiguous;
    }
  }

  function onEnd(session: Session<Pending>, failure: TransportFailure): void {
    sessions.delete(session);
    if (!session.hasAnswered) {
      lastFailure = failure;
      const backoffMs = Math.min(limits.reconnectAfterMs * 2 ** failures, limits.reconnectAfterMsMax);
      openNotBefore = performance.now() + backoffMs * (0.5 + Math.random() / 2);
      failures += 1;
    }
    pump();
  }

  function sweep(): void {
    const now = performance.now();
    for (const session of sessions) session.sweep(now);
    for (const pending of line.takeWhere(({ isWanted }) => !isWanted())) settle(pending, NOT_WANTED);
    for (;;) {
      const late = line.shiftWaitingSince(now - limits.waitTimeoutMs);
      if (late === undefined) break;
      settle(late, { kind: 'never_sent', ...(lastFailure ?? NO_FREE_STREAM) });
    }
    pump();
  }

  async function closeAll(): Promise<void> {
    clearInterval(sweeper);
    forgetReserved?.();
    for (let left = line.shift(); left !== undefined; left = line.shift()) {
      settle(left, POOL_CLOSED);
    }
    ready?.resolve();
    for (const { resolve } of waitingForSent) resolve();
    await Promise.all([...sessions].map((session) => session.close(limits.closeTimeoutMs)));
  }

  return {
    request,
    whenReady,
    whenSent,
    close: () => (closing ??= closeAll()),
  };
}

/** What may have been processed is never told as unsent, whatever kept its repeat from being sent or taken. */
function settle({ doubt, tell }: Pending, answer: Answer): void {
  if (answer.kind === 'never_sent' && doubt !== undefined) tell({ kind: 'ambiguous', ...doubt });
  else tell(answer);
}
