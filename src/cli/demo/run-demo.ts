/**
 * One command starts a server, a local Apple and Google, and an app with a thousand sample phones and browsers. Then it sends one
 * notification over HTTP, like an app's back end. The server keeps running afterwards.
 */
import path from 'node:path';
import type { Writable } from 'node:stream';
import { Presets, SingleBar } from 'cli-progress';
import { createApiKey } from '../../apps/api-keys.ts';
import { createApp, findApp } from '../../apps/apps.ts';
import {
  putApnsCredentials,
  putFcmCredentials,
  putVapidCredentials,
  readCredentials,
} from '../../apps/credentials/store.ts';
import { makeVapidKey } from '../../gateways/web-push/vapid-key.ts';
import { commandLine } from '../../audit/author.ts';
import { systemClock } from '../../clock.ts';
import { createInvite, linkOf } from '../../console/accounts/invites.ts';
import { createUser, findUser, setRole } from '../../console/accounts/users.ts';
import type { Config } from '../../process/config.ts';
import { type Server, startServer } from '../../main.ts';
import { observeNothing } from '../../observe.ts';
import type { Resources } from '../../process/resources.ts';
import { type Simulator, startSimulator } from '@carillon/simulator';
import { type DemoClient, openDemoClient } from './demo-client.ts';
import { sampleDevices } from './demo-devices.ts';
import { openDemoSite } from './demo-site.ts';
import { gatewaySettings } from '../commands/simulator.ts';
import { drain, stopSignal } from '../commands/start.ts';
import { textOf } from '../print.ts';
import type { Terminal } from '../terminal.ts';
import { configOf } from '../with-resources.ts';

const BUNDLE_ID = 'com.example.demo';
const DEVICES = 1_000;
/** The user that the link to the console signs in, as an admin of the app and without a password. */
const USER = 'demo';

/** Targets French and German speakers with a recent version of the app: some of the devices, on all platforms. */
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
export async function runDemo(terminal: Terminal): Promise<void> {
  const { stdout } = terminal;
  let server: Server | undefined;
  const stopped = stopSignal(
    () => say(stdout, 'Stopping …'),
    async () => server?.abandon(),
  );
  const dataDir = path.resolve(terminal.env['DATA_DIR'] ?? 'data', 'demo');
  say(stdout, 'Starting a local Apple, a local Google and push services of browsers …');
  const simulator = await startSimulator({ certificateDir: dataDir });
  await using opened = new AsyncDisposableStack();
  try {
    const config = demoConfig(terminal, simulator, dataDir);
    say(stdout, `Starting the server${config.databaseUrl === undefined ? ' and its database' : ''} …`);
    server = await startServer(config, observeNothing);
    // Behind a proxy, the browser knows the server by another address than the one that it listens at.
    const isNamed = server.consoleUrl !== undefined && terminal.env['CONSOLE_URL'] !== undefined;
    const consoleUrl = isNamed ? config.consoleUrl : server.consoleUrl;
    try {
      // Ctrl-C ends the demo at any point.
      await Promise.race([show({ ...server, consoleUrl }, simulator, terminal, opened), stopped]);
      await stopped;
    } finally {
      await drain(server, terminal);
    }
  } finally {
    await simulator.close();
  }
}

function demoConfig(terminal: Terminal, simulator: Simulator, dataDir: string): Config {
  const gateways = gatewaySettings(simulator, simulator.caFile ?? '');
  const env = { ...terminal.env, ROLE: 'all', DATA_DIR: dataDir, ...gateways };
  return { ...configOf({ env, stdout: terminal.stdout }), isDemo: true };
}

async function show(
  server: Server,
  simulator: Simulator,
  { stdout, stderr }: Terminal,
  opened: AsyncDisposableStack,
): Promise<void> {
  const { appId, key } = await prepareApp(server.resources, simulator);
  const baseUrl = server.url ?? '';
  const client = openDemoClient(baseUrl, key);
  const samples = sampleDevices(DEVICES, simulator.urls.web);
  await withProgressBar(stderr, 'Registering devices', async (showDone) =>
    registerDevices(client, samples, (done) => showDone(done, DEVICES)),
  );

  say(stdout, '', 'An app’s back end sends a notification to some of them:', '', curlLine(baseUrl, key), '');
  const created = await client.createNotification(NOTIFICATION);
  const sent = await withProgressBar(stderr, 'Sending', async (showDone) =>
    client.untilEnded(created.id, ({ devices, pending }) => showDone(devices - pending, devices)),
  );
  const audience = await client.readAudience(created.to.id);
  report(stdout, { created, sent, audience, simulator });
  const site = await openSite({ server: baseUrl, simulator, client, resources: server.resources, appId });
  opened.defer(site.close);
  say(
    stdout,
    '',
    `The server stays up at ${baseUrl} (Ctrl-C stops it). To continue, with the same key:`,
    `  curl -u :${key} ${baseUrl}/v6/notifications/${created.id}`,
    `  curl -u :${key} ${baseUrl}/v6/audiences/${created.to.id}`,
    `  curl ${simulator.urls.control}/counts`,
    ...(await consoleLines(server, appId)),
    'A web site, to turn on notifications in this browser:',
    `  ${site.url}`,
    'For real devices: npx carillon start, then follow its first lines.',
  );
}

