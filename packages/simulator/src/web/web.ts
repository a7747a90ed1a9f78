/**
 * Simulates the push services of browsers on one port, over HTTP/2 and HTTP/1.1. The path of an endpoint says whose rules and
 * replies it has.
 */
import { randomUUID } from 'node:crypto';
import { type Servable, serve, type Shared } from '../answer-or-fault.ts';
import { type Exchange, keptHeaders, listen, type Reply } from '../listener.ts';
import { readJson } from '../read-json.ts';
import { orderedReply, refusalReply } from './refusals.ts';
import { type AcceptedWebPush, judgeWebPush } from './request.ts';
import { createWebSubscriptions, serviceOf, type WebService } from './subscriptions.ts';
import { createVapid } from './vapid.ts';

/** What can be switched while the simulator runs. */
export interface WebSettings {
  /** Whether only HTTP/1.1 is offered to new connections. Default: no. */
  http1Only: boolean;
  /** Whether bodies are decrypted, some 250 µs each. Without, only their form and size are checked. Default: yes. */
  decrypt: boolean;
}

export interface WebOptions extends Shared {
  port: number;
  settings: WebSettings;
}

/** Google's SETTINGS_MAX_CONCURRENT_STREAMS. */
const STREAMS_MAX = 100;

export async function openWeb(options: WebOptions) {
  const { clock, settings, ledger } = options;
  const subscriptions = createWebSubscriptions();
  const vapid = createVapid(clock);

  const book = (
    exchange: Exchange,
    push: AcceptedWebPush & { endpoint: string; service: WebService; origin: string },
  ): Reply => {
    const { endpoint, service, ttl, urgency, topic, subject, opened } = push;
    const text = opened !== null && 'text' in opened ? opened.text : null;
    const bodyFault = opened !== null && 'fault' in opened ? opened.fault : null;
    if (bodyFault !== null) ledger.refused('web_push', 'UnreadableBody');
    const nid = text === null ? null : nidOf(text);
    ledger.took('web_push', endpoint, nid, () => ({
      gateway: 'web_push',
      service,
      token: endpoint,
      ttl,
      urgency,
      topic,
      subject,
      text,
      bodyFault,
      headers: keptHeaders(exchange),
      body: exchange.body.toString('base64url'),
      nid,
      at: clock(),
    }));
    const id = randomUUID();
    const headers = { location: `${push.origin}/message/${id}`, ttl: `${ttl}`, ...ownHeaders(service, id) };
    return { status: 201, headers, body: '' };
  };

  const onExchange = (exchange: Exchange): void => {
    const origin = `https://${exchange.headers[':authority']?.toString() ?? exchange.headers.host}`;
    // Python's requests writes escapes in capitals, which RFC 3986 allows.
    const path = exchange.path.replaceAll(/%[\dA-F]{2}/g, (escape) => escape.toLowerCase());
    const endpoint = `${origin}${path}`;
    const service = serviceOf(path);
    const judge = (): Reply => {
      const { decrypt } = settings;
      const subscription = subscriptions.find(path);
      const judgement = judgeWebPush(exchange, { vapid, service, subscription, origin, decrypt });
      if (!('reason' in judgement)) return book(exchange, { ...judgement, endpoint, service, origin });
      ledger.refused('web_push', judgement.reason);
      return withOwnHeaders(service, refusalReply(service, judgement));
    };
    const answer: Servable['answer'] = ({ status, reason }) =>
      withOwnHeaders(service, orderedReply(service, status, reason));
    const whom = { gateway: 'web_push', environment: undefined, token: endpoint } as const;
    serve(exchange, { ...whom, service, judge, answer }, options);
  };

  const listener = await listen({
    ...options,
    streamsMax: STREAMS_MAX,
    protocols: () => (settings.http1Only ? ['http/1.1'] : ['h2', 'http/1.1']),
    onExchange,
  });
  return { port: listener.port, subscriptions, close: () => listener.close() };
}

function withOwnHeaders(service: WebService, reply: Reply): Reply {
  return { ...reply, headers: { ...ownHeaders(service, randomUUID()), ...reply.headers } };
}

function ownHeaders(service: WebService, id: string): Record<string, string> {
  if (service === 'apple') return { 'apns-id': id.toUpperCase() };
  return service === 'windows' ? { 'x-wns-msg-id': id, 'x-wns-status': 'received' } : {};
}

/** The notification id of Carillon, in the message itself or in the data of its notification. */
function nidOf(text: string): string | null {
  const message = readJson(text);
  const found = [message, member(message, 'data'), member(member(message, 'notification'), 'data')]
    .map((holder) => member(holder, '_nid'))
    .find((value) => typeof value === 'string');
  return typeof found === 'string' ? found : null;
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
