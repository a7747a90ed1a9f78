// Push notifications from Carillon for the pages of a site: see carillon-web.d.ts.

/** Keeps a value, or reads it; the service worker does so too. */
const kept = (value) =>
  new Promise((resolve, reject) => {
    const opening = indexedDB.open('carillon');
    opening.onupgradeneeded = () => opening.result.createObjectStore('kept');
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => {
      const store = opening.result.transaction('kept', 'readwrite').objectStore('kept');
      const request = value ? store.put(value, 'state') : store.get('state');
      request.onsuccess = () => resolve(request.result ?? {});
      request.onerror = () => reject(request.error);
      opening.result.close();
    };
  });

const inName = (word) => navigator.userAgent.includes(word);
const browser = inName('Edg') ? 'Edge' : ['Firefox', 'Chrome', 'Safari'].find(inName);
const system = inName('like Mac') ? 'iOS' : ['Android', 'Windows', 'Mac OS X', 'Linux'].find(inName);

export async function openCarillon(options) {
  const { server, key, serviceWorker = '/carillon-sw.js', onState } = options;
  let { user } = options;
  if (!('serviceWorker' in navigator && 'PushManager' in window)) {
    const state = system === 'iOS' && !navigator.standalone ? 'add_to_home_screen' : 'unsupported';
    const look = async () => state;
    onState?.(state);
    return { state, enable: look, disable: look, setUser: look, setBadge: look };
  }
  const { pushManager } = await navigator.serviceWorker.register(serviceWorker);

  const call = async (method, path, device) => {
    const reply = await fetch(server + path, {
      method,
      headers: { authorization: `Basic ${btoa(`:${key}`)}`, 'content-type': 'application/json' },
      body: device && JSON.stringify({ device }),
    });
    const answer = await reply.json();
    if (!reply.ok) throw new Error(answer.error);
    return answer;
  };

  const look = async () => {
    const { permission } = Notification;
    const isOn = permission === 'granted' && (await kept()).on;
    carillon.state = permission === 'denied' ? permission : isOn ? 'on' : 'off';
    onState?.(carillon.state);
    return carillon.state;
  };

  /** One tab at a time. Unasked, only if notifications are on and something has changed. */
  const register = (isAsked) =>
    navigator.locks.request('carillon', async () => {
      const before = await kept();
      if (!isAsked && !(before.on && Notification.permission === 'granted')) return;
      let subscription = await pushManager.getSubscription();
      const about = {
        locale: navigator.language,
        time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
        marketing_name: browser,
        os_name: system,
        notifications_allowed: 'Enabled',
        ...options.device,
        ...(user === null ? { user_id: null } : user),
      };
      // Once a day anyway: the server knows who comes. Tokens are new each time.
      const known = { ...about, user_token: !!about.user_token, server, key, day: new Date().toDateString() };
      const facts = () => JSON.stringify({ ...known, endpoint: subscription?.endpoint });
      if (!isAsked && facts() === before.sent) return;

      const { public_key: applicationServerKey } = await call('GET', '/v6/web_push_key');
      if (!applicationServerKey) throw new Error('The app has no key for Web Push.');
      const previous_endpoint = subscription?.endpoint ?? before.endpoint;
      if (before.applicationServerKey !== applicationServerKey) {
        await subscription?.unsubscribe();
        subscription = null;
      }
      subscription ??= await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey });
      const { endpoint } = subscription;
      const { device } = await call('POST', '/v6/devices', {
        platform: 'Web',
        subscription: subscription.toJSON(),
        ...about,
        id: before.id,
        ...(previous_endpoint !== endpoint && { previous_endpoint }),
      });
      const { id } = device;
      await kept({ on: true, server, key, applicationServerKey, id, endpoint, sent: facts() });
    });

  const change = async (device) => {
    const { on, id } = await kept();
    if (on) await call('PUT', `/v6/devices/${id}`, device);
  };

  const carillon = {
    async enable() {
      if ((await Notification.requestPermission()) === 'granted') await register(true);
      return look();
    },
    async disable() {
      await change({ notifications_allowed: 'Disabled' }).catch(() => {});
      await kept({ ...(await kept()), on: false });
      await (await pushManager.getSubscription())?.unsubscribe();
      return look();
    },
    async setUser(next) {
      user = next;
      await register();
    },
    async setBadge(count) {
      await navigator.setAppBadge?.(count);
      await change({ badge: count });
    },
  };

  const again = () => register().then(look, () => {});
  addEventListener('languagechange', again);
  document.addEventListener('visibilitychange', () => document.hidden || again());
  again();
  await look();
  return carillon;
}
