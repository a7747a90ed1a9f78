/**
 * The simulator's HTTP API with JSON, for other processes: lists received pushes, orders faults and creates
 * credentials. It has no authentication and returns private keys, so it must listen only on a loopback address.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { z } from 'zod';
import { faultSchema } from './faults.ts';
import { closePort, openPort } from './listener.ts';
import type { Simulator } from './surface.ts';
import { WEB_SERVICES } from './web/subscriptions.ts';

export interface ControlServer {
  readonly port: number;
  /** Sets the simulator to control. */
  serve(simulator: Simulator): void;
  close(): Promise<void>;
}

interface ControlRequest {
  query: URLSearchParams;
  body: unknown;
}
/** A body that is undefined is sent as `{}`. */
type Answer = [status: number, body: unknown];

const BODY_BYTES_MAX = 1_048_576;
const REQUEST_TIMEOUT_MS = 10_000;

const receivedQuerySchema = z.strictObject({
  token: z.string().optional(),
  gateway: z.enum(['apns', 'fcm', 'web_push']).optional(),
  nid: z.string().optional(),
});
const name = z.string().min(1);
/** Without a public key, a key pair is created and its private key returned. */
const keySchema = z.union([
  z.strictObject({
    gateway: z.literal('apns'),
    teamId: name,
    keyId: name,
    bundleId: name,
    environment: z.enum(['production', 'sandbox']).optional(),
    publicKeyPem: name.optional(),
  }),
  z.strictObject({ gateway: z.literal('fcm'), projectId: name }),
  z.strictObject({ gateway: z.literal('fcm'), projectId: name, clientEmail: name, publicKeyPem: name }),
]);
const deviceSchema = z.strictObject({
  token: name,
  topic: name,
  environment: z.enum(['production', 'sandbox']),
});

const channelSchema = z.strictObject({
  bundleId: name,
  environment: z.enum(['production', 'sandbox']),
  storagePolicy: z.union([z.literal(0), z.literal(1)]).default(1),
});

const installationSchema = z.strictObject({ fid: name });

const subscriberSchema = z.strictObject({
  service: z.enum(WEB_SERVICES).optional(),
  applicationServerKey: name.optional(),
});
const unsubscribedSchema = z.strictObject({
  endpoint: z.url(),
  status: z.union([z.literal(404), z.literal(410)]).optional(),
});
const flag = z.boolean().exactOptional();
const webSettingsSchema = z.strictObject({ http1Only: flag, decrypt: flag });

const routes: Readonly<Record<string, (simulator: Simulator, request: ControlRequest) => Answer>> = {
  'GET /': ({ urls, caPem }) => [200, { urls, caPem }],
  'GET /received': (simulator, { query }) => [
    200,
    { received: simulator.received(receivedQuerySchema.parse(Object.fromEntries(query))) },
  ],
  'GET /counts': (simulator) => [200, simulator.counts()],
  'GET /channels': ({ apple }) => [200, { channels: apple.channels() }],
  'POST /channels': ({ apple }, { body }) => {
    const created = apple.createChannel(channelSchema.parse(body));
    return created === undefined ? [409, { error: 'The app has too many channels.' }] : [201, created];
  },
  'GET /broadcasts': ({ apple }) => [200, { broadcasts: apple.broadcasts() }],
  'GET /faults': (simulator) => [200, { faults: simulator.faults() }],
  'POST /faults': (simulator, { body }) => {
    const orders = z.array(faultSchema).parse(Array.isArray(body) ? body : [body]);
    return [201, { ids: orders.map((order) => simulator.orderFault(order)) }];
  },
  'DELETE /faults': (simulator) => [200, simulator.clearFaults()],
  'POST /reset': (simulator) => [200, simulator.reset()],
  'POST /devices': ({ apple }, { body }) => [201, apple.registerDevice(deviceSchema.parse(body))],
  'POST /installations': ({ google }, { body }) => [
    201,
    google.registerInstallation(installationSchema.parse(body).fid),
  ],
  'POST /subscriptions': ({ web }, { body }) => [201, web.subscribe(subscriberSchema.parse(body ?? {}))],
  'DELETE /subscriptions': ({ web }, { body }) => {
    const { endpoint, status } = unsubscribedSchema.parse(body);
    return [200, web.unsubscribe(endpoint, status)];
  },
  'GET /waiting': ({ web }, { query }) => [200, { waiting: web.waiting(query.get('endpoint') ?? '') }],
  'POST /web': ({ web }, { body }) => [200, web.set(webSettingsSchema.parse(body))],
  'POST /keys': (simulator, { body }) => [201, addKey(simulator, keySchema.parse(body))],
};

function addKey(simulator: Simulator, key: z.infer<typeof keySchema>): unknown {
  if (key.gateway === 'fcm') {
    const { google } = simulator;
    return 'publicKeyPem' in key ? google.registerServiceAccount(key) : google.createServiceAccount(key);
  }
  const { gateway: _gateway, publicKeyPem, ...owner } = key;
  if (publicKeyPem === undefined) return simulator.apple.createKey(owner);
  return simulator.apple.registerKey(owner, publicKeyPem);
}

export async function openControl({ host, port }: { host: string; port: number }): Promise<ControlServer> {
  let served: Simulator | undefined;
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, (request, response) => {
    answerRequest(served, request, response).catch((error: unknown) => {
      if (!response.headersSent) send(response, answerOfError(error));
    });
  });
  return {
    port: await openPort(server, { host, port }),
    serve: (simulator) => {
      served = simulator;
    },
    close: async () => closePort(server, () => server.closeAllConnections()),
  };
}

async function answerRequest(
  simulator: Simulator | undefined,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://control');
  const route = routes[`${request.method} ${url.pathname}`];
  if (simulator === undefined || route === undefined) {
    send(response, [404, { error: `There is nothing here. Try: ${Object.keys(routes).join(', ')}` }]);
    return;
  }
  const text = await readText(request);
  const body: unknown = text === '' ? undefined : JSON.parse(text);
  send(response, route(simulator, { query: url.searchParams, body }));
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) continue;
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) throw new RangeError('The body is over 1 MiB.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function send(response: ServerResponse, [status, body = {}]: Answer): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function answerOfError(error: unknown): Answer {
  if (error instanceof z.ZodError) return [422, { error: z.prettifyError(error) }];
  return [400, { error: error instanceof Error ? error.message : String(error) }];
}
