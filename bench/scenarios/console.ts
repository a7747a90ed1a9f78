/**
 * How long the first load of a screen of the console takes, in a browser without a cache: until something is drawn, and until the
 * screen has its data. As it is, and with the processor slowed four times behind a mobile network.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { chromium, type Browser, type Page } from 'playwright-core';
import { z } from 'zod';
import { systemClock } from '../../src/clock.ts';
import { createSession } from '../../src/console/accounts/session-store.ts';
import { insertUser } from '../../test/console/browser.ts';
import { findChromium } from '../../test/support/chromium.ts';
import { openBenchApp } from '../support/app.ts';
import { ALONE, startCarillon } from '../support/carillon.ts';
import type { BenchContext } from '../support/context.ts';

const SCREENS = ['overview', 'notifications', 'compose', 'audiences', 'devices', 'settings'];
const NOTIFICATIONS = 30;
const LOAD_TIMEOUT_MS = 30_000;
const LOOK_EVERY_MS = 50;

interface Machine {
  name: string;
  /** How many times slower the processor is. */
  slower: number;
  network?: { latency: number; downloadThroughput: number; uploadThroughput: number };
}

/**
 * "Fast 3G" of the developer tools of Chromium before they renamed it: 1.6 and 0.75 megabits per second, of which nine tenths arrive, and
 * a round trip of 150 ms, which counts 3.75 times because it delays requests and no packets.
 */
const FAST_3G = { latency: 150 * 3.75, downloadThroughput: 180_000, uploadThroughput: 84_375 };

const MACHINES: readonly Machine[] = [
  { name: 'as it is', slower: 1 },
  { name: 'processor slowed four times, fast 3G', slower: 4, network: FAST_3G },
];

/** Notes when the screen has its heading and its data, and nothing of it is on the way any more. */
const NOTE_WHEN_USABLE = `
  const look = () => {
    const isUsable = document.querySelector('main h1') !== null && document.querySelector('.skeleton, .loading, [aria-busy=true]') === null;
    if (isUsable) globalThis.usableAfterMs ??= performance.now();
    else globalThis.usableAfterMs = undefined;
  };
  new MutationObserver(look).observe(document, { childList: true, subtree: true, attributes: true });
`;

/** In milliseconds since the address was entered. */
const times = z.object({ drawn: z.number(), usable: z.number() });

export async function consoleLoad(context: BenchContext): Promise<void> {
  const executablePath = findChromium();
  if (executablePath === undefined) {
    context.figures.note('Chromium is not installed.');
    return;
  }
  const { database, app } = await openBenchApp(context, 'both');
  const carillon = await startCarillon(context, { database, deployment: ALONE });
  await carillon.warmUp(app);
  const backEnd = carillon.backEnd(app);
  for (let index = 0; index < NOTIFICATIONS; index++) {
    await backEnd.send([{ name: 'user_id', criteria: [`user-${index + 1}`] }], 1);
  }
  const user = await insertUser(database.db, systemClock, { name: 'bench', roles: { [app.id]: 'admin' } });
  const { secret } = await createSession(database.db, { userId: user, userAgent: undefined }, systemClock);
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  context.opened.defer(async () => browser.close());
  for (let round = 1; round <= context.runs; round++) {
    context.say(`round ${round} of ${context.runs}`);
    for (const machine of MACHINES) {
      for (const screen of SCREENS) {
        const address = `${carillon.url}/console/apps/${app.bundleId}/${screen}`;
        const { drawn, usable } = await load(browser, { address, secret, machine });
        context.figures.add(`${machine.name}, ${screen}, drawn`, drawn, 'ms');
        context.figures.add(`${machine.name}, ${screen}, usable`, usable, 'ms');
      }
    }
  }
  await carillon.stop();
}

/** Not by Playwright's `waitForFunction`, which the policy of the page forbids. */
async function untilUsable(page: Page): Promise<void> {
  const endsMs = performance.now() + LOAD_TIMEOUT_MS;
  while ((await page.evaluate('globalThis.usableAfterMs')) === undefined) {
    if (performance.now() > endsMs) throw new Error(`${page.url()} is not usable`);
    await wait(LOOK_EVERY_MS);
  }
}

async function load(
  browser: Browser,
  { address, secret, machine }: { address: string; secret: string; machine: Machine },
): Promise<z.infer<typeof times>> {
  const profile = await browser.newContext();
  try {
    await profile.addCookies([
      { name: 'carillon', value: secret, url: new URL(address).origin, sameSite: 'Strict' },
    ]);
    const page = await profile.newPage();
    await page.addInitScript(NOTE_WHEN_USABLE);
    const tools = await profile.newCDPSession(page);
    await tools.send('Emulation.setCPUThrottlingRate', { rate: machine.slower });
    if (machine.network !== undefined) {
      await tools.send('Network.enable');
      await tools.send('Network.emulateNetworkConditions', { offline: false, ...machine.network });
    }
    await page.goto(address, { timeout: LOAD_TIMEOUT_MS, waitUntil: 'networkidle' });
    await untilUsable(page);
    return times.parse(
      await page.evaluate(`({
        drawn: performance.getEntriesByName('first-paint')[0].startTime, // of the skeleton, which has no text
        usable: globalThis.usableAfterMs,
      })`),
    );
  } finally {
    await profile.close();
  }
}
