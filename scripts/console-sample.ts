/** Adds to the demo's app, so that every screen of the console has something to show. */

/** Calls the API as an admin of the app. @returns the reply's JSON */
export type SampleCall = (
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  body?: unknown,
) => Promise<unknown>;

export interface SampleIds {
  /** A bulk notification of which some pushes were refused. */
  notification: string;
  /** An A/B test in two languages, which devices have reported on. */
  test: string;
  /** A notification that is due at nine o'clock on each device's clock. */
  waves: string;
  /** A notification that was canceled before it began. */
  canceled: string;
  /** A notification in Arabic. */
  rightToLeft: string;
  device: string;
  audience: string;
  webhook: string;
}

const DAY_MS = 86_400_000;

/** A back end's `fetch` of the simulator's control address. */
type Control = (path: string, body: unknown) => Promise<void>;

export async function makeSample(call: SampleCall, control: Control, now: Date): Promise<SampleIds> {
  const later = new Date(now.getTime() + DAY_MS).toISOString();
  const idOf = async (...request: Parameters<SampleCall>): Promise<string> => findId(await call(...request));
  const notify = async (notification: unknown): Promise<string> =>
    idOf('POST', '/v6/notifications', { notification });

  const device = await idOf('POST', '/v6/devices', { device: richDevice });
  await call('POST', `/v6/devices/${device}/events`, {
    events: [
      { name: 'purchase', date: new Date(now.getTime() - DAY_MS).toISOString() },
      { name: 'viewed_offer' },
    ],
  });
  await idOf('POST', '/v6/devices', { device: arabicDevice });
  const audience = await idOf('POST', '/v6/audiences', {
    audience: { name: 'Gold plan near Paris', filters: goldNearParis },
  });
  await call('POST', '/v6/audiences', {
    audience: { name: 'Beta testers', filters: [{ name: 'tags', criteria: ['beta'] }] },
  });
  const webhook = await idOf('POST', '/v6/webhooks', {
    webhook: { url: 'http://127.0.0.1:9/carillon', events: ['notification.sent', 'notification.failed'] },
  });
  await call('POST', `/v6/webhooks/${webhook}/test`);

  await control('/faults', faults);
  const notification = await notify({
    to: '*',
    payload: {
      title: 'Your order is on its way',
      alert: 'It arrives tomorrow between 9 and 12. Follow it on the map.',
      badge: 1,
      sound: 'default',
      order_id: 4_611_686_018_427_387,
      url: 'https://example.com/orders/4711',
    },
  });
  await untilSent(call, notification);
  const test = await notify(saleTest);
  await untilSent(call, test);
  await report(call, test);
  const rightToLeft = await notify({
    to: audience,
    payload: { title: 'عرض خاص', alert: 'خصم ٢٠٪ على كل شيء حتى الغد' },
  });
  await notify({ to: { device_id: device }, payload: { alert: 'Your code is 482 913' } });
  await notify({
    to: '*',
    payload: { alert: 'Scheduled maintenance on Sunday, 2:00 to 4:00' },
    deliver_at: later,
  });
  const canceled = await notify({ to: '*', payload: { alert: 'Sent by mistake' }, deliver_at: later });
  await call('POST', `/v6/notifications/${canceled}/cancel`);
  await notify({ to: '*', payload: { alert: LONG }, dry_run: true });
  const waves = await notify({
    to: '*',
    payload: { title: 'Good morning', alert: 'Your week in three minutes' },
    deliver_at_local: { time: `${later.slice(0, 10)}T09:00:00`, no_time_zone: 'Europe/Paris' },
  });
  return { notification, test, waves, canceled, rightToLeft, device, audience, webhook };
}

/** Sets what only an admin may set. Runs last, so that no notification of the sample is held. */
export async function setMoments(callAsAdmin: SampleCall): Promise<void> {
  await callAsAdmin('PUT', '/v6/app/quiet-hours', { quiet_hours: quietHours });
  await callAsAdmin('PUT', '/v6/app/frequency-caps', { frequency_caps: frequencyCaps });
}

/** Sends a bulk notification that takes some seconds, because Google's quota is small. @returns its id */
export async function sendSlowly(call: SampleCall): Promise<string> {
  const notification = {
    to: '*',
    payload: { title: 'Goal!', alert: '1:0 in the 89th minute' },
    quiet_hours: 'ignore',
  };
  return findId(await call('POST', '/v6/notifications', { notification }));
}

/** Makes the devices of a test report, and open the second variant more often. */
async function report(call: SampleCall, notification: string): Promise<void> {
  for (const [variant, opensOne] of [
    ['plain', 12],
    ['half-price', 5],
  ] as const) {
    const path = `/v6/notifications/${notification}/deliveries?outcome=accepted&variant=${variant}&per=500`;
    const ids = [...JSON.stringify(await call('GET', path)).matchAll(/"device_id":"([^"]+)"/g)];
    const receipts = ids.flatMap(([, device], index) =>
      index % 20 === 0
        ? []
        : [{ notification, device, shown: index % 8 !== 0, opened: index % opensOne === 1 }],
    );
    await call('POST', '/v6/receipts', receipts);
  }
}

