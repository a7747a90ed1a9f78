/**
 * Faults that a test orders: their kind, the push tokens they apply to, and how often. The schema describes an order,
 * in process and over HTTP; the fault book decides which faults apply to a request.
 */
import { randomUUID } from 'node:crypto';
import { constants } from 'node:http2';
import { z } from 'zod';
import type { AppleEnvironment, CountedGateway } from './ledger.ts';
import { WEB_SERVICES, type WebService } from './web/subscriptions.ts';

const whom = {
  /**
   * If unset, the fault applies to pushes to any gateway. To fail requests to Google's token endpoint, set `oauth`;
   * to fail the management of Apple's channels, `apns_channels`.
   */
  gateway: z.enum(['apns', 'fcm', 'web_push', 'apns_channels', 'oauth']).optional(),
  environment: z.enum(['production', 'sandbox']).optional(),
  /** Of the push services of browsers, the one that it applies to. */
  service: z.enum(WEB_SERVICES).optional(),
  /** One push token (of a browser, its endpoint) or one channel of Apple's; if unset, all. */
  token: z.string().min(1).optional(),
  /** Only the request with this number on its connection, from 1. */
  request: z.int().positive().optional(),
  /** The number of requests that it applies to; if unset, there is no limit. */
  times: z.int().positive().optional(),
  /** The probability that it applies to a request. Its own random generator starts with `seed`. */
  probability: z.number().gt(0).max(1).default(1),
  seed: z.int().default(1),
};
/** Whether the push is accepted and counted before the fault. */
const received = z.boolean().default(false);

export const faultSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    ...whom,
    kind: z.literal('answer'),
    status: z.int().min(200).max(599),
    /** Apple's `reason`, Google's `errorCode` or another service's text, in a generated reply unless `body` is given. */
    reason: z.string().min(1).optional(),
    /** In Apple's body: the time at which the push token became invalid, in milliseconds since 1970. */
    timestamp: z.int().nonnegative().optional(),
    headers: z.record(z.string().toLowerCase(), z.string()).default({}),
    body: z.string().optional(),
  }),
  z.strictObject({
    ...whom,
    kind: z.literal('reset'),
    received,
    /** An HTTP/2 error code. */
    errorCode: z.int().min(0).max(0xffff_ffff).default(constants.NGHTTP2_INTERNAL_ERROR),
  }),
  /** Resets with REFUSED_STREAM: the request was not processed and can be sent again. */
  z.strictObject({ ...whom, kind: z.literal('refuse') }),
  /** Never answers this stream, or stops answering on the connection (except HTTP/2 PINGs). */
  z.strictObject({ ...whom, kind: z.literal('stall'), received, what: z.enum(['stream', 'connection']) }),
  /** Sends GOAWAY with every n-th request of a connection; that request and earlier ones are still answered. */
  z.strictObject({ ...whom, kind: z.literal('goaway'), every: z.int().positive().default(1) }),
  /** Drops the TCP connection. */
  z.strictObject({ ...whom, kind: z.literal('drop'), received }),
  /** Answers later. */
  z.strictObject({ ...whom, kind: z.literal('delay'), delayMs: z.int().min(1).max(600_000) }),
]);

export type FaultOrder = z.input<typeof faultSchema>;
type Fault = z.infer<typeof faultSchema>;
export type Ending = Exclude<Fault, { kind: 'goaway' | 'delay' }>;
export type OrderedAnswer = Extract<Ending, { kind: 'answer' }>;
export type OrderedFault = Fault & { id: string; used: number };

/**
 * The faults of a request. Delays add up, GOAWAY is sent in addition to the answer, and only the first ending applies.
 */
export interface Mishap {
  delayMs: number;
  goAway: boolean;
  ending: Ending | undefined;
}

export interface MishapRequest {
  gateway: CountedGateway;
  environment: AppleEnvironment | undefined;
  service?: WebService;
  token: string | undefined;
  /** Number of the request on its connection, from 1. */
  requestNumber: number;
}

interface Entry {
  fault: OrderedFault;
  random: () => number;
}

const NO_MISHAP: Mishap = { delayMs: 0, goAway: false, ending: undefined };

export type FaultBook = ReturnType<typeof createFaultBook>;

export function createFaultBook() {
  const byToken = new Map<string | undefined, Entry[]>();

  const strikeOut = (entry: Entry): void => {
    const { token } = entry.fault;
    const left = byToken.get(token)?.filter((other) => other !== entry) ?? [];
    if (left.length === 0) byToken.delete(token);
    else byToken.set(token, left);
  };

  return {
    /** @returns the fault's id @throws {z.ZodError} */
    order: (order: FaultOrder): string => {
      const fault = { ...faultSchema.parse(order), id: randomUUID(), used: 0 };
      const entries = byToken.get(fault.token) ?? [];
      byToken.set(fault.token, [...entries, { fault, random: seededRandom(fault.seed) }]);
      return fault.id;
    },
    ordered: (): OrderedFault[] => [...byToken.values()].flat().map(({ fault }) => structuredClone(fault)),
    clear: (): void => byToken.clear(),
    meet: (request: MishapRequest): Mishap => {
      if (byToken.size === 0) return NO_MISHAP;
      const mishap = { ...NO_MISHAP };
      const own = request.token === undefined ? [] : (byToken.get(request.token) ?? []);
      for (const entry of [...own, ...(byToken.get(undefined) ?? [])]) {
        const { fault } = entry;
        const ends = fault.kind !== 'goaway' && fault.kind !== 'delay';
        if ((ends && mishap.ending !== undefined) || !concerns(fault, request)) continue;
        if (fault.probability < 1 && entry.random() >= fault.probability) continue;
        fault.used += 1;
        if (fault.used === fault.times) strikeOut(entry);
        if (fault.kind === 'goaway') mishap.goAway = true;
        else if (fault.kind === 'delay') mishap.delayMs += fault.delayMs;
        else mishap.ending = fault;
      }
      return mishap;
    },
  };
}

function concerns(fault: Fault, request: MishapRequest): boolean {
  const isPush = request.gateway !== 'apns_channels' && request.gateway !== 'oauth';
  if (fault.gateway === undefined ? !isPush : fault.gateway !== request.gateway) return false;
  if (fault.environment !== undefined && fault.environment !== request.environment) return false;
  if (fault.service !== undefined && fault.service !== request.service) return false;
  if (fault.request !== undefined && fault.request !== request.requestNumber) return false;
  return fault.kind !== 'goaway' || request.requestNumber % fault.every === 0;
}

/** Mulberry32: returns numbers from 0 to below 1, the same for a seed on every machine. */
function seededRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
