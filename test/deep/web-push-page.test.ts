/**
 * The script and the service worker of packages/web in Chromium, on a page of another origin than the server's. Chromium's own
 * push service is on the internet: a subscription of the simulator takes the place of the browser's, and what the simulator has
 * decrypted comes to the service worker as a push, by the browser's protocol. Its headless shell draws no notifications and
 * denies the permission to all pages, and a badge ends its process: these are substituted as well.
 */
import { readFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { CompactEncrypt, importJWK } from 'jose';
import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import { startSimulator } from '@carillon/simulator';
import { createApiKey } from '../../src/apps/api-keys.ts';
import { systemClock } from '../../src/clock.ts';
import { buildServer } from '../../src/http/server.ts';
import { observeNothing as observe } from '../../src/observe.ts';
import { countReceipts } from '../../src/results/receipts/count.ts';
import { useTestDatabase } from '../support/database.ts';
import { useOpened } from '../support/opened.ts';
import { portOf } from '../support/ports.ts';
import { testSecret as secret } from '../support/secret.ts';
import { createSimulatedApp, openBackend } from '../support/simulated-app.ts';
import { hostsOf, startTestWorker } from '../support/worker.ts';
import { openBrowser } from './console/support/browser.ts';
import { describeInBrowser } from './console/support/console.ts';

const fileOf = (name: string): string =>
  readFileSync(new URL(`../../packages/web/src/${name}`, import.meta.url), 'utf8');

/** In the worker, in the place of the browser's notifications, with the rule of the standard that a `renotify` needs a `tag`. */
const NOTIFICATIONS = `
  const all = [];
  const { prototype } = ServiceWorkerRegistration;
  prototype.showNotification = async (title, options) => {
    if (options.renotify && !options.tag) throw new TypeError('renotify without a tag');
    all.push({ title, ...structuredClone(options), close: () => {} });
  };
  prototype.getNotifications = async () => all;
  WorkerNavigator.prototype.setAppBadge = async (count) => (self.badge = count);
  self.onmessage = async ({ data, ports: [port] }) => port.postMessage(await (0, eval)(data));
`;

/** A site that has a service worker of its own, which imports Carillon's. */
const SITE: Readonly<Record<string, [type: string, text: string]>> = {
  '/': [
    'text/html',
    '<!doctype html><title>Shop</title><script src="/carillon-text.js"></script><button>Turn on notifications</button>',
  ],
  '/order': ['text/html', '<!doctype html><title>Order</title>'],
  '/own-worker.js': [
    'text/javascript',
    `${NOTIFICATIONS}importScripts('/carillon-text.js', '/carillon-sw.js');`,
  ],
  '/carillon-sw.js': ['text/javascript', fileOf('carillon-sw.js')],
  '/carillon-text.js': ['text/javascript', fileOf('carillon-text.js')],
  '/carillon-web.js': ['text/javascript', fileOf('carillon-web.js')],
};

/** In the page, in the place of the browser's permission and subscription; they survive a reload. */
const PERMISSION_AND_SUBSCRIPTION = `
  Object.defineProperty(Notification, 'permission', { get: () => localStorage.getItem('permission') ?? 'default' });
  Navigator.prototype.setAppBadge = async () => undefined;
  const { requestPermission } = Notification;
  Notification.requestPermission = async () => {
    localStorage.setItem('permission', await requestPermission());
    return Notification.permission;
  };
  const read = () => {
    const json = JSON.parse(localStorage.getItem('subscription'));
    const unsubscribe = async () => localStorage.removeItem('subscription');
    return json && { ...json, unsubscribe, toJSON: () => json };
  };
  PushManager.prototype.getSubscription = async () => read();
  PushManager.prototype.subscribe = async ({ applicationServerKey }) => {
    localStorage.setItem('subscription', JSON.stringify(await subscribeAtSimulator(applicationServerKey)));
    return read();
  };
`;

/** The calls of the API by pages and workers, `POST /v6/devices`. */
const calls: string[] = [];

function usePage() {
  const database = useTestDatabase();
  return useOpened(async (closing) => {
    const { db } = database;
    const simulator = closing.keep(await startSimulator());
    const worker = closing.keep(startTestWorker({ db, secret, simulator }));
    const webPushHosts = hostsOf(simulator);
    const { queue } = worker;
    const server = buildServer({ db, queue, clock: systemClock, secret, observe, webPushHosts });
    closing.defer(async () => {
      server.server.closeAllConnections();
      await server.close();
    });
    server.addHook('onResponse', async ({ method, routeOptions }) => {
      if (method !== 'OPTIONS') calls.push(`${method} ${String(routeOptions.url)}`);
    });
    const origin = await server.listen({ host: '127.0.0.1', port: 0 });
    const app = await createSimulatedApp(db, secret, simulator);
    const backend = openBackend(origin, app.key);
    const credentials = { subject: 'mailto:push@example.com', url: 'https://www.example.com/' };
    await backend.call('PUT', '/v6/credentials/web_push', { credentials });
    const { key } = await createApiKey(db, { appId: app.id, scopes: ['register'] }, systemClock);

    const siteServer = createServer(({ url = '' }, response) => {
      const [type, text] = SITE[url] ?? ['text/plain', ''];
      response.writeHead(text === '' ? 404 : 200, { 'content-type': type }).end(text);
    }).listen(0, '127.0.0.1');
    await once(siteServer, 'listening');
    closing.defer(() => {
      siteServer.closeAllConnections();
      siteServer.close();
    });
    const site = `http://127.0.0.1:${portOf(siteServer)}`;
    const browser = closing.keep(await openBrowser());
    const context = await browser.newContext({ locale: 'de-DE', timezoneId: 'Europe/Berlin' });
    await context.exposeFunction('subscribeAtSimulator', (applicationServerKey: string) =>
      simulator.web.subscribe({ applicationServerKey }),
    );
    await context.addInitScript(PERMISSION_AND_SUBSCRIPTION);
    const page = await context.newPage();
    const protocol = await context.newCDPSession(page);
    const registration = Promise.withResolvers<string>();
    protocol.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const own = registrations.find(({ scopeURL }) => scopeURL === `${site}/`);
      if (own !== undefined) registration.resolve(own.registrationId);
    });
    await protocol.send('ServiceWorker.enable');
    const options = { server: origin, key, serviceWorker: '/own-worker.js' };
    return { db, simulator, backend, site, page, protocol, registration: registration.promise, options };
  });
}

