/** Sends a request with a limit of time, and again after a failure where that does no harm. */
import { NoReplyError } from './errors.ts';
import { secondsOf } from './retry-after.ts';

export interface Tries {
  /** The time for one try. */
  timeoutMs: number;
  /** The time for all tries of a call, with the waits between them. */
  callTimeoutMs: number;
  /** How often a call is sent again. */
  retries: number;
  /** The longest wait before the first repetition; each further one waits up to twice as long. */
  backoffMs: number;
  fetch: (request: Request, init: { signal: AbortSignal }) => Promise<Response>;
  /** Waits; rejects when the signal aborts. */
  pause: (ms: number, signal: AbortSignal) => Promise<void>;
  random: () => number;
}

export interface Sending {
  /** Whether the server may carry it out twice. */
  isRepeatable: boolean;
  /** A reply that the caller reads as it comes: the limit holds until it begins. */
  isStream: boolean;
}

const BACKOFF_MS_MAX = 10_000;
/** The server has not carried out the call. */
const TOO_MANY_REQUESTS = 429;
/** It may have, or a proxy lost its reply. */
const FAILED_FOR_NOW: ReadonlySet<number> = new Set([502, 503, 504]);
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * @returns the reply, whatever its status, read to its end unless it is a stream
 * @throws {NoReplyError} if the last try got none
 */
export async function send(request: Request, sending: Sending, tries: Tries): Promise<Response> {
  const deadline = performance.now() + tries.callTimeoutMs;
  for (let attempt = 0; ; attempt += 1) {
    const reply = await sendOnce(request, sending, tries, deadline - performance.now());
    const isLast = attempt >= tries.retries;
    const wait = waitBefore(attempt, reply, tries);
    const isTooLate = performance.now() + wait >= deadline;
    if (isLast || isTooLate || !mayRepeat(reply, sending)) {
      if (reply instanceof NoReplyError) throw reply;
      return reply;
    }
    if (reply instanceof Response) await reply.body?.cancel();
    await tries.pause(wait, request.signal);
  }
}

async function sendOnce(
  request: Request,
  { isStream }: Sending,
  { fetch, timeoutMs }: Tries,
  msLeft: number,
): Promise<Response | NoReplyError> {
  const limit = new AbortController();
  const ms = Math.min(timeoutMs, msLeft);
  const timer = setTimeout(() => limit.abort(new Error(`no reply within ${Math.round(ms)} ms`)), ms);
  try {
    const signal = AbortSignal.any([request.signal, limit.signal]);
    const response = await fetch(request.clone(), { signal });
    if (isStream || WITHOUT_BODY.has(response.status)) return response;
    return new Response(await response.arrayBuffer(), response);
  } catch (cause) {
    return noReplyTo(request, limit.signal.aborted ? limit.signal.reason : cause);
  } finally {
    clearTimeout(timer);
  }
}

/** Sends it once, without a limit of time. @throws {NoReplyError} */
export async function replyTo(request: Request, { fetch }: Pick<Tries, 'fetch'>): Promise<Response> {
  try {
    return await fetch(request, { signal: request.signal });
  } catch (cause) {
    throw noReplyTo(request, cause);
  }
}

/** @throws what the caller's own signal gives as the reason */
function noReplyTo(request: Request, cause: unknown): NoReplyError {
  if (request.signal.aborted) throw request.signal.reason;
  return new NoReplyError(`No reply from ${new URL(request.url).host}: ${sentenceOf(cause)}`, { cause });
}

/** `fetch failed` says nothing; its cause does. */
function sentenceOf(reason: unknown): string {
  if (!(reason instanceof Error)) return String(reason);
  return reason.cause instanceof Error ? reason.cause.message : reason.message;
}

function mayRepeat(reply: Response | NoReplyError, { isRepeatable }: Sending): boolean {
  if (reply instanceof NoReplyError) return isRepeatable;
  return reply.status === TOO_MANY_REQUESTS || (isRepeatable && FAILED_FOR_NOW.has(reply.status));
}

/** What the server asks for, and a random time, so that many callers do not come back at once. */
function waitBefore(attempt: number, reply: Response | NoReplyError, { backoffMs, random }: Tries): number {
  const backoff = Math.min(backoffMs * 2 ** attempt, BACKOFF_MS_MAX) * random();
  const asked = reply instanceof Response ? secondsOf(reply.headers.get('retry-after')) : undefined;
  return backoff + (asked ?? 0) * 1_000;
}

export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    function stop(): void {
      clearTimeout(timer);
      reject(signal.reason);
    }
    signal.addEventListener('abort', stop, { once: true });
  });
}
