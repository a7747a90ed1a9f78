/** FCM without a key file on another cloud, whose token Google exchanges for its own (workload identity federation). */
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readCredentials } from '../../src/apps/credentials/store.ts';
import { type Simulator, startSimulator } from '@carillon/simulator';
import { type Certificate, makeCertificate, portOf } from '../../packages/http2-client/test/peer.ts';
import { runCommand } from '../support/command.ts';
import { insertApp } from '../support/database.ts';
import { type Exit, useCarillon } from '../support/processes.ts';
import { gatewaySettings } from '../support/simulated-app.ts';
import { useCommandLine } from './command-line.ts';

const carillon = useCarillon();
const commandLine = useCommandLine();
const { database, secret } = commandLine;
/** The other cloud's metadata server, over plain HTTP. */
const cloud = createHttpServer((_request, response) => {
  response.setHeader('content-type', 'application/json').end('{"access_token":"token-of-the-cloud"}');
});

let simulator: Simulator;
let certificate: Certificate;
let exchange: ReturnType<typeof createHttpsServer>;
let exchanged: URLSearchParams[];
let answer: { status: number; body: object };
let environment: Record<string, string>;
let app: { id: string; bundleId: string };

beforeAll(async () => {
  exchanged = [];
  certificate = await makeCertificate();
  exchange = createHttpsServer(certificate, (request, response) => {
    void exchangeToken(request, response);
  });
  for (const server of [cloud, exchange]) {
    server.listen(0, 'localhost');
    await once(server, 'listening');
  }
  const dir = await carillon.makeDir();
  simulator = await startSimulator({ certificateDir: dir });
  app = await insertApp(database.db);
  const authority = path.join(dir, 'exchange.pem');
  const federation = path.join(dir, 'federation.json');
  await writeFile(authority, certificate.cert);
  await writeFile(
    federation,
    JSON.stringify({
      type: 'external_account',
      audience: '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/pool/providers/cloud',
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
      token_url: `https://localhost:${portOf(exchange)}/v1/token`,
      credential_source: {
        url: `http://localhost:${portOf(cloud)}/identity/token`,
        format: { type: 'json', subject_token_field_name: 'access_token' },
      },
    }),
  );
  environment = {
    ...gatewaySettings(simulator),
    ...commandLine.environment(),
    GOOGLE_APPLICATION_CREDENTIALS: federation,
    GOOGLE_CLOUD_PROJECT: 'my-project',
    NODE_EXTRA_CA_CERTS: authority,
  };
});
afterAll(async () => {
  for (const server of [cloud, exchange]) {
    server.closeAllConnections();
    server.close();
  }
  await simulator.close();
});

async function exchangeToken(request: IncomingMessage, response: ServerResponse): Promise<void> {
  exchanged.push(new URLSearchParams(await text(request)));
  response.writeHead(answer.status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(answer.body));
}

const words = (...options: string[]): string[] => ['credentials', 'fcm', '--app', app.bundleId, ...options];

/** In a process of its own: Google's library reads the environment of the process. */
async function store(...options: string[]): Promise<Exit> {
  return carillon.run(words(...options), environment);
}

async function refusalOf(...options: string[]): Promise<string> {
  return (await runCommand(words('--application-default', ...options), environment)).stderr;
}

test('the identity of the process is not stored without a project, nor next to a key', async () => {
  expect(await refusalOf()).toMatch(/--application-default with --project/);
  expect(await refusalOf('--project', 'my-project', '--service-account', 'a.json')).toMatch(
    /'--application-default' cannot be used with option '--service-account/,
  );
  expect(await refusalOf('--project', 'No project')).toMatch(/project id/);
  expect(await readCredentials(database.db, secret, app.id)).toEqual({});
});

test('an identity that Google refuses to exchange is not stored', async () => {
  answer = { status: 400, body: { error: 'invalid_grant', error_description: 'The audience is wrong.' } };
  const { code, stderr } = await store('--application-default', '--project', 'my-project');
  expect(code).toBe(1);
  expect(stderr).toMatch(/Google refuses the identity of this process: Google access token: invalid_grant/);
  expect(await readCredentials(database.db, secret, app.id)).toEqual({});
});

test('an identity that Google exchanges is checked by a validated message, and stored without a secret', async () => {
  answer = {
    status: 200,
    body: {
      access_token: simulator.google.createAccessToken({ projectId: 'my-project' }),
      issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      token_type: 'Bearer',
      expires_in: 3_600,
    },
  };
  expect(await store('--application-default', '--project', 'my-project')).toMatchObject({
    code: 0,
    stderr: '',
    stdout: expect.stringContaining('accepted by Google for the project my-project'),
  });
  expect(exchanged.at(-1)?.get('subject_token')).toBe('token-of-the-cloud');
  expect(simulator.received()).toEqual([]);
  const { fcm } = await readCredentials(database.db, secret, app.id);
  expect(fcm).toEqual({
    project_id: 'my-project',
    application_default: true,
    version: expect.any(String),
  });
  const doctor = await carillon.run(['doctor', '--app', app.bundleId], environment);
  expect(doctor.stdout).toContain(`${app.bundleId}: Google project my-project: yes`);
});
