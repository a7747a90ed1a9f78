import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { readConfig } from '../../src/process/config.ts';
import { LEASE_MS } from '../../src/delivery/slice-store.ts';
import { observeNothing } from '../../src/observe.ts';
import { openResources } from '../../src/process/resources.ts';
import { type Simulator, startSimulator } from '@carillon/simulator';
import { databaseRuns, expectToStop, listeningUrl, startRefusal, useCarillon } from '../support/processes.ts';
import {
  createSimulatedApp,
  gatewaySettings,
  insertDevices,
  openBackend,
  type SimulatedApp,
} from '../support/simulated-app.ts';

const DEVICES = 50;

const carillon = useCarillon();
let simulator: Simulator;
let environment: Record<string, string>;
let dataDir: string;

beforeAll(async () => {
  dataDir = await carillon.makeDir();
  simulator = await startSimulator({ certificateDir: dataDir });
  environment = { ...gatewaySettings(simulator), DATA_DIR: dataDir, PORT: '0' };
});
afterEach(async () => {
  await carillon.killAll();
});
afterAll(async () => {
  await simulator.close();
});

test('only one of two starts at once on a new directory serves, and the other is refused', async () => {
  const starts = [carillon.start(['start'], environment), carillon.start(['start'], environment)];
  const refused = await Promise.race(starts.map(async (start) => start.exited));
  const serving = await Promise.any(starts.map(async (start) => ({ start, url: await listeningUrl(start) })));

  expect(refused.code).toBe(1);
  expect(startRefusal(refused)).toBe(
    `another server is running on ${dataDir}; stop it, or set DATA_DIR to another directory`,
  );
  expect((await fetch(`${serving.url}/readyz`)).status).toBe(200);
  // Not a link, which everybody who reads the log could use.
  await serving.start.line(/^ {2}npx carillon console add-user /);
  expect(serving.start.lines().join('\n')).not.toContain('invite#');
});