async function consoleLines({ consoleUrl, resources }: Server, appId: string): Promise<string[]> {
  if (consoleUrl === undefined) return [];
  const { db } = resources;
  const user = (await createUser(db, { name: USER }, systemClock)) ?? (await findUser(db, USER));
  if (user === undefined) throw new Error(`the user ${USER} was removed meanwhile`);
  await setRole(db, { user, appId, role: 'admin' }, systemClock, commandLine);
  const { secret } = await createInvite(db, { userId: user.id, setsPassword: false }, systemClock);
  return ['The console, signed in (this link works once):', `  ${linkOf(consoleUrl, secret)}`];
}

/** At the port after the server's, with a key of its own that may only register. */
async function openSite(options: {
  server: string;
  simulator: Simulator;
  client: DemoClient;
  resources: Resources;
  appId: string;
}): Promise<{ url: string; close: () => Promise<void> }> {
  const { server, simulator, client, resources, appId } = options;
  const { key } = await createApiKey(resources.db, { appId, scopes: ['register'] }, systemClock);
  const greet = async (userId: string): Promise<unknown> =>
    client.createNotification({
      notification: {
        to: [{ name: 'user_id', criteria: [userId] }],
        payload: { title: 'Welcome!', alert: 'This is what a notification of the shop looks like.' },
      },
    });
  return openDemoSite({ simulator, server, key, port: (Number(new URL(server).port) + 1) % 65_536, greet });
}

/** Creates the app, credentials that the simulator accepts, and an API key. A second demo reuses the app of the first. */
async function prepareApp(
  { db, secret }: Resources,
  simulator: Simulator,
): Promise<{ appId: string; key: string }> {
  const { id: appId } =
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
  const key = { appId, keyId, teamId, privateKey: privateKeyPem };
  await putApnsCredentials(db, secret, key, systemClock);
  await putFcmCredentials(db, secret, { appId, serviceAccount }, systemClock);
  const { web_push: kept } = await readCredentials(db, secret, appId);
  const { privateKey, publicKey } = kept ?? makeVapidKey();
  const vapid = { appId, privateKey, publicKey, subject: 'mailto:push@example.com', url: null };
  await putVapidCredentials(db, secret, vapid, systemClock);
  // The push services of an earlier demo are gone.
  await db.deleteFrom('devices').where('app_id', '=', appId).where('platform', '=', 'Web').execute();
  const scopes = ['read', 'write', 'register'] as const;
  return { appId, key: (await createApiKey(db, { appId, scopes }, systemClock)).key };
}

async function registerDevices(
  client: DemoClient,
  devices: readonly unknown[],
  advance: (done: number) => void,
): Promise<void> {
  const left = devices.values();
  let done = 0;
  const register = async (): Promise<void> => {
    for (const device of left) {
      await client.registerDevice(device);
      advance(++done);
    }
  };
  await Promise.all(Array.from({ length: 16 }, register));
}

function report(
  stdout: Writable,
  figures: {
    created: { id: string; to: { id: string } };
    sent: { state: string; devices: number; accepted: number };
    audience: { name: string; device_count: number };
    simulator: Simulator;
  },
): void {
  const { created, sent, audience, simulator } = figures;
  const received = simulator.received({ nid: created.id });
  const apple = received.filter(({ gateway }) => gateway === 'apns').length;
  const google = received.filter(({ gateway }) => gateway === 'fcm').length;
  const browsers = received.length - apple - google;
  const iPhone = received.find(({ gateway }) => gateway === 'apns');
  say(
    stdout,
    '',
    `The notification ${created.id} is ${sent.state}: ${sent.accepted} of ${sent.devices} devices accepted.`,
    `The audience ${audience.name} has ${audience.device_count} devices.`,
    `The local Apple received ${apple} pushes, the local Google ${google} and the push services of browsers ${browsers}: ${apple} + ${google} + ${browsers} = ${received.length}.`,
    ...(iPhone === undefined ? [] : [`One of them, as Apple got it: ${iPhone.body}`]),
  );
}

function curlLine(baseUrl: string, key: string): string {
  return `  curl -u :${key} ${baseUrl}/v6/notifications -H 'Content-Type: application/json' -d '${JSON.stringify(NOTIFICATION)}'`;
}

/** The bar appears when a total is known. */
async function withProgressBar<T>(
  stream: Writable,
  label: string,
  work: (showDone: (done: number, total: number) => void) => Promise<T>,
): Promise<T> {
  const bar = new SingleBar(
    { format: `${label.padEnd(20)} {bar} {value}/{total}`, noTTYOutput: true, notTTYSchedule: 1_000, stream },
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

function say(stdout: Writable, ...lines: string[]): void {
  stdout.write(textOf(lines));
}
