/** A server that reaches its gateways only through a proxy: both of its threads, and `doctor`. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConnectProxy, openConnectProxy } from '../support/connect-proxy.ts';
import { expectToStop } from '../support/processes.ts';
import { useAlone } from './alone.ts';

/** More than the direct lane has: the bulk thread sends them. */
const DEVICES = 200;

let proxy: ConnectProxy;
beforeAll(async () => {
  proxy = await openConnectProxy();
});
afterAll(async () => proxy.close());

// An address of this machine that is not a loopback address, so that it is not reached without the proxy.
const alone = useAlone({ host: '0.0.0.0', settings: () => ({ https_proxy: proxy.url }) });

test(
  'single pushes, bulk notifications and doctor lead through the proxy; its password is in no line',
  { timeout: 300_000 },
  async () => {
    const { app, devices } = await alone.makeApp(DEVICES);
    const server = alone.start();
    const backend = await alone.backend(server, app);
    const { apnsProduction, fcm, oauth } = alone.simulator.urls;
    const hosts = [apnsProduction, fcm, oauth].map((url) => new URL(url).host);
    for (const to of [[{ name: 'device_id', criteria: [devices[0]?.id] }], '*']) {
      const { id } = await backend.notify(to);
      const ended = await backend.untilEnded(id, 120_000);
      expect(ended.accepted).toBe(ended.devices);
    }
    expect(proxy.asked).toEqual(expect.arrayContaining(hosts));

    proxy.asked.splice(0);
    proxy.behave(403);
    const doctor = await alone.run(['doctor']);
    expect(doctor.code).toBe(1);
    const refused = `the proxy ${proxy.name} answered 403 Forbidden`;
    // FCM and Google's OAuth have one address at the simulator, so the proxy cannot tell who asks.
    for (const gateway of ['apns production', 'apns sandbox', 'fcm', 'google oauth']) {
      expect(doctor.stdout).toMatch(new RegExp(`${gateway}.*${refused}`));
    }
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