test('a broken database of addresses ends a start with 78 and one line, with the embedded database stopped', async () => {
  const file = path.join(dataDir, 'broken.mmdb');
  await writeFile(file, Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1'));
  const exit = await carillon.run(['start'], { ...environment, GEOIP_DATABASE: file });
  expect(exit).toMatchObject({ code: 78, signal: null });
  expect(startRefusal(exit)).toMatch(/^GEOIP_DATABASE cannot be read /);
  expect(await databaseRuns(dataDir)).toBe(false);
});

test('a port that is taken ends a start with 1 and one line', async () => {
  const taken = new URL(simulator.urls.control).port;
  const exit = await carillon.run(['start'], { ...environment, PORT: taken });
  expect(exit.code).toBe(1);
  expect(startRefusal(exit)).toBe(`listen EADDRINUSE: address already in use 127.0.0.1:${taken}`);
});

test('settings with faults end a start with 78 and one line with all faults, in the form of LOG_FORMAT', async () => {
  const faults = { DATA_DIR: dataDir, PORT: 'http', LOG_LEVEL: 'loud' };
  const inJson = await carillon.run(['start'], faults);
  expect(inJson.code).toBe(78);
  expect(startRefusal(inJson)).toMatch(/^PORT [^;]+; LOG_LEVEL [^;]+$/);
  const forPeople = await carillon.run(['start'], { ...faults, LOG_FORMAT: 'pretty' });
  expect(forPeople.stderr).toMatch(/^carillon: the settings have faults:\n {2}PORT .+\n {2}LOG_LEVEL .+\n$/);
});

describe('with an app', () => {
  let app: SimulatedApp;

  beforeAll(async () => {
    const resources = await openResources(readConfig({ DATA_DIR: dataDir }), observeNothing);
    app = await createSimulatedApp(resources.db, resources.secret, simulator);
    await insertDevices(resources.db, app.id, DEVICES);
    await resources.close();
  });

  test.each(['SIGTERM', 'SIGINT'] as const)(
    'a server that gets %s answers the request in flight, exits with 0 and stops the database',
    async (signal) => {
      const server = carillon.start(['start'], environment);
      const { hostname, port } = new URL(await listeningUrl(server));
      // The server says that it has the head of the request; the client means to keep the connection.
      const client = connect(Number(port), hostname);
      const head = [
        'POST /v6/notifications HTTP/1.1',
        'Host: carillon',
        `Authorization: Basic ${Buffer.from(`:${app.key}`).toString('base64')}`,
        'Content-Type: application/json',
        'Content-Length: 2',
        'Expect: 100-continue',
      ];
      client.write(`${head.join('\r\n')}\r\n\r\n`);
      expect(String(await once(client, 'data'))).toMatch(/^HTTP\/1\.1 100 /);

      server.signal(signal);
      await server.line(/"kind":"draining"/);
      const reply = readText(client);
      client.write('{}');

      expect(await reply).toMatch(/^HTTP\/1\.1 422 /);
      expect(await server.exited).toMatchObject({ code: 0, signal: null, stderr: '' });
      expect(await databaseRuns(dataDir)).toBe(false);
    },
  );

  test('a server that gets SIGTERM while it starts exits with 0 and stops the database', async () => {
    const server = carillon.start(['start'], environment);
    await server.line(/"kind":"database_started"/);
    await expectToStop(server);
    expect(await databaseRuns(dataDir)).toBe(false);
  });

  test('a server that gets a second SIGTERM, with pushes unanswered, exits with 1 at once and stops the database', async () => {
    simulator.orderFault({ kind: 'stall', what: 'stream' });
    const before = simulator.counts().apns.requests;
    const server = carillon.start(['start'], environment);
    const { id } = await openBackend(await listeningUrl(server), app.key).notify('*');
    await vi.waitFor(() => expect(simulator.counts().apns.requests).toBeGreaterThan(before), {
      timeout: 30_000,
    });
    server.signal('SIGTERM');
    await server.line(/"kind":"draining"/);
    server.signal('SIGTERM');
    expect(await server.exited).toMatchObject({ code: 1, signal: null });
    expect(await databaseRuns(dataDir)).toBe(false);
    simulator.clearFaults();

    const next = carillon.start(['start'], environment);
    const backend = openBackend(await listeningUrl(next), app.key);
    expect(await backend.untilEnded(id, 30_000)).toMatchObject({ state: 'sent' });
    next.signal('SIGTERM');
    await next.exited;
  });

  test('a server that gets two SIGTERMs while it starts stops the database as well', async () => {
    const server = carillon.start(['start'], environment);
    await server.line(/"kind":"database_started"/);
    server.signal('SIGTERM');
    await server.line(/"kind":"draining"/);
    server.signal('SIGTERM');
    await server.exited;
    expect(await databaseRuns(dataDir)).toBe(false);
  });

  test('a start after kill -9 finishes the work in progress', async () => {
    simulator.orderFault({ kind: 'delay', delayMs: 60_000 });
    // Tests before this one have sent pushes too.
    const sentBefore = simulator.counts().apns.requests;
    const killed = carillon.start(['start'], environment);
    const { id } = await openBackend(await listeningUrl(killed), app.key).notify('*');
    await vi.waitFor(() => expect(simulator.counts().apns.requests).toBeGreaterThan(sentBefore), {
      timeout: 30_000,
    });
    killed.signal('SIGKILL');
    await killed.exited;
    simulator.clearFaults();

    const next = openBackend(await listeningUrl(carillon.start(['start'], environment)), app.key);
    // Sooner than the killed server's lease would have run out.
    expect(await next.untilEnded(id, LEASE_MS / 2)).toMatchObject({ state: 'sent', accepted: DEVICES });
    expect(simulator.pushesByToken(id).size).toBe(DEVICES);
  });
});
