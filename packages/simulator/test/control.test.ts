import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { appleToken, grantForm, providerToken, requestHttp1 } from './client.ts';
import { type Control, TEAM, useSimulator } from './harness.ts';

const harness = useSimulator();
const madeKey = z.object({ privateKeyPem: z.string() });
const madeAccount = z.object({
  client_email: z.string(),
  private_key: z.string(),
  private_key_id: z.string(),
  token_uri: z.string(),
});

const control: Control = async (method, path, body) => harness.control(method, path, body);

test('the control server returns all addresses and the certificate to trust', async () => {
  const { urls, caPem } = harness.simulator;
  expect(await control('GET', '/')).toEqual({ status: 200, body: { urls, caPem } });
});

test('the control server returns the received pushes, all or those of one push token', async () => {
  const client = await harness.client(harness.simulator.urls.apnsProduction);
  await harness.pushApple(client, { token: appleToken(1) });
  await harness.pushApple(client, { token: appleToken(2) });
  const pushes: unknown[] = JSON.parse(JSON.stringify(harness.simulator.received()));
  expect(pushes).toHaveLength(2);
  expect(await control('GET', '/received')).toEqual({ status: 200, body: { received: pushes } });
  const one = await control('GET', `/received?token=${appleToken(2)}&gateway=apns&nid=n1`);
  expect(one.body).toEqual({ received: [pushes[1]] });
  expect((await control('GET', '/received?token=other')).body).toEqual({ received: [] });
  expect(await control('GET', '/received?tokn=other')).toMatchObject({ status: 422 });
});

test('the control server returns the counts, which a reset clears', async () => {
  const client = await harness.client(harness.simulator.urls.apnsProduction);
  await harness.pushApple(client);
  await harness.pushApple(client);
  const { status, body } = await control('GET', '/counts');
  expect(status).toBe(200);
  expect(body).toMatchObject({
    apns: { connections: 1, requests: 2, accepted: 2, duplicates: 1, errors: {} },
  });
  expect(await control('POST', '/reset')).toMatchObject({ status: 200 });
  expect((await control('GET', '/counts')).body).toMatchObject({ apns: { requests: 0, duplicates: 0 } });
  expect((await control('GET', '/received')).body).toEqual({ received: [] });
});

describe('faults', () => {
  test('faults are ordered one by one or together, listed, and called off', async () => {
    const one = await control('POST', '/faults', { kind: 'answer', status: 410, reason: 'Unregistered' });
    const two = await control('POST', '/faults', [{ kind: 'refuse' }, { kind: 'delay', delayMs: 5 }]);
    expect([one.status, two.status]).toEqual([201, 201]);
    const id = expect.any(String);
    expect([one.body, two.body]).toEqual([{ ids: [id] }, { ids: [id, id] }]);
    const kinds = [{ kind: 'answer', id, used: 0 }, { kind: 'refuse' }, { kind: 'delay' }];
    expect((await control('GET', '/faults')).body).toMatchObject({ faults: kinds });
    const client = await harness.client(harness.simulator.urls.apnsProduction);
    expect(await harness.pushApple(client)).toMatchObject({ status: 410 });
    expect(await control('DELETE', '/faults')).toMatchObject({ status: 200 });
    expect(await harness.pushApple(client)).toMatchObject({ status: 200 });
  });

  test.each<[string, unknown, number]>([
    ['one of an unknown kind', { kind: 'explode' }, 422],
    ['a list with one bad order', [{ kind: 'refuse' }, { kind: 'answer' }], 422],
    ['a body that is not JSON', 'hello', 400],
  ])('a bad order of faults is refused: %s', async (_name, order, status) => {
    expect(await control('POST', '/faults', order)).toEqual({ status, body: { error: expect.any(String) } });
    expect(harness.simulator.faults()).toEqual([]);
  });
});

