/** FCM without a key file: the identity of the process, from a cloud's metadata server. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { openFcm } from '../../src/gateways/fcm/fcm.ts';
import { probeFcm } from '../../src/gateways/fcm/probe-fcm.ts';
import { processIdentity } from '../../src/gateways/fcm/service-account.ts';
import type { PushMessage } from '../../src/gateways/gateway.ts';
import { observeNothing } from '../../src/observe.ts';
import { type Simulator, startSimulator } from '@carillon/simulator';
import { type MetadataServer, openMetadataServer } from '../support/metadata-server.ts';
import { useTemporaryDir } from '../support/temporary-dir.ts';

const message: PushMessage = {
  notificationId: '0d7c1b9e-6f51-4d5e-9a53-5a2f0b6f8c11',
  payload: { alert: 'Hi' },
  priority: 'high',
  timeToLiveSeconds: 60,
  dueAt: new Date(),
};

/** The first probe loads all of Google's libraries, which took 16 s on a machine with 16 busy processes. */
const PATIENT = { timeoutMs: 50_000 };
const directory = useTemporaryDir();
let simulator: Simulator;
let metadata: MetadataServer;

beforeAll(async () => {
  simulator = await startSimulator({ certificateDir: directory.path });
  metadata = await openMetadataServer(() => simulator.google.createAccessToken({ projectId: 'my-project' }));
  for (const [name, value] of Object.entries(metadata.environment)) vi.stubEnv(name, value);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await metadata.close();
  await simulator.close();
});

function addresses() {
  const { fcm: fcmUrl, oauth: oauthUrl } = simulator.urls;
  return { fcmUrl, oauthUrl, ca: readFileSync(simulator.caFile ?? '', 'utf8'), clock: systemClock };
}

test('Google validates a message that is sent with the identity of the process, and delivers none', async () => {
  const probe = await probeFcm({ ...addresses(), ...PATIENT, credentials: processIdentity('my-project') });
  expect(probe).toEqual({ result: 'good' });
  expect(simulator.received()).toEqual([]);
});

test('an identity without permission in the project is refused', async () => {
  const probe = await probeFcm({ ...addresses(), ...PATIENT, credentials: processIdentity('other-project') });
  expect(probe).toEqual({ result: 'refused', reason: 'PERMISSION_DENIED' });
});

test('pushes share one access token of the process', async () => {
  const credentials = processIdentity('my-project');
  const gateway = openFcm({ ...addresses(), credentials, observe: observeNothing });
  const send = gateway.compile(message, () => true);
  const tokens = Array.from({ length: 20 }, (_, index) => `device:${index}`);
  const verdicts = await Promise.all(
    tokens.map((pushToken) => send({ deviceId: pushToken, pushToken, pushTokenType: 'token' })),
  );
  await gateway.close();
  expect(verdicts).toEqual(tokens.map(() => ({ kind: 'accepted' })));
  expect(simulator.received()).toHaveLength(20);
  expect(metadata.issued()).toBe(1);
});