async function untilSent(call: SampleCall, id: string): Promise<void> {
  for (let round = 0; round < 1_800; round++) {
    const reply = await call('GET', `/v6/notifications/${id}`);
    if (JSON.stringify(reply).includes('"state":"sent"')) return;
    await new Promise((resolve) => {
      setTimeout(resolve, 100);
    });
  }
  throw new Error('the sample notification was not sent within three minutes');
}

/** Finds the id of the created object, wherever it is in the reply. */
function findId(reply: unknown): string {
  const match = /"id":"([^"]+)"/.exec(JSON.stringify(reply));
  if (match?.[1] === undefined) throw new Error(`no id in ${JSON.stringify(reply)}`);
  return match[1];
}

const saleTest = {
  to: '*',
  payload: {
    title: 'Summer sale',
    alert: 'Hello {{ custom.first_name | default: "there" }}, everything must go.',
    url: 'app://sale',
  },
  localized: {
    fr: {
      title: 'Soldes d’été',
      alert: 'Bonjour {{ custom.first_name | default: "à vous" }}, tout doit partir.',
    },
    de: { title: 'Sommerschlussverkauf' },
  },
  template: true,
  variants: [
    { name: 'plain', weight: 1 },
    {
      name: 'half-price',
      weight: 1,
      payload: { title: 'Half price until Sunday' },
      localized: {
        fr: { title: 'Moitié prix jusqu’à dimanche' },
        de: { title: 'Bis Sonntag zum halben Preis' },
      },
    },
  ],
  hold_out: 0.1,
  receipts: {},
};

const LONG =
  'A title that is much longer than any phone shows, to see where a list and a tray cut it off and whether it can still be read in full';

const richDevice = {
  platform: 'iOS',
  push_token: 'ab'.repeat(32),
  locale: 'fr_FR',
  country: 'FR',
  time_zone: 'Europe/Paris',
  app_version: '2.10',
  os_name: 'iOS',
  os_version: '26.1',
  sdk_version: '6.2.0',
  marketing_name: 'iPhone 17 Pro',
  user_id: 'user-4711',
  notifications_allowed: 'Enabled',
  location: { latitude: 48.8566, longitude: 2.3522 },
  tags: ['beta', 'news'],
  custom: {
    plan: { type: 'string', value: 'gold' },
    visits: { type: 'integer', value: 41 },
    teams: { type: 'string', value: ['reds', 'blues'] },
  },
};

const arabicDevice = {
  ...richDevice,
  platform: 'Android',
  push_token: 'demo:rtl',
  locale: 'ar_EG',
  country: 'EG',
  time_zone: 'Africa/Cairo',
  os_name: 'Android',
  os_version: '16',
  marketing_name: 'Galaxy S26',
  user_id: 'مستخدم-١٢',
  location: { latitude: 30.0444, longitude: 31.2357 },
};

const quietHours = {
  from: '22:00',
  to: '08:00',
  no_time_zone: 'Europe/Paris',
  action: 'hold',
  release_over: 'PT30M',
};

const frequencyCaps = [
  {
    group: 'marketing',
    by: 'user',
    limits: [
      { at_most: 1, per: 'P1D' },
      { at_most: 3, per: 'P7D' },
    ],
  },
  { group: 'reminders', by: 'device', limits: [{ at_most: 2, per: 'PT6H' }] },
];

/** A filter of each kind that the builder draws differently. */
export const everyKind = [
  { name: 'os_name', criteria: ['iOS'] },
  { name: 'locale', criteria: ['fr_FR', 'ar_EG'] },
  { name: 'app_version', criteria: [{ gte: '2.0', lt: '3' }] },
  { name: 'created_at', criteria: [{ gte: 'now-7d/d' }] },
  { name: 'tags', criteria: ['beta'], not_filter: true },
  { name: 'custom.integer.visits', criteria: [{ gt: 40 }] },
  { name: 'events.Public Api.purchase', criteria: [{ gte: 'now-30d' }] },
  {
    name: 'location',
    criteria: [
      {
        polygon: [
          { latitude: 49.1, longitude: 1.9 },
          { latitude: 49.1, longitude: 2.9 },
          { latitude: 48.5, longitude: 2.4 },
        ],
      },
    ],
  },
];

export const goldNearParis = [
  { name: 'custom.string.plan', criteria: ['gold'] },
  {
    name: 'location',
    criteria: [{ point: { latitude: 48.8566, longitude: 2.3522 }, distance: 50, unit: 'km' }],
  },
];

const faults = [
  { kind: 'answer', gateway: 'apns', status: 400, reason: 'BadDeviceToken', probability: 0.05, times: 30 },
  {
    kind: 'answer',
    gateway: 'apns',
    status: 410,
    reason: 'Unregistered',
    probability: 0.03,
    times: 20,
    seed: 2,
  },
  {
    kind: 'answer',
    gateway: 'fcm',
    status: 404,
    reason: 'UNREGISTERED',
    probability: 0.04,
    times: 20,
    seed: 3,
  },
];
