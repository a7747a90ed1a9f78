/** One request, followed by its id through the log and by its trace through a collector, from HTTP to the gateway. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { parseSecretKey } from '../../src/process/secret-key.ts';
import { type Simulator, startSimulator } from '@carillon/simulator';
import { useTestDatabase } from '../support/database.ts';
import { listeningUrl, type RunningProcess, useCarillon } from '../support/processes.ts';
import {
  createSimulatedApp,
  gatewaySettings,
  insertDevices,
  openBackend,
  type SimulatedApp,
} from '../support/simulated-app.ts';
import { type CollectedSpan, type Collector, startCollector } from '../tracing/collector.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER = '00f067aa0ba902b7';
const DEVICES = 300;
const ENDS_WITHIN_MS = 60_000;
const timeout = 120_000;
/** Says on standard error that the SDK of OpenTelemetry is loaded. */
const TELL_LOADED = `--import=data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  registerHooks({ resolve(name, context, next) {
    if (name.includes('open-tracing')) process.stderr.write('loaded the SDK\\n');
    return next(name, context);
  } });`)}`;

const database = useTestDatabase();
const carillon = useCarillon();
const secretKey = randomBytes(32).toString('hex');
let simulator: Simulator;
let collector: Collector;
let app: SimulatedApp;
let environment: Record<string, string>;

beforeAll(async () => {
  simulator = await startSimulator({ certificateDir: await carillon.makeDir() });
  collector = await startCollector();
  environment = {
    ...gatewaySettings(simulator),
    DATABASE_URL: database.url,
    SECRET_KEY: secretKey,
    DATA_DIR: await carillon.makeDir(),
    PORT: '0',
    LOG_LEVEL: 'debug',
    NODE_OPTIONS: TELL_LOADED,
  };
});
beforeEach(async () => {
  simulator.reset();
  app = await createSimulatedApp(database.db, parseSecretKey(secretKey), simulator);
  await insertDevices(database.db, app.id, DEVICES);
});
afterAll(async () => {
  await collector.close();
  await simulator.close();
});

function start(settings: Record<string, string> = {}): RunningProcess {
  return carillon.start(['start'], { ...environment, ...settings });
}

async function notify(server: RunningProcess, headers: Record<string, string>): Promise<string> {
  const backend = openBackend(await listeningUrl(server), app.key);
  const body = { notification: { to: '*', payload: { alert: 'Hello' } } };
  const reply = await backend.call('POST', '/v6/notifications', body, headers);
  expect(reply.status).toBe(201);
  const { id } = z.object({ id: z.string() }).parse(reply.body);
  expect(await backend.untilEnded(id, ENDS_WITHIN_MS)).toMatchObject({ state: 'sent' });
  return id;
}

/** Ends the server. @returns its log */
async function drained(server: RunningProcess): Promise<{ stdout: string; stderr: string }> {
  server.signal('SIGTERM');
  const { code, ...written } = await server.exited;
  expect(code).toBe(0);
  return written;
}

test(
  'one grep for its id finds every line about a request, and tracing that is off loads nothing of the SDK',
  { timeout },
  async () => {
    simulator.orderFault({ kind: 'answer', gateway: 'apns', status: 503, reason: 'Shutdown', times: 3 });
    simulator.orderFault({ kind: 'answer', gateway: 'fcm', status: 404, reason: 'UNREGISTERED', times: 2 });
    const server = start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_SDK_DISABLED: 'true' });
    await notify(server, { 'x-request-id': 'grep-me' });
    const { stdout, stderr } = await drained(server);
    expect(stderr).not.toContain('loaded the SDK');
    const kinds = stdout
      .split('\n')
      .filter((line) => line.includes('grep-me'))
      .map((line) => z.object({ kind: z.string() }).parse(JSON.parse(line)).kind);
    expect([...new Set(kinds)].sort()).toEqual([
      'delivery_progress',
      'notification_ended',
      'notification_planned',
      'push_finished',
      'push_retried',
      'request_handled',
      'slice_finished',
      'slice_recorded',
    ]);
    // The three that were delayed and the two that were refused; accepted pushes have no line.
    expect(kinds.filter((kind) => kind === 'push_retried')).toHaveLength(3);
    expect(kinds.filter((kind) => kind === 'push_finished')).toHaveLength(2);
  },
);

test('a trace leads from the caller to the sessions with the gateways', { timeout }, async () => {
  simulator.orderFault({ kind: 'answer', gateway: 'fcm', status: 404, reason: 'UNREGISTERED', times: 2 });
  const server = start({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_SERVICE_NAME: 'pushes',
    OTEL_RESOURCE_ATTRIBUTES: 'service.name=overruled,deployment.environment.name=test',
  });
  const traceparent = `00-${TRACE}-${CALLER}-01`;
  const id = await notify(server, { traceparent, 'x-request-id': 'follow-me' });
  const { stderr } = await drained(server);
  expect(stderr).toContain('loaded the SDK');

  expect(collector.resources()[0]).toMatchObject({
    'service.name': 'pushes',
    'deployment.environment.name': 'test',
  });
  // The calls by which the test waits for the end have traces of their own.
  const spans = collector.spans().filter(({ traceId }) => traceId === TRACE);
  const [request] = named(spans, 'POST /v6/notifications');
  expect(request).toMatchObject({
    parentSpanId: CALLER,
    attributes: {
      'http.request.method': 'POST',
      'http.route': '/v6/notifications',
      'http.response.status_code': 201,
      'carillon.request.id': 'follow-me',
    },
  });
  const [create] = named(spans, 'create notification');
  expect(create).toMatchObject({ parentSpanId: request?.spanId });
  const of = {
    'carillon.app.id': app.id,
    'carillon.notification.id': id,
    'carillon.request.id': 'follow-me',
  };
  expect(named(spans, 'plan notification')).toMatchObject([
    {
      parentSpanId: create?.spanId,
      attributes: { ...of, 'carillon.devices': DEVICES, 'carillon.slices': 1, 'carillon.lane': 'bulk' },
    },
  ]);
  const [slice] = named(spans, 'deliver slice');
  expect(slice).toMatchObject({
    parentSpanId: create?.spanId,
    attributes: {
      ...of,
      'carillon.slice.number': 0,
      'carillon.slice.attempt': 1,
      'carillon.devices.accepted': DEVICES - 2,
      'carillon.devices.unregistered': 2,
      'carillon.devices.rejected': 0,
      'carillon.devices.ambiguous': 0,
    },
  });
  expect(slice?.events.map(({ name }) => name)).toContain('session opened');
  for (const name of ['read devices', 'record outcomes']) {
    expect(named(spans, name).length).toBeGreaterThan(0);
    for (const span of named(spans, name)) expect(span.parentSpanId).toBe(slice?.spanId);
  }
  // No span per push, and no other span.
  expect([...new Set(spans.map(({ name }) => name))].sort()).toEqual([
    'POST /v6/notifications',
    'create notification',
    'deliver slice',
    'plan notification',
    'read devices',
    'record outcomes',
    'wake a worker',
  ]);
});

test('a collector that hangs does not delay a push or the end', { timeout }, async () => {
  collector.answerWith(0);
  const server = start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  await notify(server, {});
  // The collector never answers, so nothing but a limit of ours ends the export.
  await drained(server);
});

function named(spans: readonly CollectedSpan[], name: string): CollectedSpan[] {
  return spans.filter((span) => span.name === name);
}
