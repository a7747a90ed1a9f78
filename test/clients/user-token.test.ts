/** The tokens that the TypeScript client signs are good for the server. */
import { beforeAll, expect, test } from 'vitest';
import { signUserToken, type UserTokenOptions } from '../../clients/typescript/src/index.ts';
import { useApi } from '../http/api.ts';
import { type DemandingApp, demandingApp, newUser } from '../identity/demanding-app.ts';
import { newToken } from '../support/push-token.ts';

const clock = { now: new Date() };
const api = useApi(() => clock.now);
let app: DemandingApp;

beforeAll(async () => {
  app = await demandingApp(api, api.app, clock);
});

const pem = (key: DemandingApp['es']['privateKey']) =>
  key.export({ type: 'pkcs8', format: 'pem' }).toString();
const keys: readonly [UserTokenOptions['algorithm'], string, () => UserTokenOptions['key']][] = [
  ['ES256', 'es', () => pem(app.es.privateKey)],
  ['EdDSA', 'ed', () => app.ed.privateKey],
  ['HS256', 'hs', () => app.secret],
];

test.each(keys)('a token that the client signs by %s proves the user', async (algorithm, keyId, key) => {
  const userId = newUser();
  const email = `${userId}@example.com`;
  const pushToken = newToken();
  const options = { userId, email, app: app.app.bundleId, keyId, algorithm, key: key(), pushToken };
  const sent = { platform: 'iOS', user_id: userId, user_email: email, user_token: signUserToken(options) };
  const other = await app.call('POST /v6/devices', { device: { ...sent, push_token: newToken() } });
  expect(other.status).toBe(403);
  const own = await app.call('POST /v6/devices', { device: { ...sent, push_token: pushToken } });
  expect(own.status).toBe(201);
});

test('the client refuses a key that does not fit the algorithm', () => {
  const options = { userId: 'anna', app: 'com.example.app', keyId: 'es' };
  expect(() => signUserToken({ ...options, algorithm: 'EdDSA', key: app.es.privateKey })).toThrow('EdDSA');
  expect(() => signUserToken({ ...options, algorithm: 'HS256', key: 'a text' })).toThrow('bytes');
});
