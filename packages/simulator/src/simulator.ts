/**
 * Simulates Apple, Google and the push services of browsers locally, with faults on demand. It tests the gateways from
 * outside, so it shares no code with them: the rules of the services are implemented here a second time, on purpose.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openApple } from './apple/apple.ts';
import { makeCertificate } from './certificate.ts';
import { openControl } from './control.ts';
import { createFaultBook } from './faults.ts';
import { openGoogle } from './google/google.ts';
import { createLedger } from './ledger.ts';
import { createDelays } from './answer-or-fault.ts';
import type { Simulator, SimulatorOptions } from './surface.ts';
import { stillWaiting } from './web/waiting.ts';
import { openWeb } from './web/web.ts';

const PUSHES_KEPT = 10_000;
const CHANNELS_MAX = 10_000;

/** Opens all ports, or none if one fails. The caller must close the simulator. @throws if a port is in use */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const { clock = () => new Date(), host = '127.0.0.1', ports = {}, certificateDir } = options;
  const { keep = PUSHES_KEPT } = options;
  const certificate = await makeCertificate(host);
  const caFile =
    certificateDir === undefined ? null : await writeAuthority(certificateDir, certificate.caPem);
  const ledger = createLedger(keep);
  const faults = createFaultBook();
  const delays = createDelays();
  const shared = { clock, host, certificate, ledger, faults, delays };
  const urlAt = (scheme: 'http' | 'https', port: number): string =>
    `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`;

  const opened: { close(): Promise<void> }[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(opened.map((one) => one.close()));
    delays.clear();
  };
  const keepOpen = <Opened extends { close(): Promise<void> }>(one: Opened): Opened => {
    opened.push(one);
    return one;
  };

  try {
    const apple = keepOpen(
      await openApple({
        ...shared,
        ports,
        initialStreams: options.initialStreams ?? 1,
        limitTokenUpdates: options.limitTokenUpdates ?? false,
        channelsMax: options.channelsMax ?? CHANNELS_MAX,
      }),
    );
    const google = keepOpen(
      await openGoogle({
        ...shared,
        port: ports.google ?? 0,
        tokenUrl: (port) => `${urlAt('https', port)}/token`,
      }),
    );
    const webSettings = { http1Only: false, decrypt: true, ...options.web };
    const web = keepOpen(await openWeb({ ...shared, port: ports.web ?? 0, settings: webSettings }));
    const webOrigin = urlAt('https', web.port);
    const control = keepOpen(await openControl({ host, port: ports.control ?? 0 }));
    const simulator: Simulator = {
      urls: {
        apnsProduction: urlAt('https', apple.ports.apnsProduction),
        apnsSandbox: urlAt('https', apple.ports.apnsSandbox),
        channelsProduction: urlAt('https', apple.ports.channelsProduction),
        channelsSandbox: urlAt('https', apple.ports.channelsSandbox),
        fcm: urlAt('https', google.port),
        oauth: `${urlAt('https', google.port)}/token`,
        web: webOrigin,
        control: urlAt('http', control.port),
      },
      caPem: certificate.caPem,
      caFile,
      apple: {
        ...apple.authority,
        registerDevice: (device) => apple.registerDevice(device),
        channels: () => apple.channels.all(),
        createChannel: ({ storagePolicy, ...owner }) => apple.channels.create(owner, storagePolicy),
        deleteChannel: (channel) => {
          apple.channels.delete(channel, channel.id);
        },
        disableChannels: (bundleId) => apple.channels.disable(bundleId),
        broadcasts: () => apple.channels.broadcasts(),
      },
      google: {
        ...google.accounts,
        registerInstallation: (fid) => google.installations.registerInstallation(fid),
      },
      web: {
        subscribe: (subscriber = {}) => web.subscriptions.subscribe(webOrigin, subscriber),
        unsubscribe: (endpoint, status = 410) => web.subscriptions.unsubscribe(endpoint, status),
        set: (settings) => {
          Object.assign(webSettings, settings);
        },
        waiting: (token) => {
          const pushes = ledger.received({ token }).filter((push) => push.gateway === 'web_push');
          return stillWaiting(pushes, clock());
        },
      },
      received: (query = {}) => ledger.received(query),
      pushesByToken: (nid) => ledger.pushesByToken(nid),
      counts: () => ledger.counts(),
      orderFault: (fault) => faults.order(fault),
      faults: () => faults.ordered(),
      clearFaults: () => faults.clear(),
      reset: () => {
        ledger.reset();
        faults.clear();
        apple.channels.reset();
      },
      close,
    };
    control.serve(simulator);
    return simulator;
  } catch (error) {
    await close();
    throw error;
  }
}

async function writeAuthority(dir: string, caPem: string): Promise<string> {
  await mkdir(dir, { recursive: true });
  const file = join(dir, 'ca.pem');
  await writeFile(file, caPem);
  return file;
}
