/**
 * Makes the pictures of the console: `npm run pictures:console`. Starts `carillon demo` on a temporary directory, makes
 * more sample data over the API, signs in with the link that the demo prints, and takes a picture of each screen in
 * light, and of a few in dark and at the width of a phone. Needs Chromium. With `-- NAME …` it takes the pictures of
 * some screens; with `-- stay` it takes none, prints the link and keeps running. With `-- everything DIRECTORY` it
 * takes each screen in each look and in full length, for review.
 */
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContext } from 'playwright-core';
import { insertHistory, untilCounted } from './console-history.ts';
import {
  everyKind,
  goldNearParis,
  makeSample,
  type SampleCall,
  type SampleIds,
  sendSlowly,
  setMoments,
} from './console-sample.ts';
import { type DemoProcess, openChromium, printedBy, startDemo } from './demo-process.ts';
import { webpOf } from './webp.ts';

const PICTURES_DIR = fileURLToPath(new URL('../docs/pictures/console/', import.meta.url));
const PORT = process.env['PORT'] ?? '8092';
const ORIGIN = `http://127.0.0.1:${PORT}`;
const APP = 'apps/com.example.demo';
/** Counts, maps and curves appear a moment after the rest. */
const SETTLE_MS = 1_000;
/** A curve needs some seconds to show. */
const LIVE_MS = 9_000;
const TIMEOUT_MS = 10_000;
/** So little that a bulk notification is still being sent when its picture is taken. */
const FCM_PUSHES_PER_MINUTE = '1500';

/**
 * Screens whose pictures are taken in every look: three pictures of all screens would be some megabytes in the
 * repository.
 */
const inEveryLook: readonly string[] = ['overview', 'live', 'compose', 'builder', 'device'];
const looks = [
  { name: 'light', colorScheme: 'light', width: 1_280, height: 800, only: undefined },
  { name: 'dark', colorScheme: 'dark', width: 1_280, height: 800, only: inEveryLook },
  { name: 'phone', colorScheme: 'light', width: 390, height: 844, only: inEveryLook },
] as const;

/** The addresses of the pictures below `/console/`, by their names. */
function addressesOf(ids: SampleIds): Record<string, string> {
  return {
    overview: `${APP}/overview`,
    notifications: `${APP}/notifications`,
    notification: `${APP}/notifications/${ids.notification}`,
    calendar: `${APP}/notifications/calendar`,
    compose: `${APP}/compose?copy=${ids.notification}&step=what`,
    waves: `${APP}/notifications/${ids.waves}`,
    'ab-test': `${APP}/notifications/${ids.test}`,
    'compose-test': `${APP}/compose?copy=${ids.test}&step=what&language=fr&variant=2`,
    'compose-review': `${APP}/compose?copy=${ids.notification}&step=review`,
    audiences: `${APP}/audiences`,
    audience: `${APP}/audiences/${ids.audience}`,
    builder: `${APP}/audiences/new?filters=${encodeURIComponent(JSON.stringify(goldNearParis))}`,
    devices: `${APP}/devices?q=user-4711`,
    device: `${APP}/devices/${ids.device}`,
    outcomes: `${APP}/notifications/${ids.notification}?tab=outcomes`,
    audit: `${APP}/audit`,
    start: `${APP}/start`,
    general: `${APP}/settings/general`,
    credentials: `${APP}/settings/credentials`,
    keys: `${APP}/settings/keys`,
    webhooks: `${APP}/settings/webhooks`,
    webhook: `${APP}/settings/webhooks/${ids.webhook}`,
    'quiet-hours': `${APP}/settings/quiet-hours`,
    'frequency-caps': `${APP}/settings/frequency-caps`,
    'user-tokens': `${APP}/settings/user-tokens`,
    users: `${APP}/settings/users`,
    account: 'account',
  };
}

/** Buttons that are pressed before a picture is taken, by its name: the filter that shows a map. */
const pressed: Readonly<Record<string, RegExp>> = { builder: /within 50 km of Paris/ };

/** More states of the screens, for review; the docs do not show them. */
function furtherAddressesOf(ids: SampleIds): Record<string, string> {
  const compose = `${APP}/compose?copy=`;
  return {
    invite: 'invite#not-a-link',
    'add-app': 'start',
    'notification-canceled': `${APP}/notifications/${ids.canceled}`,
    'notifications-none': `${APP}/notifications?q=nothing+has+these+words`,
    'compose-new': `${APP}/compose`,
    'compose-json': `${compose}${ids.test}&view=json`,
    'compose-default': `${compose}${ids.test}`,
    'compose-language': `${compose}${ids.test}&language=de`,
    'compose-right-to-left': `${compose}${ids.rightToLeft}`,
    'review-test': `${compose}${ids.test}&step=review`,
    'audience-why': `${APP}/audiences/${ids.audience}?device=${ids.device}`,
    'builder-new': `${APP}/audiences/new`,
    'builder-every-kind': `${APP}/audiences/new?filters=${encodeURIComponent(JSON.stringify(everyKind))}`,
    'devices-new': `${APP}/devices`,
    'devices-none': `${APP}/devices?q=nobody`,
    'device-why': `${APP}/devices/${ids.device}?why=${ids.test}`,
    'outcomes-test': `${APP}/notifications/${ids.test}?tab=outcomes&variant=plain`,
    'outcomes-none': `${APP}/notifications/${ids.notification}?tab=outcomes&reason=NoSuchReason`,
    'audit-none': `${APP}/audit?object=nothing`,
    'no-such-page': `${APP}/nothing`,
  };
}

