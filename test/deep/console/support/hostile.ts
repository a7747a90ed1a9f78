/** Data that would run a script, or look like something else, if the console took it for more than text. */
import { systemClock } from '../../../../src/clock.ts';
import { countDueApps } from '../../../../src/results/overview/count-devices.ts';
import { countLatestHours } from '../../../../src/results/overview/count-hours.ts';
import type { Ids } from './every-screen.ts';
import type { ConsoleFixture } from './console.ts';

/** Each sets `globalThis.hostile` where it runs. */
const hostileTexts = [
  '<img src=x onerror="globalThis.hostile=1">',
  '"><script>globalThis.hostile=1</script>',
  '<svg/onload=globalThis.hostile=1>',
  "javascript:globalThis.hostile=1//'",
  '</script><script>globalThis.hostile=1</script>',
  '{{constructor.constructor("globalThis.hostile=1")()}}',
  '${globalThis.hostile=1}',
  '<iframe srcdoc="<script>parent.hostile=1</script>">',
  '<style>@import "//example.com/x.css"</style>',
  '<a href="//example.com" ping="//example.com">\u202Egnp.exe</a>',
  '&lt;b&gt;&#60;i&#62;\u0007',
  '</bdi></td></table><h1>pwned</h1>',
  'x'.repeat(255),
] as const;

const all = hostileTexts.join(' ');

/** Puts hostile texts wherever the API takes text. */
export async function insertHostile({ backend, db, app }: ConsoleFixture): Promise<Ids> {
  await db.updateTable('apps').set({ name: hostileTexts[0] }).where('id', '=', app.id).execute();
  const device = await backend.create('/v6/devices', {
    device: {
      platform: 'iOS',
      push_token: 'cd'.repeat(32),
      user_id: hostileTexts[1],
      marketing_name: hostileTexts[2],
      os_name: hostileTexts[3],
      country: hostileTexts[4],
      user_email: hostileTexts[5],
      tags: [...hostileTexts],
      custom: Object.fromEntries(
        hostileTexts.map((text, index) => [`a${index} ${text}`, { type: 'string', value: text }]),
      ),
    },
  });
  // Registrations refuse such a time zone; it may be stored from before.
  await db.updateTable('devices').set({ time_zone: hostileTexts[7] }).where('id', '=', device).execute();
  const events = hostileTexts.map((name) => ({ name }));
  const { status } = await backend.call('POST', `/v6/devices/${device}/events`, { events });
  if (status !== 202) throw new Error(`hostile events get ${status}`);
  const audience = await backend.create('/v6/audiences', {
    audience: {
      name: hostileTexts[1],
      filters: [{ name: 'tags', criteria: [...hostileTexts] }],
    },
  });
  const webhook = await backend.create('/v6/webhooks', {
    webhook: {
      url: 'http://127.0.0.1:9/<script>globalThis.hostile=1</script>',
      events: ['notification.sent'],
    },
  });
  const payload = {
    title: hostileTexts[0],
    alert: all,
    [`key ${hostileTexts[2]}`]: [...hostileTexts],
    url: 'javascript:globalThis.hostile=1',
  };
  const { id: notification } = await backend.deliver({ device_id: device }, { payload });
  await backend.notify(audience, { payload });
  const never = new AbortController().signal;
  await countLatestHours(db, systemClock, never);
  await countDueApps({ db, clock: systemClock, failed: new Map() }, never);
  return { notification, device, user: hostileTexts[1], audience, webhook };
}
