/** Credentials that a gateway refuses, and their replacement while a worker runs. */
import { generateKeyPairSync } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { describeWithRedis } from '../support/redis.ts';
import { byRun } from '../support/runs.ts';
import { newAppleId } from '../support/simulated-app.ts';
import { type ClusterApp, useCluster } from '../processes/cluster.ts';
import { allAccepted, onceEach } from '../processes/fan-out.ts';
import { expectToStop } from '../support/processes.ts';

const DEVICES = byRun({ change: 5_000, night: 8_000 });
const ENDS_WITHIN_MS = 60_000;
/** Each worker tries one push per slice, has four slices at once, and the two share the slices. */
const HANDFUL = 16;
const timeout = 120_000;

describeWithRedis({ name: 'credentials', timeout }, (redis) => {
  const cluster = useCluster(redis);

  async function put(text: string, option: string, ...words: readonly string[]): Promise<void> {
    const file = path.join(await cluster.makeDir(), 'credentials');
    await writeFile(file, text);
    const command = ['credentials', ...words, option, file, '--no-check'];
    expect(await cluster.run(command)).toMatchObject({ code: 0, stderr: '' });
  }

  const putApns = async ({ app }: ClusterApp, key: string, keyId: string, teamId: string): Promise<void> =>
    put(key, '--key-file', 'apns', '--app', app.bundleId, '--key-id', keyId, '--team-id', teamId);

  const putFcm = async ({ app }: ClusterApp, account: object): Promise<void> =>
    put(JSON.stringify(account), '--service-account', 'fcm', '--app', app.bundleId);

  test('credentials that were never good fail the notification after a handful of requests; good ones then pass', async () => {
    const app = await cluster.makeApp(DEVICES);
    const { backend, devices } = app;
    const { bundleId } = app.app;
    const { simulator } = cluster;
    const account = simulator.google.createServiceAccount({ projectId: 'simulated' });
    await putApns(app, strangerKey('ec'), 'STRANGEKEY', 'STRANGETEA');
    await putFcm(app, { ...account, private_key: strangerKey('rsa') });

    await cluster.startWorkers(2);
    const refused = await backend.notify('*');
    const record = await backend.untilEnded(refused.id, ENDS_WITHIN_MS);
    expect(record).toMatchObject({ state: 'failed', accepted: 0 });
    expect(record.reason).toMatch(
      /^credentials refused: apns_production InvalidProviderToken, (?:apns_sandbox InvalidProviderToken, )?fcm /,
    );
    const { apns, fcm, oauth } = simulator.counts();
    const requests = { apns: apns.requests, fcm: fcm.requests, oauth: oauth.requests };
    const story = `requests to refuse: ${JSON.stringify(requests)}`;
    process.stdout.write(`  ${story}\n`);
    expect(requests.apns, story).toBeLessThanOrEqual(HANDFUL);
    expect(requests.fcm, story).toBe(0);
    expect(requests.oauth, story).toBeLessThanOrEqual(HANDFUL);

    const key = simulator.apple.createKey({ teamId: newAppleId(), keyId: newAppleId(), bundleId });
    await putApns(app, key.privateKeyPem, key.keyId, key.teamId);
    await putFcm(app, account);
    const passed = await backend.notify('*');
    expect(await backend.untilEnded(passed.id, ENDS_WITHIN_MS)).toMatchObject(allAccepted(DEVICES));
    expect(simulator.pushesByToken(passed.id)).toEqual(onceEach(devices));
  });

  test('credentials of one gateway that are revoked cost no push: its devices wait for new ones, in all processes', async () => {
    const app = await cluster.makeApp(DEVICES);
    const { backend, devices } = app;
    const { bundleId } = app.app;
    const { simulator } = cluster;
    const workers = await cluster.startWorkers(2);
    const before = await backend.notify('*');
    expect(await backend.untilEnded(before.id, ENDS_WITHIN_MS)).toMatchObject(allAccepted(DEVICES));
    simulator.reset();

    simulator.orderFault({ kind: 'answer', status: 403, reason: 'InvalidProviderToken', gateway: 'apns' });
    const revoked = await backend.notify('*');
    const iPhones = devices.filter(({ platform }) => platform === 'iOS').length;
    await vi.waitFor(
      async () =>
        expect(await backend.readNotification(revoked.id)).toMatchObject({
          state: 'sending',
          reason: expect.stringMatching(/^Apple is paused: .+InvalidProviderToken/) as unknown,
          accepted: DEVICES - iPhones,
          rejected: 0,
          pending: iPhones,
        }),
      { timeout: ENDS_WITHIN_MS, interval: 100 },
    );
    const { requests } = simulator.counts().apns;
    process.stdout.write(`  requests to notice a revoked key: ${requests}\n`);
    expect(requests).toBeLessThan(2_000);
    const listed = await cluster.run(['gateways', 'list', '--app', bundleId]);
    expect(listed.stdout).toMatch(/^apns_production {2}paused since .+InvalidProviderToken/m);

    simulator.clearFaults();
    const owner = { teamId: newAppleId(), keyId: newAppleId(), bundleId };
    const { privateKeyPem, keyId, teamId } = simulator.apple.createKey(owner);
    await putApns(app, privateKeyPem, keyId, teamId);
    expect(await backend.untilEnded(revoked.id, ENDS_WITHIN_MS)).toMatchObject({
      ...allAccepted(DEVICES),
      reason: null,
    });
    expect(simulator.pushesByToken(revoked.id)).toEqual(onceEach(devices));
    await expectToStop(...workers);
  });
});

function strangerKey(type: 'ec' | 'rsa'): string {
  const pair =
    type === 'ec'
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
      : generateKeyPairSync('rsa', { modulusLength: 2_048 });
  return String(pair.privateKey.export({ type: 'pkcs8', format: 'pem' }));
}
