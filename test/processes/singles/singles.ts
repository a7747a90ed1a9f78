/** Many single pushes at once, each to a different device, and the checks that they must pass after any failure. */
import { expect, vi } from 'vitest';
import { z } from 'zod';
import type { Simulator } from '@carillon/simulator';
import {
  type Backend,
  type NotificationRecord,
  recordSchema,
  type StoredDevice,
} from '../../support/simulated-app.ts';
import { expectRepeatsAlike, untilCounted } from '../fan-out.ts';

/** Callers at a time. */
const CONNECTIONS = 32;
/** A caller repeats a call that is not answered for this long: an outage of the database and a restart fit into it. */
const CALLER_PATIENCE_MS = 60_000;
/**
 * From the last push of which a gateway has heard to the end of all: a lease of 10 seconds, the sweep, and a busy machine. What
 * has gathered meanwhile takes the time that it takes; on a machine that other tests use, a hundred pushes took a second.
 */
export const ENDS_WITHIN_MS = 45_000;

export interface Singles {
  /** Device id → id of its notification, of the calls answered so far. */
  readonly created: ReadonlyMap<string, string>;
  /** Resolves when all calls are answered with 201. */
  answered(): Promise<void>;
}

/**
 * Sends a push to each device, over 32 connections. Each caller repeats a call that got no answer, or a 5xx, under the
 * same idempotency key, as docs/api.md advises.
 * @param backend of the process that takes calls at this moment
 * @param patienceMs for which a caller repeats a call
 */
export function sendSingles(
  devices: Iterable<StoredDevice> | AsyncIterable<StoredDevice>,
  backend: () => Promise<Backend>,
  patienceMs = CALLER_PATIENCE_MS,
): Singles {
  const created = new Map<string, string>();
  const waiting = inTurn(devices);
  const refused: unknown[] = [];

  async function call(): Promise<void> {
    for await (const { device, to } of waiting) {
      const id = await vi.waitFor(async () => createOne(device, to), {
        timeout: patienceMs,
        interval: 50,
      });
      if (id !== undefined) created.set(device.id, id);
    }
  }

  /** @returns undefined for a refusal, which no repetition can change */
  async function createOne(device: StoredDevice, to: unknown): Promise<string | undefined> {
    const caller = await backend();
    const notification = { to, payload: { alert: 'Hello', order: device.id } };
    const headers = { 'idempotency-key': device.id };
    const reply = await caller.call('POST', '/v6/notifications', { notification }, headers);
    if (reply.status === 201) return z.object({ id: z.string() }).parse(reply.body).id;
    if (reply.status >= 500) throw new Error(`unanswered: ${JSON.stringify(reply)}`);
    refused.push(reply);
    return undefined;
  }

  const calls = Promise.allSettled(Array.from({ length: CONNECTIONS }, call));
  return {
    created,
    answered: async () => {
      const failed = (await calls).filter(({ status }) => status === 'rejected');
      expect({ failed, refused }).toEqual({ failed: [], refused: [] });
    },
  };
}

/** For several callers: each device goes to one of them, by each form of a target in turn. */
async function* inTurn(devices: Iterable<StoredDevice> | AsyncIterable<StoredDevice>) {
  let count = 0;
  for await (const device of devices) {
    const { id, user } = device;
    const forms = [
      [{ name: 'device_id', criteria: [id] }],
      [{ name: 'user_id', criteria: [user] }],
      { device_id: id },
      { user_id: user },
    ];
    yield { device, to: forms[count % forms.length] };
    count += 1;
  }
}

const pageSchema = z.object({
  notifications: z.array(recordSchema.extend({ id: z.string() })),
  meta: z.object({ cursor: z.string().nullable() }),
});
type ListedNotification = z.infer<typeof pageSchema>['notifications'][number];

/** All notifications of the app, newest first, page by page. */
async function* listed(backend: Backend): AsyncGenerator<ListedNotification[]> {
  for (let cursor: string | null = ''; cursor !== null;) {
    const position: string = cursor === '' ? '' : `&cursor=${cursor}`;
    const { status, body } = await backend.call('GET', `/v6/notifications?per=100${position}`);
    if (status !== 200) throw new Error(`the list answered ${status}: ${JSON.stringify(body)}`);
    const page = pageSchema.parse(body);
    yield page.notifications;
    ({ cursor } = page.meta);
  }
}

/** Number of notifications that have ended. */
export async function countEnded(backend: Backend): Promise<number> {
  let ended = 0;
  for await (const page of listed(backend)) ended += page.filter(hasEnded).length;
  return ended;
}

