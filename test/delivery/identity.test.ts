/** The whole way of a device that stays itself: the API, a worker, and gateways that refuse and take its tokens. */
import { expect, test } from 'vitest';
import { useApiApp } from './api-app.ts';
import { newToken } from '../support/push-token.ts';

const it = useApiApp({ newAppEachTest: true });

async function register(device: object): Promise<string> {
  const { id, status } = await it.tryRegister(device);
  expect(status).toBeLessThan(300);
  return id;
}

test('a debug build that registered as production is reached once it sets development', async () => {
  const token = newToken();
  it.simulator.apple.registerDevice({ token, topic: it.app.bundleId, environment: 'sandbox' });
  const id = await register({ platform: 'iOS', push_token: token });
  expect(await it.push('*')).toMatchObject({ unregistered: 1 });
  await it.call(`PUT /v6/devices/${id}`, { device: { development: true } });
  expect(await it.push([{ name: 'development', criteria: [true] }])).toMatchObject({ accepted: 1 });
  expect(it.simulator.received({ token })).toMatchObject([{ environment: 'sandbox' }]);
  expect(await register({ platform: 'iOS', push_token: token })).toBe(id);
});

test('a device whose token was retired is reached by its id once its app has registered again', async () => {
  const token = newToken();
  const id = await register({ platform: 'iOS', push_token: token });
  const to = [{ name: 'device_id', criteria: [id] }];
  it.simulator.orderFault({ kind: 'answer', token, times: 1, status: 410, reason: 'Unregistered' });
  expect(await it.push(to)).toMatchObject({ unregistered: 1 });
  expect(await it.push(to)).toMatchObject({ no_token: 1 });
  expect(await register({ platform: 'iOS', push_token: token })).toBe(id);
  expect(await it.push(to)).toMatchObject({ accepted: 1 });
});

test('a device that switches to its installation id keeps its identity, and is sent to by it', async () => {
  const fid = 'cAbCdEfGhIjKlMnOpQrStU';
  const token = `${fid}:APA91bF-sample`;
  it.simulator.google.registerInstallation(fid);
  const id = await register({ platform: 'Android', push_token: token });
  const to = [{ name: 'device_id', criteria: [id] }];
  expect(await it.push(to)).toMatchObject({ accepted: 1 });
  const moved = { platform: 'Android', push_token: fid, previous_push_token: token };
  expect(await it.tryRegister(moved)).toMatchObject({ id, body: { device: { push_token_type: 'fid' } } });
  expect(await it.push(to)).toMatchObject({ accepted: 1 });
  expect(it.simulator.received({ token: fid })).toMatchObject([{ message: { fid } }]);
  expect(it.simulator.received({ token })).toHaveLength(1);
});
