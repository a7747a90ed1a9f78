/** Pushes with node:http2 alone: headers as flat arrays; only the status of an answer is read. */
import { randomUUID } from 'node:crypto';
import type { ClientHttp2Session } from 'node:http2';
import type { z } from 'zod';
import { systemClock } from '../../src/clock.ts';
import { openProviderToken } from '../../src/gateways/apns/provider-token.ts';
import type { appleInput } from './sending.ts';

export interface Request {
  headers: readonly string[];
  body: Buffer | string;
}

/** @returns the request that Carillon sends for the bench's notification, by push token */
export function appleRequests(
  { apnsUrl, bundleId, apns }: z.infer<typeof appleInput>,
  nid: string,
): (token: string) => Request {
  const shared = Object.entries({
    ':method': 'POST',
    ':scheme': 'https',
    ':authority': new URL(apnsUrl).host,
    authorization: `bearer ${openProviderToken(apns, systemClock).current()}`,
    'apns-topic': bundleId,
    'apns-push-type': 'alert',
    'apns-priority': '10',
    'apns-expiration': '0',
    'apns-collapse-id': nid,
  }).flat();
  const body = Buffer.from(JSON.stringify({ aps: { alert: 'Hello' }, order_id: 4711, _nid: nid }));
  return (token) => ({
    headers: [...shared, ':path', `/3/device/${token}`, 'apns-id', randomUUID()],
    body,
  });
}

/** @returns the status of the answer; 0 if there was none */
export function send(session: ClientHttp2Session, { headers, body }: Request): Promise<number> {
  return new Promise((resolve) => {
    const stream = session.request(headers);
    let status = 0;
    stream.on('response', (answer) => {
      status = answer[':status'] ?? 0;
    });
    stream.on('error', () => undefined); // without an answer it was not accepted
    stream.on('close', () => resolve(status));
    stream.resume();
    stream.end(body);
  });
}
