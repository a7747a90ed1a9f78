import { generateKeyPairSync } from 'node:crypto';
import { Agent } from 'node:https';
import { connect } from 'node:tls';
import { JWT } from 'google-auth-library';
import { describe, expect, test } from 'vitest';
import { grantForm, requestHttp1, seconds } from './client.ts';
import { PROJECT, useSimulator } from './harness.ts';

const harness = useSimulator();
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const MESSAGING = 'https://www.googleapis.com/auth/firebase.messaging';

async function ask(body: string): Promise<{ status: number | undefined; body: Record<string, unknown> }> {
  const { simulator } = harness;
  const answer = await requestHttp1(simulator.urls.oauth, simulator.caPem, { headers: FORM, body });
  return { status: answer.status, body: JSON.parse(answer.body) };
}

test('a grant gives an access token for an hour, with which messages pass', async () => {
  const granted = await ask(grantForm(harness.account, harness.now));
  expect(granted).toEqual({
    status: 200,
    body: { access_token: expect.stringMatching(/^ya29\./), expires_in: 3599, token_type: 'Bearer' },
  });
  const client = await harness.client(harness.simulator.urls.fcm);
  const headers = { authorization: `Bearer ${String(granted.body['access_token'])}` };
  expect(await harness.pushGoogle(client, { headers })).toMatchObject({ status: 200 });
  expect(harness.simulator.counts().oauth).toMatchObject({ connections: 1, requests: 1, accepted: 1 });
});

const now = (): number => seconds(harness.now);
const withClaims = (claims: Record<string, unknown>): string =>
  grantForm(harness.account, harness.now, claims);

describe('accepted grants', () => {
  test.each<[string, object]>([
    ["Google's own address as the audience", { aud: 'https://oauth2.googleapis.com/token' }],
    [
      'the messaging scope among others',
      { scope: `https://www.googleapis.com/auth/cloud-platform ${MESSAGING}` },
    ],
  ])('the simulated Google accepts a grant with %s', async (_name, claims) => {
    expect(await ask(grantForm(harness.account, harness.now, { ...claims }))).toMatchObject({ status: 200 });
  });
});

describe('refused grants', () => {
  const strange = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  }).privateKey;

  test.each<[string, string, () => string]>([
    ['another grant type', 'unsupported_grant_type', () => 'grant_type=refresh_token'],
    [
      'one without an assertion',
      'invalid_request',
      () => 'grant_type=urn:ietf:params:oauth:grant-type:jwt-bearer',
    ],
    [
      'an assertion that is no token',
      'invalid_grant',
      () => 'grant_type=urn:ietf:params:oauth:grant-type:jwt-bearer&assertion=x',
    ],
    ['an unknown account', 'invalid_grant', () => withClaims({ iss: 'who@example.com' })],
    [
      "another key's signature",
      'invalid_grant',
      () => grantForm({ ...harness.account, private_key: strange }, harness.now),
    ],
    ['another audience', 'invalid_grant', () => withClaims({ aud: 'https://example.com/token' })],
    ['an expired one', 'invalid_grant', () => withClaims({ iat: now() - 7200, exp: now() - 3600 })],
    ['one without an expiry', 'invalid_grant', () => withClaims({ exp: undefined })],
    ['one from the future', 'invalid_grant', () => withClaims({ iat: now() + 60 })],
    ['one that lives too long', 'invalid_grant', () => withClaims({ exp: now() + 3601 })],
    ['another scope', 'invalid_scope', () => withClaims({ scope: 'https://www.googleapis.com/auth/drive' })],
    ['no scope', 'invalid_scope', () => withClaims({ scope: undefined })],
  ])('the simulated Google refuses a grant: %s', async (_name, error, form) => {
    expect(await ask(form())).toEqual({
      status: 400,
      body: { error, error_description: expect.any(String) },
    });
    expect(harness.simulator.counts().oauth).toMatchObject({ accepted: 0, errors: { [error]: 1 } });
  });
});

test('a grant fails where its failure is ordered, and only there', async () => {
  harness.simulator.orderFault({ kind: 'answer', gateway: 'oauth', status: 503, times: 1 });
  harness.simulator.orderFault({ kind: 'answer', status: 500 });
  expect(await ask(grantForm(harness.account, harness.now))).toMatchObject({ status: 503 });
  expect(await ask(grantForm(harness.account, harness.now))).toMatchObject({ status: 200 });
});

describe("google-auth-library's own client", () => {
  const systemTime = useSimulator({ clock: () => new Date() });

  test("google-auth-library's own client gets its access token here, led by an agent", async () => {
    const { simulator, account } = systemTime;
    const { hostname, port } = new URL(simulator.urls.oauth);
    const agent = new Agent();
    agent.createConnection = () => connect({ host: hostname, port: Number(port), ca: simulator.caPem });
    const jwt = new JWT({
      email: account.client_email,
      key: account.private_key,
      scopes: [MESSAGING],
      transporterOptions: { agent },
    });
    const { token } = await jwt.getAccessToken();
    expect(token).toMatch(/^ya29\./);
    const client = await systemTime.client(simulator.urls.fcm);
    const answer = await systemTime.pushGoogle(client, { headers: { authorization: `Bearer ${token}` } });
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.body).name).toContain(`projects/${PROJECT}/`);
    agent.destroy();
  });
});
