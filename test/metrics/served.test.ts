import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Config, readConfig } from '../../src/process/config.ts';
import { type Server, startServer } from '../../src/main.ts';
import { troubleCodes } from '../../src/status/trouble.ts';
import { type Simulator, startSimulator } from '@carillon/simulator';
import { collectObservations, useTestDatabase } from '../support/database.ts';
import {
  createSimulatedApp,
  gatewaySettings,
  insertDevices,
  openBackend,
  type SimulatedApp,
} from '../support/simulated-app.ts';

const database = useTestDatabase();
const SECRET_KEY = 'ab'.repeat(32);

function config(changes: Partial<Config> = {}, gateways: Record<string, string> = {}): Config {
  const settings = { DATABASE_URL: database.url, SECRET_KEY, PORT: '0', ...gateways };
  return { ...readConfig(settings, false), ...changes };
}

async function get(address: string): Promise<{ status: number; type: string | null; text: string }> {
  const response = await fetch(address, { signal: AbortSignal.timeout(10_000) });
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    text: await response.text(),
  };
}

describe('after a notification to two thousand devices', () => {
  const { observe, seen } = collectObservations();
  let directory: string;
  let simulator: Simulator;
  let server: Server;
  let app: SimulatedApp;
  let secrets: string[];
  let text: string;

  beforeAll(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'carillon-metrics-'));
    simulator = await startSimulator({ certificateDir: directory });
    // Observations made with every push are kept only at the log level that wants them.
    server = await startServer(config({ logLevel: 'trace' }, gatewaySettings(simulator)), observe);
    const { db, secret } = server.resources;
    app = await createSimulatedApp(db, secret, simulator);
    const devices = await insertDevices(db, app.id, 2_500);
    await db.updateTable('devices').set({ user_email: 'zoe.quinby@example.com' }).execute();
    const backend = openBackend(server.url ?? '', app.key);
    const { id } = await backend.notify('*');
    await backend.untilEnded(id, 30_000);
    secrets = [
      ...devices.flatMap((device) => [device.token, device.id]),
      id,
      app.id,
      app.bundleId,
      app.key,
      'zoe.quinby',
      'Hello',
      'order_id',
    ];
    // The last slice is observed after the end of its notification, and its jobs run once more.
    text = await vi.waitFor(
      async () => {
        const page = await get(`${server.url}/metrics`);
        expect(page.text).toContain('carillon_slice_duration_seconds_count 3\n');
        expect(page.text).toContain('carillon_queue_jobs{lane="bulk"} 0\n');
        return page.text;
      },
      { timeout: 30_000, interval: 200 },
    );
  });

  afterAll(async () => {
    await server?.close();
    await simulator?.close();
    await rm(directory, { recursive: true, force: true });
  });

  test('the metrics served are those of the catalogue and those of the process, each with a help text', () => {
    const source = readFileSync(new URL('../../src/metrics/catalogue.ts', import.meta.url), 'utf8');
    const named = [...source.matchAll(/'(carillon_\w+)'/g)].map(([, name = '']) => name);
    const served = [...text.matchAll(/^# TYPE (\w+) /gm)].map(([, name = '']) => name);
    expect(served.filter((name) => !/^(process|nodejs)_/.test(name)).sort()).toEqual(named.sort());
    expect([...text.matchAll(/^# HELP (\w+) \S.*$/gm)].map(([, name]) => name)).toEqual(served);
    expect(served).toEqual(
      expect.arrayContaining(['process_cpu_seconds_total', 'nodejs_gc_duration_seconds']),
    );
  });

  test('each code of a trouble has a metric', () => {
    const codes = [...text.matchAll(/^carillon_trouble\{code="(\w+)"\} \d+$/gm)].map(([, code]) => code);
    expect(new Set(codes)).toEqual(new Set(troubleCodes));
  });

  test('every stage has counted the notification', () => {
    const lines = text.split('\n');
    expect(lines).toEqual(
      expect.arrayContaining([
        'carillon_notifications_planned_total{lane="bulk"} 1',
        'carillon_notifications_ended_total{state="sent"} 1',
        'carillon_pushes_total{gateway="apns",outcome="accepted"} 1250',
        'carillon_pushes_total{gateway="fcm",outcome="accepted"} 1250',
        'carillon_gateway_streams{gateway="apns"} 0',
        'carillon_gateway_streams{gateway="fcm"} 0',
        'carillon_delivery_lag_seconds 0',
        'carillon_errors_total{where="job"} 0',
        'carillon_trouble{code="database_away"} 0',
        'carillon_trouble{code="no_worker"} 0',
        'carillon_http_request_duration_seconds_count{method="POST",route="/v6/notifications",status="201"} 1',
      ]),
    );
    for (const gateway of ['apns', 'fcm']) {
      // A gateway may refuse a stream unprocessed; every push has its answer in the end.
      expect(text).toMatch(
        new RegExp(`^carillon_gateway_answer_seconds_count{gateway="${gateway}"} 1250$`, 'm'),
      );
      expect(text).toMatch(new RegExp(`^carillon_gateway_sessions{gateway="${gateway}"} [1-9]`, 'm'));
    }
    expect(text).toMatch(/^carillon_database_connections{state="(idle|in_use)"} [1-9]/m);
  });

  test('the metrics contain nothing about a device, an app, a notification or a person', () => {
    const found = secrets.filter((secret) => text.includes(secret));
    expect(found).toEqual([]);
  });

  test('observations made per push and per slice contain no push token and no payload', () => {
    const reported = JSON.stringify(seen.filter(({ kind }) => /^(push|slice|delivery|session)_/.test(kind)));
    expect(seen.filter(({ kind }) => kind === 'push_finished')).toHaveLength(2_500);
    expect(secrets.slice(0, 5_000).filter((secret) => reported.includes(secret))).toEqual([]);
    expect(reported).not.toContain('Hello');
  });

  test('the log has the end of the notification', () => {
    expect(seen.findLast(({ kind }) => kind === 'delivery_progress')).toMatchObject({
      state: 'sent',
      lane: 'bulk',
      devices: 2_500,
      done: 2_500,
      percent: 100,
    });
  });
});

async function withServer(changes: Partial<Config>, use: (server: Server) => Promise<void>): Promise<void> {
  const server = await startServer(config(changes), () => undefined);
  try {
    await use(server);
  } finally {
    await server.close();
  }
}

describe('the metrics port', () => {
  test('metrics are served on the port of the API if no port is set for them', async () => {
    await withServer({ role: 'api' }, async ({ url, metricsUrl }) => {
      expect(metricsUrl).toBeUndefined();
      const page = await get(`${url}/metrics`);
      expect(page).toMatchObject({ status: 200, type: 'text/plain; version=0.0.4; charset=utf-8' });
    });
  });

  test('metrics are served on a port of their own if one is set, and not on the port of the API', async () => {
    await withServer({ role: 'all', metricsPort: 0 }, async ({ url, metricsUrl }) => {
      expect((await get(`${metricsUrl}/metrics`)).text).toContain('# HELP carillon_pushes_total ');
      expect((await get(`${url}/metrics`)).status).toBe(404);
      expect((await get(`${metricsUrl}/v6/notifications`)).status).toBe(404);
    });
  });

  test('the port for metrics serves the metrics and health of a worker, which has no other port', async () => {
    await withServer({ role: 'worker', metricsPort: 0 }, async ({ url, metricsUrl }) => {
      expect(url).toBeUndefined();
      expect((await get(`${metricsUrl}/metrics`)).text).toContain('carillon_delivery_lag_seconds 0');
      expect(await get(`${metricsUrl}/healthz`)).toMatchObject({ status: 200, text: '{"status":"up"}' });
      expect((await get(`${metricsUrl}/readyz`)).status).toBe(200);
    });
  });

  test('the port for metrics listens on the address in HOST', async () => {
    await withServer({ role: 'worker', metricsPort: 0, host: '127.0.0.2' }, async ({ metricsUrl }) => {
      expect(metricsUrl).toMatch(/^http:\/\/127\.0\.0\.2:\d+$/);
    });
  });
});
