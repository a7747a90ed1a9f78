import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startSimulator } from '../src/simulator.ts';
import { writeSimulatorFiles } from '../src/write-files.ts';
import { appleToken, grantForm, openClient, providerToken, requestHttp1 } from './client.ts';
import { useSimulator } from './harness.ts';

const harness = useSimulator();
let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'carillon-simulator-'));
});
afterEach(async () => {
  await rm(dir, { recursive: true, force: true });
});

test('the simulator writes credentials that it accepts, the secret ones for the owner only', async () => {
  const { simulator, now } = harness;
  const files = await writeSimulatorFiles(simulator, join(dir, 'new'), { bundleId: 'com.example.files' });
  const privateKeyPem = await readFile(files.apnsKeyFile, 'utf8');
  const ca = await readFile(files.caFile, 'utf8');
  const client = await openClient(simulator.urls.apnsSandbox, ca);
  const pushed = await client.request(
    {
      ':path': `/3/device/${appleToken(1)}`,
      authorization: `bearer ${providerToken({ ...files, privateKeyPem }, now)}`,
      'apns-topic': 'com.example.files',
    },
    '{"aps":{"alert":"Hello"}}',
  );
  expect(pushed).toMatchObject({ status: 200 });
  client.close();

  const account = JSON.parse(await readFile(files.serviceAccountFile, 'utf8'));
  expect(account.project_id).toBe(files.projectId);
  const granted = await requestHttp1(simulator.urls.oauth, ca, { body: grantForm(account, now) });
  expect(granted).toMatchObject({ status: 200 });
  for (const file of [files.apnsKeyFile, files.serviceAccountFile]) {
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  }
});

test('the simulator writes its certificate authority to the given file', async () => {
  const simulator = await startSimulator({ certificateDir: join(dir, 'authority') });
  expect(await readFile(simulator.caFile ?? '', 'utf8')).toBe(simulator.caPem);
  await simulator.close();
});

test('the simulator opens all of its ports or none', async () => {
  const taken = Number(new URL(harness.simulator.urls.control).port);
  await expect(startSimulator({ ports: { control: taken } })).rejects.toThrow('EADDRINUSE');
});

test('the simulator can be closed twice', async () => {
  const simulator = await startSimulator();
  await simulator.close();
  await simulator.close();
  await expect(openClient(simulator.urls.fcm, simulator.caPem)).rejects.toThrow('ECONNREFUSED');
});