async function main(): Promise<void> {
  const only = process.argv.slice(2);
  const demo = await startDemo({ PORT, WEBHOOK_ALLOW_PRIVATE: 'true', FCM_PUSHES_PER_MINUTE });
  try {
    const call = callsWith(printedBy(demo, /(?<=curl -u :)\S+/));
    const ids = await makeSample(call, controlOf(demo), new Date());
    const link = printedBy(demo, /\S+\/console\/invite#\S+/);
    const adminKey = await demo.run(
      'keys',
      'create',
      '--app',
      'com.example.demo',
      '--scopes',
      'admin',
      '--name',
      'operations',
    );
    await setMoments(callsWith(adminKey.split('\n', 1)[0] ?? ''));
    await insertHistory(demo.dataDir, new Date());
    await untilCounted(call, new Date());
    if (only.includes('stay')) {
      process.stdout.write(`${link}\nCtrl-C stops it.\n`);
      await once(process, 'SIGINT');
    } else if (only[0] === 'everything') {
      await photographAll({ call, ids, link, only: [], whole: only[1] ?? 'pictures' });
    } else {
      await photographAll({ call, ids, link, only });
    }
  } finally {
    await demo.stop();
  }
}

function callsWith(key: string): SampleCall {
  return async (method, address, body) => {
    const reply = await fetch(ORIGIN + address, {
      method,
      headers: {
        authorization: `Basic ${Buffer.from(`:${key}`).toString('base64')}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await reply.text();
    if (!reply.ok) throw new Error(`${method} ${address} answered ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
}

/** Posts to the simulator's control address, which orders faults. */
function controlOf(demo: DemoProcess): (address: string, body: unknown) => Promise<void> {
  const control = printedBy(demo, /\S+(?=\/counts$)/m);
  return async (address, body) => {
    const reply = await fetch(control + address, {
      method: 'POST',
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (!reply.ok) throw new Error(`the simulator answered ${await reply.text()}`);
  };
}

/**
 * @param options.only the names of pictures; none for all
 * @param options.whole the directory for each screen in each look, in full length; undefined for the pictures of the
 *   docs
 */
async function photographAll(options: {
  call: SampleCall;
  ids: SampleIds;
  link: string;
  only: readonly string[];
  whole?: string;
}): Promise<void> {
  const { call, ids, link, only, whole } = options;
  const directory = whole ?? PICTURES_DIR;
  await mkdir(directory, { recursive: true });
  const browser = await openChromium();
  try {
    const signedIn = await browser.newContext();
    const page = await signedIn.newPage();
    await page.goto(link);
    await page.getByRole('button', { name: /^Continue as / }).click();
    await page.getByLabel(/^User: /).waitFor();
    const state = await signedIn.storageState();
    for (const look of looks) {
      const isWanted = (name: string): boolean =>
        (only.length === 0 || only.includes(name)) &&
        (whole !== undefined || (look.only?.includes(name) ?? true));
      const visitor = await openContext(browser, look, undefined);
      const picture = (name: string): Pick<Picture, 'file' | 'isWhole'> => ({
        file: path.join(directory, `${name}-${look.name}.webp`),
        isWhole: whole !== undefined,
      });
      if (isWanted('sign-in')) await photograph(visitor, { ...picture('sign-in'), address: 'sign-in' });
      const context = await openContext(browser, look, state);
      const addresses = { ...addressesOf(ids), ...(whole !== undefined && furtherAddressesOf(ids)) };
      for (const [name, address] of Object.entries(addresses)) {
        if (isWanted(name)) await photograph(context, { ...picture(name), address, press: pressed[name] });
      }
      if (isWanted('live')) {
        const address = `${APP}/notifications/${await sendSlowly(call)}`;
        await photograph(context, { ...picture('live'), address, settleMs: LIVE_MS });
      }
      await visitor.close();
      await context.close();
    }
  } finally {
    await browser.close();
  }
}

type State = Awaited<ReturnType<BrowserContext['storageState']>>;

async function openContext(
  browser: Browser,
  { colorScheme, width, height }: (typeof looks)[number],
  state: State | undefined,
): Promise<BrowserContext> {
  return browser.newContext({
    colorScheme,
    viewport: { width, height },
    timezoneId: 'Europe/Paris',
    locale: 'en-GB',
    ...(state !== undefined && { storageState: state }),
  });
}

interface Picture {
  file: string;
  address: string;
  press?: RegExp | undefined;
  settleMs?: number;
  isWhole: boolean;
}

async function photograph(
  context: BrowserContext,
  { file, address, press, settleMs = SETTLE_MS, isWhole }: Picture,
): Promise<void> {
  const page = await context.newPage();
  await page.goto(`${ORIGIN}/console/${address}`);
  await page.locator('main').waitFor();
  await page.locator('.loading').first().waitFor({ state: 'detached' });
  if (press !== undefined) await page.getByRole('button', { name: press }).first().click();
  await page.evaluate(`new Promise((drawn) => setTimeout(drawn, ${settleMs}))`);
  await writeFile(file, await webpOf(page, await page.screenshot({ fullPage: isWhole })));
  await page.close();
}

await main();
