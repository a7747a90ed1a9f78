/** A key is replaced by another one of the same team while a bulk notification is being sent with it. */
import { createSecretKey, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { putApnsCredentials, readCredentials } from '../../src/apps/credentials/store.ts';
import { systemClock } from '../../src/clock.ts';
import { createNotification } from '../../src/notifications/create.ts';
import { readNotification } from '../../src/notifications/look-up/read.ts';
import type { Observation } from '../../src/observe.ts';
import { type Simulator, startSimulator } from '@carillon/simulator';
import { useTestDatabase } from '../support/database.ts';
import { PATIENCE } from '../support/patience.ts';
import { createSimulatedApp, newAppleId } from '../support/simulated-app.ts';
import { startTestWorker } from '../support/worker.ts';
import { insertPhones } from './in-process.ts';

const database = useTestDatabase();
const secret = { current: createSecretKey(randomBytes(32)) };
/** Enough slices that some begin with the second key. */
const DEVICES = 12_000;
let simulator: Simulator;

beforeAll(async () => {
  simulator = await startSimulator({ keep: DEVICES, initialStreams: 100 });
});
afterAll(async () => simulator.close());

test('every device gets the push once, with the first key or the second, and no route is paused', async () => {
  const app = await createSimulatedApp(database.db, secret, simulator);
  await insertPhones({ db: database.db, appId: app.id, at: new Date() }, DEVICES);
  const { apns_production: first } = await readCredentials(database.db, secret, app.id);
  const teamId = String(first?.teamId);
  const second = simulator.apple.createKey({ teamId, keyId: newAppleId(), bundleId: app.bundleId });

  const seen: Observation[] = [];
  let finished = 0;
  let replaced: Promise<unknown> | undefined;
  const replace = async (): Promise<unknown> => {
    const { keyId, privateKeyPem: privateKey } = second;
    const key = { appId: app.id, keyId, teamId, privateKey, environment: 'all' as const };
    return putApnsCredentials(database.db, secret, key, systemClock);
  };
  const worker = startTestWorker({
    db: database.db,
    secret,
    simulator,
    clock: systemClock,
    observe: (observation) => {
      if (observation.kind !== 'push_finished') seen.push(observation);
      else if ((finished += 1) === DEVICES / 24) replaced = replace();
    },
  });
  try {
    const body = { notification: { to: '*', payload: { alert: 'Hello' } } };
    const { id } = await createNotification(
      database.db,
      { appId: app.id, body, requestId: 'request-1' },
      { clock: systemClock, queue: worker.queue, observe: () => undefined },
    );
    await vi.waitFor(async () => {
      const record = await readNotification(database.db, app.id, id, systemClock);
      expect(record).toMatchObject({ state: 'sent', accepted: DEVICES, rejected: 0, reason: null });
    }, PATIENCE);
    await replaced;
    const pushes = simulator.received({ nid: id });
    expect(pushes).toHaveLength(DEVICES);
    expect(new Set(pushes.map(({ token }) => token)).size).toBe(DEVICES);
    // The key id is in the head of the provider token.
    const heads = pushes.map(({ headers }) => /^bearer ([^.]+)/.exec(headers['authorization'] ?? '')?.[1]);
    const keyIds = new Set(
      heads.map((head) => JSON.parse(Buffer.from(head ?? '', 'base64url').toString()).kid),
    );
    expect(keyIds).toEqual(new Set([first?.keyId, second.keyId]));
    expect(seen.filter(({ kind }) => kind === 'route_paused' || kind === 'credentials_refused')).toEqual([]);
  } finally {
    await worker.close();
  }
});
