/** FCM with a service account's key at Google's own address, which Google's library knows: through a proxy, as in some companies. */
import { generateKeyPairSync } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readCredentials } from '../../src/apps/credentials/store.ts';
import { type Simulator, startSimulator } from '@carillon/simulator';
import { insertApp } from '../support/database.ts';
import { type GoogleOauth, openGoogleOauth } from '../support/google-oauth.ts';
import { useCarillon } from '../support/processes.ts';
import { useCommandLine } from './command-line.ts';

const carillon = useCarillon();
const commandLine = useCommandLine();
const { database, secret } = commandLine;

let simulator: Simulator;
let google: GoogleOauth;
let keyFile: string;
let environment: Record<string, string>;

beforeAll(async () => {
  const dir = await carillon.makeDir();
  simulator = await startSimulator({ certificateDir: dir });
  google = await openGoogleOauth((response) => {
    const token = simulator.google.createAccessToken({ projectId: 'my-project' });
    response.end(JSON.stringify({ access_token: token, expires_in: 3_600, token_type: 'Bearer' }));
  });
  const authorities = path.join(dir, 'authorities.pem');
  await writeFile(authorities, `${await readFile(String(simulator.caFile), 'utf8')}\n${google.authority}`);
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  keyFile = path.join(dir, 'service-account.json');
  const key = { type: 'service_account', project_id: 'my-project', private_key: privateKey };
  await writeFile(keyFile, JSON.stringify({ ...key, client_email: 'push@my-project.example' }));
  environment = {
    ...commandLine.environment(),
    FCM_URL: simulator.urls.fcm,
    NODE_EXTRA_CA_CERTS: authorities,
    HTTPS_PROXY: google.proxyUrl,
  };
});
afterAll(async () => {
  google.close();
  await simulator.close();
});

test('a key is checked by a validated message with a token that the library has fetched, and stored', async () => {
  const app = await insertApp(database.db);
  const words = ['credentials', 'fcm', '--app', app.bundleId, '--service-account', keyFile];
  expect(await carillon.run(words, environment)).toMatchObject({ code: 0, stderr: '' });
  expect(google.grants).toEqual([
    { isProxied: true, claims: expect.objectContaining({ iss: 'push@my-project.example' }) },
  ]);
  const { fcm } = await readCredentials(database.db, secret, app.id);
  expect(fcm).toMatchObject({ project_id: 'my-project', client_email: 'push@my-project.example' });
  expect(simulator.received()).toEqual([]);
});