/** Waits until all notifications of the app have ended, for as long as pushes arrive. @returns them by id */
async function untilAllEnded(
  backend: Backend,
  simulator: Simulator,
  timeoutMs = ENDS_WITHIN_MS,
): Promise<Map<string, ListedNotification>> {
  let left: ListedNotification | undefined;
  const readAll = async (): Promise<Map<string, ListedNotification>> => {
    // While one of them is left, thousands need not be read to see that.
    if (left !== undefined) {
      const now = await backend.readNotification(left.id);
      if (!hasEnded(now)) throw notEnded(now);
    }
    const records = new Map<string, ListedNotification>();
    for await (const page of listed(backend)) {
      left = page.find((record) => !hasEnded(record));
      if (left !== undefined) throw notEnded(left);
      for (const record of page) records.set(record.id, record);
    }
    return records;
  };
  for (;;) {
    const before = pushedTo(simulator);
    try {
      return await vi.waitFor(readAll, { timeout: timeoutMs, interval: 200 });
    } catch (error) {
      if (pushedTo(simulator) === before) throw error;
    }
  }
}

function notEnded(record: NotificationRecord): Error {
  return new Error(`not ended yet: ${JSON.stringify(record)}`);
}

function hasEnded({ state }: NotificationRecord): boolean {
  return state !== 'scheduled' && state !== 'sending';
}

export interface SinglesCheck {
  backend: Backend;
  simulator: Simulator;
  devices: readonly StoredDevice[];
  created: ReadonlyMap<string, string>;
  /** Push tokens that the gateway refuses for good. */
  dead?: ReadonlySet<string>;
  /** Pushes that may end as ambiguous, because a gateway took the request twice and answered neither. */
  ambiguousMax?: number;
  timeoutMs?: number;
}

/**
 * Waits until all have ended and checks: there is one notification per call, each with one outcome, which agrees with what
 * the gateway has got; repeats are the same push.
 * @returns the number of repeated pushes
 */
export async function expectOneOutcomeEach(check: SinglesCheck): Promise<number> {
  const { backend, simulator, devices, created, dead = new Set(), ambiguousMax = 0, timeoutMs } = check;
  const records = await untilAllEnded(backend, simulator, timeoutMs);
  expect(created.size).toBe(devices.length);
  expect(new Set(records.keys())).toEqual(new Set(created.values()));

  const pushes = simulator.received();
  const byToken = Map.groupBy(pushes, ({ token }) => token);
  const odd: unknown[] = [];
  let ambiguous = 0;
  for (const { id, token } of devices) {
    const notificationId = created.get(id) ?? '';
    const record = records.get(notificationId);
    const got = byToken.get(token) ?? [];
    const isAmbiguous = record?.ambiguous === 1;
    if (isAmbiguous) ambiguous += 1;
    const outcome = dead.has(token) ? 'unregistered' : isAmbiguous ? 'ambiguous' : 'accepted';
    const isRight =
      record !== undefined &&
      record.state === 'sent' &&
      record.devices === 1 &&
      record[outcome] === 1 &&
      sumOf(record) === 1 &&
      (isAmbiguous || got.length > 0 === (outcome === 'accepted')) &&
      got.every(({ nid }) => nid === notificationId);
    if (!isRight) odd.push({ record, pushes: got.map(({ nid }) => nid) });
  }
  expect(odd, JSON.stringify(odd[0])).toEqual([]);
  expect(ambiguous).toBeLessThanOrEqual(ambiguousMax);
  expectRepeatsAlike(pushes);
  return pushes.length - byToken.size;
}

function sumOf(record: ListedNotification): number {
  const { accepted, rejected, unregistered, no_token: noToken, ambiguous, pending } = record;
  return accepted + rejected + unregistered + noToken + ambiguous + pending;
}

/** Waits until the gateways have accepted that many pushes. */
export async function untilPushed(simulator: Simulator, pushes: number): Promise<void> {
  await untilCounted(() => pushedTo(simulator), pushes);
}

/** Waits until an outage that began at `sinceMs` (monotonic) has lasted that long. */
export async function untilLasted(sinceMs: number, outageMs: number): Promise<void> {
  await vi.waitFor(() => expect(performance.now() - sinceMs).toBeGreaterThan(outageMs), {
    timeout: 2 * outageMs + 1_000,
  });
}

/** Number of pushes that the gateways have accepted, without repeats. */
export function pushedTo(simulator: Simulator): number {
  const { apns, fcm } = simulator.counts();
  return apns.accepted + fcm.accepted - apns.duplicates - fcm.duplicates;
}
