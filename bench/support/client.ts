/** The back end of the benchmark's apps: calls the server over HTTP with an API key. */
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';

const createdSchema = z.object({ id: z.string() });
const recordSchema = z.object({
  state: z.string(),
  reason: z.string().nullable(),
  ended_at: z.string().nullable(),
  devices: z.number(),
  accepted: z.number(),
});

export interface Sent {
  id: string;
  devices: number;
  /** The time before the call (Unix ms). */
  startedMs: number;
  /** From the call to the last answer for the last slice. */
  durationMs: number;
}

export interface BackEnd {
  authorization: string;
  /** Creates a notification. @param more other fields of it @returns its id, and the time before the call (Unix ms) */
  create(to: unknown, payload?: unknown, more?: object): Promise<{ id: string; startedMs: number }>;
  /** Waits until the notification has ended. @throws if not every push was accepted */
  untilSent(created: { id: string; startedMs: number }, devices: number): Promise<Sent>;
  /** Creates a notification, and waits until it has ended. */
  send(to: unknown, devices: number, payload?: unknown): Promise<Sent>;
}

const REQUEST_TIMEOUT_MS = 30_000;
/** The time of the end is in the notification's reply, so polling can be rare: it takes the cores of the bulk notification. */
const POLL_EVERY_MS = 100;
/** A limit at which something is broken: 500 pushes per second. */
const PUSHES_PER_MS_MIN = 0.5;
const START_MS_MAX = 60_000;

export function bulkTimeoutMs(devices: number): number {
  return START_MS_MAX + devices / PUSHES_PER_MS_MIN;
}

export function openBackEnd(baseUrl: string, key: string): BackEnd {
  const authorization = `Basic ${Buffer.from(`:${key}`).toString('base64')}`;
  const call = async (method: 'GET' | 'POST', address: string, body?: unknown): Promise<unknown> => {
    const { status, text: answer } = await exchange(baseUrl + address, { method, authorization, body });
    if (status >= 300) throw new Refused(status, `${method} ${address} answered ${status}: ${answer}`);
    return JSON.parse(answer);
  };
  /** If the machine stalls for a second, the server refuses a poll as overloaded, which does not hurt the bulk notification. */
  const poll = async (address: string): Promise<unknown> => {
    try {
      return await call('GET', address);
    } catch (error) {
      if (!(error instanceof Refused && error.status === 503)) throw error;
      console.warn(error.message);
      return undefined;
    }
  };

  const create: BackEnd['create'] = async (to, payload, more) => {
    const startedMs = Date.now();
    const body = notificationTo(to, payload, more);
    const { id } = createdSchema.parse(await call('POST', '/v6/notifications', body));
    return { id, startedMs };
  };
  const untilSent: BackEnd['untilSent'] = async ({ id, startedMs }, devices) => {
    const untilMs = Date.now() + bulkTimeoutMs(devices);
    for (;;) {
      const record = recordSchema.optional().parse(await poll(`/v6/notifications/${id}`));
      if (record !== undefined && record.ended_at !== null) {
        if (record.state !== 'sent' || record.accepted !== devices || record.devices !== devices) {
          throw new Error(`pushes were lost: ${JSON.stringify(record)} of ${devices} devices`);
        }
        return { id, devices, startedMs, durationMs: Date.parse(record.ended_at) - startedMs };
      }
      if (Date.now() > untilMs) throw new Error(`not sent in time: ${JSON.stringify(record)}`);
      await wait(POLL_EVERY_MS);
    }
  };
  const send: BackEnd['send'] = async (to, devices, payload) => untilSent(await create(to, payload), devices);
  return { authorization, create, untilSent, send };
}

class Refused extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

interface Call {
  method?: 'GET' | 'POST';
  authorization?: string;
  body?: unknown;
}

/** Without `fetch`, which takes several times the processor time, on the cores of the measured server. */
export async function exchange(
  url: string,
  { method = 'GET', authorization = '', body }: Call = {},
): Promise<{ status: number; text: string }> {
  const payload = body === undefined ? undefined : JSON.stringify(body);
  const type = payload !== undefined && { 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const headers = { authorization, ...type };
    const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
    const call = request(url, { method, headers, signal }, (response) => {
      const { statusCode: status = 0 } = response;
      text(response).then((answer) => resolve({ status, text: answer }), reject);
    });
    call.on('error', reject);
    call.end(payload);
  });
}

/** The body of a create call. */
export function notificationTo(
  to: unknown,
  payload: unknown = { alert: 'Hello', order_id: 4711 },
  more: object = {},
): unknown {
  return { notification: { to, payload, ...more } };
}
