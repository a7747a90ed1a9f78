import path from 'node:path';
import type { Simulator } from '@carillon/simulator';
import { type Command, InvalidArgumentError } from 'commander';
import { observeNothing } from '../../observe.ts';
import { print } from '../print.ts';
import type { Terminal } from '../terminal.ts';
import { stopSignal } from './start.ts';

export function addTo(simulator: Command, terminal: Terminal): void {
  simulator
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option(
      '--port <number>',
      'first of seven ports: control, Apple, Apple sandbox, Google, Apple’s channels, those of the sandbox, browsers; 0 for any free ones',
      parsePort,
      9440,
    )
    .option('--dir <dir>', 'directory for the certificate authority and the credentials', './data/simulator')
    .option('--bundle-id <id>', 'bundle id of the app that the credentials are for', 'com.example.app')
    .option('--json', 'print one JSON value')
    .action(async (options: SimulatorCommandOptions) => runSimulator(options, terminal));
}

interface SimulatorCommandOptions {
  host: string;
  port: number;
  dir: string;
  bundleId: string;
  json?: boolean;
}

async function runSimulator(
  { host, port, dir, bundleId, json }: SimulatorCommandOptions,
  terminal: Terminal,
): Promise<void> {
  // Loaded only here: other commands start in half the time without it.
  const { startSimulator, writeSimulatorFiles } = await import('@carillon/simulator');
  const stopped = stopSignal(observeNothing);
  const portAt = (offset: number): number => (port === 0 ? 0 : port + offset);
  const ports = {
    control: portAt(0),
    apnsProduction: portAt(1),
    apnsSandbox: portAt(2),
    google: portAt(3),
    channelsProduction: portAt(4),
    channelsSandbox: portAt(5),
    web: portAt(6),
  };
  const simulator = await startSimulator({ host, ports });
  try {
    const files = await writeSimulatorFiles(simulator, path.resolve(dir), { bundleId });
    const settings = gatewaySettings(simulator, files.caFile);
    const { control } = simulator.urls;
    print(terminal, json, { settings, ...files, control }, useLines(bundleId, settings, files, control));
    await stopped;
  } finally {
    await simulator.close();
  }
}

/** The settings of a server that pushes to the simulator. */
export function gatewaySettings({ urls }: Simulator, caFile: string): Record<string, string> {
  return {
    APNS_PRODUCTION_URL: urls.apnsProduction,
    APNS_SANDBOX_URL: urls.apnsSandbox,
    APNS_CHANNELS_PRODUCTION_URL: urls.channelsProduction,
    APNS_CHANNELS_SANDBOX_URL: urls.channelsSandbox,
    FCM_URL: urls.fcm,
    GOOGLE_OAUTH_URL: urls.oauth,
    WEB_PUSH_HOSTS: new URL(urls.web).host,
    GATEWAY_CA_FILE: caFile,
  };
}

function useLines(
  bundleId: string,
  settings: Record<string, string>,
  files: { apnsKeyFile: string; keyId: string; teamId: string; serviceAccountFile: string },
  control: string,
): string[] {
  return [
    'A local Apple, Google and push service of browsers are running. Settings for a server that pushes to them:',
    ...Object.entries(settings).map(([name, value]) => `  export ${name}=${value}`),
    'Credentials that they accept:',
    `  npx carillon credentials apns --app ${bundleId} --key-file ${files.apnsKeyFile} --key-id ${files.keyId} --team-id ${files.teamId}`,
    `  npx carillon credentials fcm --app ${bundleId} --service-account ${files.serviceAccountFile}`,
    `A browser to push to: curl -X POST ${control}/subscriptions`,
    `Pushes received so far: curl ${control}/counts`,
    'Ctrl-C stops them.',
  ];
}

function parsePort(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_529)
    throw new InvalidArgumentError('It is not a port from 0 to 65529.');
  return port;
}
