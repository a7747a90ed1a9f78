/**
 * One command starts a server, a local Apple and Google, and an app with a thousand sample devices, then sends one real
 * notification over HTTP, as an app's back end would. The server keeps running afterwards.
 */
import path from 'node:path';
import { Presets, SingleBar } from 'cli-progress';
import { createApiKey } from '../../apps/api-keys.ts';
import { createApp, findApp } from '../../apps/apps.ts';
import { putApnsCredentials, putFcmCredentials } from '../../apps/credentials.ts';
import { systemClock } from '../../clock.ts';
import { type Config, readConfig } from '../../process/config.ts';
import { type Server, startServer } from '../../main.ts';
import { observeNothing } from '../../observe.ts';
import type { Resources } from '../../process/resources.ts';
import { startSimulator } from '../../simulator/simulator.ts';
import type { Simulator } from '../../simulator/surface.ts';
import { type DemoClient, openDemoClient } from './demo-client.ts';
import { sampleDevices } from './demo-devices.ts';
import { drain, stopSignal } from '../commands/start.ts';

const BUNDLE_ID = 'com.example.demo';
const DEVICES = 1_000;

/** Targets French and German speakers with a recent version of the app: some of the devices, on both platforms. */
const NOTIFICATION = {
  notification: {
    to: [
      { name: 'locale', criteria: ['fr_FR', 'de_DE'] },
      { name: 'app_version', criteria: [{ gte: '2.0' }] },
    ],
    payload: { alert: 'Bonjour, hallo!', sound: 'bell.caf', order_id: 4711 },
  },
};

/** Runs the demo until Ctrl-C. */
export async function runDemo(): Promise<void> {
  let server: Server | undefined;
  const stopped = stopSignal(
    () => say('Stopping …'),
    async () => server?.abandon(),
  );
  const dataDir = path.resolve(process.env['DATA_DIR'] ?? 'data', 'demo');
  say('Starting a local Apple and a local Google …');
  const simulator = await startSimulator({ certificateDir: dataDir });
  try {
    const config = demoConfig(simulator, dataDir);
    say(`Starting the server${config.databaseUrl === undefined ? ' and its database' : ''} …`);
    server = await startServer(config, observeNothing);
    try {
      // Ctrl-C ends the demo at any point.
      await Promise.race([show(server, simulator), stopped]);
      await stopped;
    } finally {
      await drain(server);
    }
  } finally {
    await simulator.close();
  }
}

function demoConfig(simulator: Simulator, dataDir: string): Config {
  return readConfig({
    ...process.env,
    ROLE: 'all',
    DATA_DIR: dataDir,
    APNS_PRODUCTION_URL: simulator.urls.apnsProduction,
    APNS_SANDBOX_URL: simulator.urls.apnsSandbox,
    FCM_URL: simulator.urls.fcm,
    GOOGLE_OAUTH_URL: simulator.urls.oauth,
    GATEWAY_CA_FILE: simulator.caFile ?? undefined,
  });
}

async function show(server: Server, simulator: Simulator): Promise<void> {
  const key = await prepareApp(server.resources, simulator);
  const baseUrl = server.url ?? '';
  const client = openDemoClient(baseUrl, key);

  await withProgressBar('Registering devices', async (showDone) =>
    registerDevices(client, (done) => showDone(done, DEVICES)),
  );

  say('', 'An app’s back end sends a notification to some of them:', '', curlLine(baseUrl, key), '');
  const created = await client.createNotification(NOTIFICATION);
  const sent = await withProgressBar('Sending', async (showDone) =>
    client.untilEnded(created.id, ({ devices, pending }) => showDone(devices - pending, devices)),
  );
  const audience = await client.readAudience(created.to.id);
  report({ created, sent, audience, simulator });
  say(
    '',
    `The server stays up at ${baseUrl} (Ctrl-C stops it). To go on, with the same key:`,
    `  curl -u :${key} ${baseUrl}/v6/notifications/${created.id}`,
    `  curl -u :${key} ${baseUrl}/v6/audiences/${created.to.id}`,
    `  curl ${simulator.urls.control}/counts`,
    'For real devices: npm start, then follow its first lines.',
  );
}

/** Creates the app, credentials that the simulator accepts, and an API key. A second demo reuses the app of the first. */
async function prepareApp({ db, secret }: Resources, simulator: Simulator): Promise<string> {
  const app =
    (await findApp(db, BUNDLE_ID)) ??
    (await createApp(db, { bundleId: BUNDLE_ID, name: 'Demo' }, systemClock));
  const { keyId, teamId, privateKeyPem } = simulator.apple.createKey({
    keyId: 'DEMOKEY001',
    teamId: 'DEMOTEAM01',
    bundleId: BUNDLE_ID,
  });
  const serviceAccount = JSON.stringify(
    simulator.google.createServiceAccount({ projectId: 'carillon-demo' }),
  );
  await putApnsCredentials(
    db,
    secret,
    { appId: app.id, keyId, teamId, privateKey: privateKeyPem },
    systemClock,
  );
  await putFcmCredentials(db, secret, { appId: app.id, serviceAccount }, systemClock);
  const { key } = await createApiKey(
    db,
    { appId: app.id, scopes: ['read', 'write', 'register'] },
    systemClock,
  );
  return key;
}

async function registerDevices(client: DemoClient, advance: (done: number) => void): Promise<void> {
  const devices = sampleDevices(DEVICES).values();
  let done = 0;
  const register = async (): Promise<void> => {
    for (const device of devices) {
      await client.registerDevice(device);
      advance(++done);
    }
  };
  await Promise.all(Array.from({ length: 16 }, register));
}

function report(figures: {
  created: { id: string; to: { id: string } };
  sent: { state: string; devices: number; accepted: number };
  audience: { name: string; device_count: number };
  simulator: Simulator;
}): void {
  const { created, sent, audience, simulator } = figures;
  const received = simulator.received({ nid: created.id });
  const apple = received.filter(({ gateway }) => gateway === 'apns').length;
  const google = received.length - apple;
  const iPhone = received.find(({ gateway }) => gateway === 'apns');
  say(
    '',
    `The notification ${created.id} is ${sent.state}: ${sent.accepted} of ${sent.devices} devices accepted.`,
    `The audience ${audience.name} has ${audience.device_count} devices.`,
    `The local Apple received ${apple} pushes and the local Google ${google}: ${apple} + ${google} = ${apple + google}.`,
    ...(iPhone === undefined ? [] : [`One of them, as Apple got it: ${iPhone.body}`]),
  );
}

function curlLine(baseUrl: string, key: string): string {
  return `  curl -u :${key} ${baseUrl}/v6/notifications -H 'Content-Type: application/json' -d '${JSON.stringify(NOTIFICATION)}'`;
}

/** The bar appears as soon as a total is known. */
async function withProgressBar<T>(
  label: string,
  work: (showDone: (done: number, total: number) => void) => Promise<T>,
): Promise<T> {
  const bar = new SingleBar(
    { format: `${label.padEnd(20)} {bar} {value}/{total}`, noTTYOutput: true, notTTYSchedule: 1_000 },
    Presets.shades_classic,
  );
  let begun = false;
  try {
    return await work((done, total) => {
      if (!begun && total > 0) bar.start(total, done);
      begun ||= total > 0; // starts the bar only once: calls may still report after the end
      bar.setTotal(total);
      bar.update(done);
    });
  } finally {
    bar.stop();
  }
}

function say(...lines: string[]): void {
  process.stdout.write(lines.map((line) => `${line}\n`).join(''));
}