describe('credentials', () => {
  const body = '{"aps":{"alert":"Hello"}}';

  test("the control server makes a key that signs a team's pushes", async () => {
    const owner = { teamId: 'TEAM000002', keyId: 'KEY0000002', bundleId: 'com.example.two' };
    const made = await control('POST', '/keys', { gateway: 'apns', ...owner });
    expect(made).toMatchObject({ status: 201, body: owner });
    const { privateKeyPem } = madeKey.parse(made.body);
    const authorization = `bearer ${providerToken({ ...owner, privateKeyPem }, harness.now)}`;
    const client = await harness.client(harness.simulator.urls.apnsProduction);
    const headers = { authorization, 'apns-topic': owner.bundleId };
    expect(await harness.pushApple(client, { headers, body })).toMatchObject({ status: 200 });
  });

  test('the control server registers a key made elsewhere, by its public half', async () => {
    const owner = { teamId: 'TEAM000003', keyId: 'KEY0000003', bundleId: 'com.example.three' };
    const pair = generateKeyPairSync('ec', {
      namedCurve: 'P-256',
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    });
    const key = { gateway: 'apns', ...owner, publicKeyPem: pair.publicKey };
    expect(await control('POST', '/keys', key)).toEqual({ status: 201, body: {} });
    const authorization = `bearer ${providerToken({ ...owner, privateKeyPem: pair.privateKey }, harness.now)}`;
    const client = await harness.client(harness.simulator.urls.apnsProduction);
    const headers = { authorization, 'apns-topic': owner.bundleId };
    expect(await harness.pushApple(client, { headers, body })).toMatchObject({ status: 200 });
  });

  test('the control server makes a service account that is granted access tokens', async () => {
    const made = await control('POST', '/keys', { gateway: 'fcm', projectId: 'second-project' });
    expect(made).toMatchObject({
      status: 201,
      body: { type: 'service_account', project_id: 'second-project' },
    });
    const { urls, caPem } = harness.simulator;
    const form = grantForm(madeAccount.parse(made.body), harness.now);
    expect(await requestHttp1(urls.oauth, caPem, { body: form })).toMatchObject({ status: 200 });
  });

  test('the control server registers a service account made elsewhere', async () => {
    const pair = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    });
    const clientEmail = 'sender@example.iam.gserviceaccount.com';
    const account = { gateway: 'fcm', projectId: 'third', clientEmail, publicKeyPem: pair.publicKey };
    expect(await control('POST', '/keys', account)).toEqual({ status: 201, body: {} });
    const { urls, caPem } = harness.simulator;
    const own = { ...harness.account, client_email: clientEmail, private_key: pair.privateKey };
    const form = grantForm(own, harness.now);
    expect(await requestHttp1(urls.oauth, caPem, { body: form })).toMatchObject({ status: 200 });
  });

  test.each<[string, unknown, number]>([
    ['a key of no gateway', { gateway: 'sms' }, 422],
    ['a key without its team', { gateway: 'apns', keyId: 'K', bundleId: 'b' }, 422],
    ['a public key that is none', { gateway: 'apns', ...TEAM, keyId: 'K', publicKeyPem: 'hello' }, 400],
  ])('bad credentials are refused: %s', async (_name, key, status) => {
    expect(await control('POST', '/keys', key)).toEqual({ status, body: { error: expect.any(String) } });
  });
});

test('the control server registers the topic and the environment of a push token', async () => {
  const device = { token: appleToken(5), topic: TEAM.bundleId, environment: 'sandbox' };
  expect(await control('POST', '/devices', device)).toMatchObject({ status: 201 });
  expect(await control('POST', '/installations', { fid: 'cAbCdEfGhIjKlMnOpQrStU' })).toMatchObject({
    status: 201,
  });
  const client = await harness.client(harness.simulator.urls.apnsProduction);
  expect((await harness.pushApple(client, { token: device.token })).body).toContain('BadDeviceToken');
});

test('an unknown address of the control server is answered with the addresses that exist', async () => {
  expect(await control('GET', '/nothing')).toEqual({
    status: 404,
    body: { error: expect.stringContaining('GET /received') },
  });
});

test('the control server refuses a body over 1 MiB', async () => {
  expect(await control('POST', '/faults', 'x'.repeat(1_048_577))).toMatchObject({ status: 400 });
});
