/** The demo calls the server as any back end does: over HTTP, with an API key. */
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { jittered } from '../../scheduling/jitter.ts';

const createdSchema = z.object({ id: z.string(), to: z.object({ id: z.string() }) });
const recordSchema = z.object({
  state: z.string(),
  devices: z.number(),
  accepted: z.number(),
  pending: z.number(),
});
const audienceSchema = z.object({ audience: z.object({ name: z.string(), device_count: z.number() }) });

export type DemoClient = ReturnType<typeof openDemoClient>;

const REQUEST_TIMEOUT_MS = 10_000;
const POLL_EVERY_MS = 100;
const POLLS_MAX = 600;
/** A machine on which much else runs makes the server refuse calls for a while. */
const TRIES_MAX = 20;
const TRY_AGAIN_MS = 1_000;
/** The pauses double up to so many times the first. */
const GROWTH_MAX = 4;

/** A call that fails rejects with an error that quotes the server's reply. */
export function openDemoClient(baseUrl: string, key: string, tryAgainMs = TRY_AGAIN_MS) {
  const authorization = `Basic ${Buffer.from(`:${key}`).toString('base64')}`;
  const call = async (
    method: 'GET' | 'POST',
    address: string,
    body?: unknown,
    tries = 1,
  ): Promise<unknown> => {
    const response = await fetch(`${baseUrl}${address}`, {
      method,
      headers: { authorization, ...(body !== undefined && { 'content-type': 'application/json' }) },
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (response.status === 503 && tries < TRIES_MAX) {
      await wait(jittered(tryAgainMs * Math.min(2 ** (tries - 1), GROWTH_MAX), Math.random));
      return call(method, address, body, tries + 1);
    }
    if (!response.ok) throw new Error(`${method} ${address} answered ${response.status}: ${text}`);
    return JSON.parse(text);
  };

  return {
    async registerDevice(device: unknown) {
      await call('POST', '/v6/devices', { device });
    },
    async createNotification(body: unknown) {
      return createdSchema.parse(await call('POST', '/v6/notifications', body));
    },
    /** Polls the notification until it has ended, reporting each state. */
    async untilEnded(id: string, onProgress: (record: z.infer<typeof recordSchema>) => void) {
      for (let poll = 0; poll < POLLS_MAX; poll++) {
        const record = recordSchema.parse(await call('GET', `/v6/notifications/${id}`));
        onProgress(record);
        if (record.state !== 'scheduled' && record.state !== 'sending') return record;
        await wait(POLL_EVERY_MS);
      }
      throw new Error('the notification was not sent within a minute');
    },
    async readAudience(id: string) {
      return audienceSchema.parse(await call('GET', `/v6/audiences/${id}`)).audience;
    },
  };
}
