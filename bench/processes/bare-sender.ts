/** Baseline: node:http2 only (bare-http2.ts). One connection per gateway, 100 requests in flight. */
import { randomUUID } from 'node:crypto';
import { type ClientHttp2Session, connect } from 'node:http2';
import { appleRequests, type Request, send } from './bare-http2.ts';
import { runSenders, type Send, type SenderInput } from './sending.ts';

const IN_FLIGHT = 100;

await runSenders(async (input) => {
  const sessions: ClientHttp2Session[] = [];
  const sender = (url: string, requestTo: (token: string) => Request): Send => {
    let session: ClientHttp2Session | undefined;
    return async (tokens) => {
      if (session === undefined) sessions.push((session = connect(url, { ca: input.ca })));
      return sendAll(session, tokens, requestTo);
    };
  };
  const nid = randomUUID();
  return {
    iOS: sender(input.apnsUrl, appleRequests(input, nid)),
    Android: sender(input.fcmUrl, googleRequests(input, nid)),
    close: async () => {
      for (const session of sessions) session.close();
    },
  };
});

function googleRequests(
  { fcmUrl, projectId, accessToken }: SenderInput,
  nid: string,
): (token: string) => Request {
  const headers = Object.entries({
    ':method': 'POST',
    ':scheme': 'https',
    ':authority': new URL(fcmUrl).host,
    ':path': `/v1/projects/${projectId}/messages:send`,
    authorization: `Bearer ${accessToken}`,
    'content-type': 'application/json',
  }).flat();
  const data = { alert: 'Hello', order_id: '4711', _nid: nid };
  const rest = JSON.stringify({ data, android: { priority: 'high', ttl: '0s' } }).slice(1);
  return (token) => ({ headers, body: `{"message":{"token":${JSON.stringify(token)},${rest}}` });
}

async function sendAll(
  session: ClientHttp2Session,
  tokens: readonly string[],
  requestTo: (token: string) => Request,
): Promise<number> {
  const next = tokens.values();
  let accepted = 0;
  const sendSome = async (): Promise<void> => {
    for (const token of next) {
      if ((await send(session, requestTo(token))) === 200) accepted += 1;
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, sendSome));
  return accepted;
}