interface Kept {
  id: string;
  endpoint: string;
}

const publicKey = z.object({ kty: z.literal('EC'), crv: z.string(), x: z.string(), y: z.string() });

describeInBrowser('a site with packages/web', () => {
  const opened = usePage();

  /** Loads the page, whose script opens Carillon; the button turns notifications on. */
  async function visit(more: object = {}): Promise<string> {
    await opened.page.goto(`${opened.site}/`);
    return opened.page.evaluate(
      `import('/carillon-web.js').then(async ({ openCarillon }) => {
      globalThis.carillon = await openCarillon(${JSON.stringify({ ...opened.options, ...more })});
      document.querySelector('button').onclick = () => (globalThis.enabling = carillon.enable());
      return carillon.state;
    })`,
    );
  }

  async function kept(): Promise<Kept> {
    return opened.page.evaluate(`new Promise((resolve) => {
    const opening = indexedDB.open('carillon');
    opening.onsuccess = () => {
      const asked = opening.result.transaction('kept').objectStore('kept').get('state');
      asked.onsuccess = () => resolve(asked.result);
    };
  })`);
  }

  async function deviceOf({ id }: Kept): Promise<Record<string, unknown>> {
    const { body } = await opened.backend.call('GET', `/v6/devices/${id}`);
    return Object(Reflect.get(Object(body), 'device'));
  }

  /** Has the service worker run a script. */
  async function inWorker<Answer>(script: string): Promise<Answer> {
    return opened.page.evaluate(`navigator.serviceWorker.ready.then(({ active }) => new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = ({ data }) => resolve(data);
    active.postMessage(${JSON.stringify(script)}, [port2]);
  }))`);
  }

  /** Has the browser hand a text to the service worker, as it does with a push. */
  async function deliver(data: string): Promise<void> {
    await opened.protocol.send('ServiceWorker.deliverPushMessage', {
      origin: opened.site,
      registrationId: await opened.registration,
      data,
    });
  }

  const shown = async (): Promise<{ title: string; tag?: string }[]> =>
    inWorker('registration.getNotifications().then((all) => JSON.parse(JSON.stringify(all)))');

  test('a page asks for nothing until the user clicks, and then registers the browser, once until something changes', async () => {
    calls.length = 0;
    await visit();
    await opened.page.evaluate(`localStorage.setItem('permission', 'denied')`);
    expect(await visit()).toBe('denied');
    await opened.page.evaluate(`localStorage.clear()`);
    await opened.page.context().grantPermissions(['notifications'], { origin: opened.site });
    expect(await visit({ device: { app_version: '2.1' } })).toBe('off');
    expect(calls).toEqual([]);
    await opened.page.click('button');
    expect(await opened.page.evaluate('enabling')).toBe('on');
    const first = await kept();
    expect(await deviceOf(first)).toMatchObject({
      platform: 'Web',
      locale: 'de_DE',
      time_zone: 'Europe/Berlin',
      app_version: '2.1',
      marketing_name: 'Chrome',
      notifications_allowed: 'Enabled',
      user_id: null,
    });

    calls.length = 0;
    const device = { app_version: '2.1' };
    const again = async (more: object = {}): Promise<string[]> => {
      expect(await visit({ device, ...more })).toBe('on');
      // Waits for what `openCarillon` has begun.
      await opened.page.evaluate(`navigator.locks.request('carillon', () => undefined)`);
      return calls.splice(0);
    };
    expect(await again()).toEqual([]);
    const registered = ['GET /v6/web_push_key', 'POST /v6/devices'];
    expect(await again({ user: { user_id: 'ada' } })).toEqual(registered);
    expect(await again({ user: { user_id: 'ada' } })).toEqual([]);
    expect(await deviceOf(first)).toMatchObject({ user_id: 'ada' });
    await opened.page.evaluate('carillon.setUser(null)');
    expect(await deviceOf(first)).toMatchObject({ user_id: null });
    expect(await again({ user: { user_id: 'ada' }, device: { app_version: '2.2' } })).toContain(
      'POST /v6/devices',
    );
    expect(await kept()).toMatchObject({ id: first.id, endpoint: first.endpoint });
    await opened.page.evaluate('carillon.setBadge(3)');
    expect(await deviceOf(first)).toMatchObject({ app_version: '2.2', badge: 3 });
  });

  test('the service worker shows a push, and reports that it was shown and opened', async () => {
    const device = await kept();
    const { id } = await opened.backend.deliver([{ name: 'user_id', criteria: ['ada'] }], {
      payload: {
        title: 'Order 4711',
        alert: 'It is on its way.',
        icon: 'https://www.example.com/icon.png',
        url: 'https://www.example.com/orders/4711',
        actions: [{ action: 'track', title: 'Track', url: 'https://www.example.com/track' }],
        badge: 2,
        order_id: 4711,
      },
      receipts: { sample: 1 },
    });
    const [push] = opened.simulator.received({ token: device.endpoint });
    await deliver(String(Reflect.get(Object(push), 'text')));
    await vi.waitFor(
      async () =>
        expect(await shown()).toMatchObject([
          {
            title: 'Order 4711',
            body: 'It is on its way.',
            tag: id,
            icon: 'https://www.example.com/icon.png',
            actions: [{ action: 'track', title: 'Track' }],
            data: { order_id: 4711 },
          },
        ]),
      { timeout: 20_000 },
    );
    expect(await inWorker('self.badge')).toBe(2);
    // The protocol cannot click on a notification.
    const visited: unknown = await inWorker(`(async () => {
      const addresses = [];
      const window = { focus: () => addresses.push('focused') };
      self.clients.openWindow = async (address) => addresses.push(address);
      self.clients.matchAll = async () => [{ ...window, url: '${opened.site}/' }];
      const [notification] = await registration.getNotifications();
      await carillon.click(notification, '');
      await carillon.click(notification, 'track');
      notification.data.carillon.navigate = undefined;
      await carillon.click(notification, '');
      return addresses;
    })()`);
    expect(visited).toEqual([
      'https://www.example.com/orders/4711',
      'https://www.example.com/track',
      'focused',
    ]);
    await vi.waitFor(
      async () => {
        await countReceipts({ db: opened.db, clock: systemClock }, new AbortController().signal);
        const { body } = await opened.backend.call('GET', `/v6/notifications/${id}/report`);
        expect(body).toMatchObject({ funnel: { asked: 1, shown: { reported: 1 }, opened: 1 } });
      },
      { timeout: 20_000 },
    );
  });

  test.each(['no JSON', '17', '', '{"notification":{"title":"Two","renotify":true}}'])(
    'the service worker shows the push %j too, because browsers demand a notification for each',
    async (text) => {
      const before = (await shown()).length;
      await deliver(text);
      await vi.waitFor(async () => expect((await shown()).length).toBe(before + 1), { timeout: 20_000 });
      expect((await shown()).map(({ title }) => title)).toContain(text.includes('Two') ? 'Two' : '127.0.0.1');
    },
  );

  test('a text that only the browser reads is opened by its worker; without a key for it, the fallback is shown', async () => {
    const own = publicKey.parse(await opened.page.evaluate('carillonText.publicKey()'));
    expect(await visit({ user: { user_id: 'ada' }, device: { encryption_key: own } })).toBe('on');
    await opened.page.evaluate(`navigator.locks.request('carillon', () => undefined)`);
    const { encryption_key: stored } = await deviceOf(await kept());
    expect(stored).toMatchObject(own);
    const clear = new TextEncoder().encode(JSON.stringify({ title: 'Your result', alert: 'All is well.' }));
    const jwe = await new CompactEncrypt(clear)
      .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A256GCM' })
      .encrypt(await importJWK(own, 'ECDH-ES'));
    const { kid } = z.object({ kid: z.string() }).parse(stored);
    for (const [key, title] of [
      [kid, 'Your result'],
      ['A'.repeat(43), 'A message'],
    ] as const) {
      const { id } = await opened.backend.notify([{ name: 'user_id', criteria: ['ada'] }], {
        payload: { title: 'A message', alert: 'Open the app to read it.' },
        encrypted_texts: { [key]: jwe },
      });
      expect(await opened.backend.untilEnded(id, 20_000)).toMatchObject({ accepted: 1 });
      const [push] = opened.simulator.received({ nid: id });
      await deliver(String(Reflect.get(Object(push), 'text')));
      await vi.waitFor(
        async () => expect((await shown()).find(({ tag }) => tag === id)).toMatchObject({ title }),
        { timeout: 20_000 },
      );
    }
  });

  test('a browser stays the same device when its subscription is replaced, and leaves when notifications are turned off', async () => {
    const { id, endpoint } = await kept();
    const replaced = opened.simulator.web.subscribe();
    await inWorker(
      `carillon.subscribeAgain({ oldSubscription: { endpoint: ${JSON.stringify(endpoint)} },
        newSubscription: { endpoint: ${JSON.stringify(replaced.endpoint)}, toJSON: () => (${JSON.stringify(replaced)}) } })`,
    );
    expect(await kept()).toMatchObject({ id, endpoint: replaced.endpoint });
    expect(await deviceOf({ id, endpoint })).toMatchObject({ push_token: replaced.endpoint, user_id: 'ada' });
    expect(await opened.page.evaluate('carillon.disable()')).toBe('off');
    expect(await deviceOf({ id, endpoint })).toMatchObject({ notifications_allowed: 'Disabled' });
    expect(await visit()).toBe('off');
    await opened.page.click('button');
    expect(await opened.page.evaluate('enabling')).toBe('on');
    expect((await kept()).id).toBe(id);
    expect(await deviceOf({ id, endpoint })).toMatchObject({ notifications_allowed: 'Enabled' });
  });
});
