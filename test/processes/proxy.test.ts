/** A server that reaches its gateways only through a proxy: both of its threads, and `doctor`. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { observeNothing } from '../../src/observe.ts';
import { readConfig } from '../../src/process/config.ts';
import { openResources } from '../../src/process/resources.ts';
import { type Simulator, startSimulator } from '@carillon/simulator';
import { type ConnectProxy, openConnectProxy } from '../support/connect-proxy.ts';
import { expectToStop, listeningUrl, startRefusal, useCarillon } from '../support/processes.ts';
import { createSimulatedApp, gatewaySettings, insertDevices, openBackend } from '../support/simulated-app.ts';

/** More than the direct lane has: the bulk thread sends them. */
const DEVICES = 200;

const carillon = useCarillon();
let simulator: Simulator;
let proxy: ConnectProxy;

beforeAll(async () => {
  proxy = await openConnectProxy();
  // An address of this machine that is not a loopback address, so that it is not reached without the proxy.
  simulator = await startSimulator({ certificateDir: await carillon.makeDir(), host: '0.0.0.0' });
});
afterAll(async () => {
  await carillon.killAll();
  await simulator.close();
  await proxy.close();
});

test(
  'single pushes, bulk notifications and doctor lead through the proxy; its password is in no line',
  { timeout: 300_000 },
  async () => {
    const dataDir = await carillon.makeDir();
    const resources = await openResources(readConfig({ DATA_DIR: dataDir }), observeNothing);
    const app = await createSimulatedApp(resources.db, resources.secret, simulator);
    const [device] = await insertDevices(resources.db, app.id, DEVICES);
    await resources.close();
    const settings = {
      ...gatewaySettings(simulator),
      DATA_DIR: dataDir,
      PORT: '0',
      https_proxy: proxy.url,
      LOG_LEVEL: 'debug',
    };
    const server = carillon.start(['start'], settings);
    const backend = openBackend(await listeningUrl(server), app.key);
    const { apnsProduction, fcm, oauth } = simulator.urls;
    const hosts = [apnsProduction, fcm, oauth].map((url) => new URL(url).host);
    for (const to of [[{ name: 'device_id', criteria: [device?.id] }], '*']) {
      const { id } = await backend.notify(to);
      const { devices, accepted } = await backend.untilEnded(id, 120_000);
      expect(accepted).toBe(devices);
    }
    expect(proxy.asked).toEqual(expect.arrayContaining(hosts));

    proxy.asked.splice(0);
    proxy.behave(403);
    const doctor = await carillon.run(['doctor'], settings);
    expect(doctor.code).toBe(1);
    expect(doctor.stdout).toContain(`the proxy ${proxy.name} answered 403 Forbidden`);
    expect(doctor.stdout).toContain('check HTTPS_PROXY');
    expect(proxy.asked).toEqual(expect.arrayContaining(hosts));
    await expectToStop(server);
    const password = decodeURIComponent(new URL(proxy.url).password);
    for (const output of [server.lines().join('\n'), doctor.stdout, doctor.stderr]) {
      expect(output).not.toContain(password);
      expect(output).not.toContain(encodeURIComponent(password));
    }
  },
);

test('a proxy that is no address ends the start with 78, and its password is not repeated', async () => {
  const exit = await carillon.run(['start'], { HTTPS_PROXY: 'socks5://user:hidden@proxy.example.com' });
  expect(exit.code).toBe(78);
  expect(startRefusal(exit)).toBe(
    'HTTPS_PROXY must have the form http://user:password@proxy.example.com:3128, with http or https',
  );
});
