/**
 * What a gateway has answered lately on one route of an app, to this thread: nothing but errors, or nothing at all. Each
 * push is counted, which costs an addition or two; what the counts mean is found when somebody asks, every second.
 */
import type { Verdict } from '../../gateways/gateway.ts';
import { isOwnReason, readableReason } from '../../gateways/reason.ts';

/** A trouble of the route, as its worker leaves it for the others (`status/pulse.ts`). */
export interface RouteTrouble {
  code: 'gateway_errors' | 'gateway_silent' | 'quota_used_up' | 'credentials_refused';
  /** Unix ms. */
  sinceMs: number;
  /** The gateway's own word, or a sentence of ours; null if there was no answer at all. */
  reason: string | null;
}

/** A gateway that fails now and then answers others well within this time. */
const FAILS_FOR_MS = 1_000;
/** So many times in a row, a second apart, nothing had been answered since the time before. */
const SILENT_TIMES = 3;
/** A failure counts for this long after its push was to be tried again. */
const COUNTS_FOR_MS = 5_000;
/** Nothing is tried again after these. */
const REFUSED_COUNTS_FOR_MS = 60_000;

/** Reasons of ours for which the gateway cannot be blamed. */
const OURS: ReadonlySet<string> = new Set([
  'not_wanted',
  'no_free_stream',
  'pool_closed',
  'headers_too_large',
]);
const QUOTA: ReadonlySet<string> = new Set(['QUOTA_EXCEEDED', 'RESOURCE_EXHAUSTED']);

export class RouteAnswers {
  #inFlight = 0;
  #answers = 0;
  /** Since the last good answer. */
  #failing: (RouteTrouble & { untilMs: number }) | undefined;
  #answersAsked = 0;
  #silent: { sinceMs: number; times: number } | undefined;
  /** Of the pushes in flight, those that were sent before a silence that is over: nobody will answer them. */
  #lost = 0;
  readonly #nowMs: () => number;

  /** @param nowMs Unix ms */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  begun(): void {
    this.#inFlight += 1;
  }

  /** @param verdict undefined: an error of ours ended the attempt */
  ended(verdict: Verdict | undefined): void {
    this.#inFlight -= 1;
    if (verdict === undefined) return;
    switch (verdict.kind) {
      case 'accepted':
      case 'rejected':
      case 'unregistered':
        this.#failing = undefined;
        return this.#answered();
      case 'credentials_refused':
        this.#answered();
        return this.#fail(verdict.kind, verdict.detail ?? verdict.reason, REFUSED_COUNTS_FOR_MS);
      case 'retry':
      case 'ambiguous':
        return this.#failed(verdict.reason);
    }
  }

  /** A push that failed is to be tried again at `dueMs` (Unix ms). */
  willRetry(dueMs: number): void {
    if (this.#failing === undefined) return;
    this.#failing.untilMs = Math.max(this.#failing.untilMs, dueMs + COUNTS_FOR_MS);
  }

  /** Call it every second. */
  trouble(): RouteTrouble | undefined {
    const nowMs = this.#nowMs();
    this.#lookForSilence(nowMs);
    if (this.#failing !== undefined && this.#inFlight === 0 && nowMs > this.#failing.untilMs) {
      this.#failing = undefined;
    }
    if (this.#failing !== undefined && nowMs - this.#failing.sinceMs >= FAILS_FOR_MS) {
      const { code, sinceMs, reason } = this.#failing;
      return { code, sinceMs, reason };
    }
    if (this.#silent === undefined || !this.#isSilent) return undefined;
    return { code: 'gateway_silent', sinceMs: this.#silent.sinceMs, reason: null };
  }

  #lookForSilence(nowMs: number): void {
    this.#lost = Math.min(this.#lost, this.#inFlight);
    if (this.#inFlight <= this.#lost || this.#answers !== this.#answersAsked) this.#silent = undefined;
    else if (this.#silent === undefined) this.#silent = { sinceMs: nowMs, times: 1 };
    else this.#silent.times += 1;
    this.#answersAsked = this.#answers;
  }

  #answered(): void {
    this.#answers += 1;
    if (this.#silent === undefined) return;
    if (this.#isSilent) this.#lost = this.#inFlight;
    this.#silent = undefined;
  }

  get #isSilent(): boolean {
    return this.#silent !== undefined && this.#silent.times >= SILENT_TIMES;
  }

  #failed(reason: string): void {
    if (OURS.has(reason)) return;
    if (isOwnReason(reason)) {
      if (this.#lost === 0) this.#fail('gateway_silent', readableReason(reason), COUNTS_FOR_MS);
      else this.#lost -= 1;
      return;
    }
    this.#answered();
    this.#fail(QUOTA.has(reason) ? 'quota_used_up' : 'gateway_errors', reason, COUNTS_FOR_MS);
  }

  #fail(code: RouteTrouble['code'], reason: string, countsForMs: number): void {
    const nowMs = this.#nowMs();
    const sinceMs = this.#failing?.code === code ? this.#failing.sinceMs : nowMs;
    const untilMs = Math.max(this.#failing?.untilMs ?? 0, nowMs + countsForMs);
    this.#failing = { code, sinceMs, reason, untilMs };
  }
}
