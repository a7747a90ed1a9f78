// The service worker of Carillon: register it as it is, or have your own call importScripts('/carillon-sw.js').
(() => {
  /** What the page has kept in IndexedDB: {server, key, applicationServerKey, id, endpoint, …}; `change` changes it. */
  const kept = (change) =>
    new Promise((resolve, reject) => {
      const opening = indexedDB.open('carillon');
      opening.onupgradeneeded = () => opening.result.createObjectStore('kept');
      opening.onerror = () => reject(opening.error);
      opening.onsuccess = () => {
        const transaction = opening.result.transaction('kept', change ? 'readwrite' : 'readonly');
        const store = transaction.objectStore('kept');
        const request = store.get('state');
        request.onsuccess = () => change && store.put({ ...request.result, ...change }, 'state');
        transaction.oncomplete = () => resolve(request.result ?? {});
        transaction.onabort = () => reject(transaction.error);
        opening.result.close(); // when the transaction has ended
      };
    });

  const call = async (path, body) => {
    const { server, key } = await kept();
    const headers = { authorization: `Basic ${btoa(`:${key}`)}`, 'content-type': 'application/json' };
    const reply = await fetch(server + path, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!reply.ok) throw new Error(`${path} answered ${reply.status}`);
    return reply.json();
  };

  /** @returns the JSON of a push, with its encrypted text if carillon-text.js was imported; `{}` if it has none that can be read */
  const readMessage = async (data) => {
    try {
      const message = Object(data.json());
      return (await self.carillonText?.open(message)) ?? message;
    } catch {
      return {};
    }
  };

  /** @returns what `showNotification` takes. What a click needs is in `options.data.carillon`, next to the keys of the payload */
  const notificationOf = (message) => {
    const { title, navigate, app_badge: badge, actions, data, ...options } = Object(message.notification);
    const carillon = {
      nid: message._nid,
      rcpt: message._rcpt,
      navigate,
      actions: Object.fromEntries((actions ?? []).map((each) => [each.action, each.navigate])),
    };
    return {
      title: title ?? self.location.hostname,
      options: { ...options, ...(actions && { actions }), data: { ...data, carillon } },
      badge: message.app_badge ?? badge,
    };
  };

  const reportReceipt = async ({ nid, rcpt }) => {
    const { id } = await kept();
    const last = (uuid) => parseInt(uuid.slice(-8), 16);
    if (!id || !nid || (last(id) ^ last(nid)) >>> 0 >= (rcpt ?? 0)) return;
    await call('/v6/receipts', [{ notification: nid, device: id, shown: true }]);
  };

  const reportOpen = async ({ nid }) => {
    const { id } = await kept();
    if (id && nid) await call(`/v6/notifications/${nid}/opens`, { device_id: id });
  };

  /** Browsers end a site's permission if it does not show a push: so each is shown, whatever else fails. */
  const push = async (data) => {
    const { title, options, badge } = notificationOf(await readMessage(data));
    const { data: sent, body, tag } = options;
    await self.registration
      .showNotification(title, options)
      .catch(() => self.registration.showNotification(title, { body, tag, data: sent }));
    const setBadge = async () => badge !== undefined && self.navigator.setAppBadge?.(badge);
    await Promise.allSettled([setBadge(), reportReceipt(sent.carillon)]);
  };

  /** Brings the window with the address to the front, or opens one; without an address, any window of the site. */
  const open = async (address) => {
    const windows = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
    const found = windows.find(({ url }) => !address || url === new URL(address, self.location.href).href);
    return found ? found.focus() : self.clients.openWindow(address ?? self.registration.scope);
  };

  const click = async (notification, action) => {
    const { carillon } = notification.data;
    notification.close();
    await Promise.allSettled([open(carillon.actions[action] ?? carillon.navigate), reportOpen(carillon)]);
  };

  /** The browser has replaced its subscription: the new one is the same device. */
  const subscribeAgain = async ({ oldSubscription, newSubscription }) => {
    const { applicationServerKey, id, endpoint: known } = await kept();
    if (!applicationServerKey) return;
    const options = { userVisibleOnly: true, applicationServerKey };
    const subscription = newSubscription ?? (await self.registration.pushManager.subscribe(options));
    const previous = oldSubscription?.endpoint ?? known;
    const device = {
      platform: 'Web',
      subscription: subscription.toJSON(),
      id,
      previous_endpoint: previous === subscription.endpoint ? undefined : previous,
    };
    const { device: registered } = await call('/v6/devices', { device });
    // The page registers again as well: only it can prove the user.
    await kept({ id: registered.id, endpoint: subscription.endpoint, sent: undefined });
  };

  self.addEventListener('push', (event) => {
    // Safari has shown such a push by itself.
    if (event.data || !event.notification) event.waitUntil(push(event.data));
  });
  self.addEventListener('notificationclick', (event) => {
    if (event.notification.data?.carillon) event.waitUntil(click(event.notification, event.action));
  });
  self.addEventListener('pushsubscriptionchange', (event) => event.waitUntil(subscribeAgain(event)));

  /** For a worker that gets its pushes in another way, and for tests. */
  self.carillon = { push, click, subscribeAgain };
})();
