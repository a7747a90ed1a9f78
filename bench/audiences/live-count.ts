/**
 * Measures the live count of the console's builder in Chromium: from the press of the last key in a field until the
 * number of devices is drawn, including the pause of 300 ms before a count. Server, Postgres and browser share this
 * machine. In each round one digit is deleted and another one is typed just after that pause, so that the first count
 * has no answer yet and must be aborted.
 */
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { Browser, Page, Request } from 'playwright-core';
import { z } from 'zod';
import { createSession } from '../../src/console/accounts/session-store.ts';
import { createUser, setRole } from '../../src/console/accounts/users.ts';
import { systemClock } from '../../src/clock.ts';
import { openChromium } from '../../scripts/demo-process.ts';
import { SECRET_KEY } from '../support/app.ts';
import type { BenchDatabase } from '../support/postgres.ts';
import { startProgram } from '../support/programs.ts';
import { median, percentile } from '../support/statistics.ts';

export interface LiveCountLine {
  name: string;
  /** The result of the last count. */
  devices: number;
  medianMs: number;
  p95Ms: number;
  worstMs: number;
  /** The counts of the first key of a round, and how many of them were aborted. */
  superseded: number;
  aborted: number;
}

interface Case {
  name: string;
  filters: readonly { name: string; criteria: readonly unknown[]; not_filter?: boolean }[];
  /** The label of the field whose last digit is typed. */
  field: string;
  /** The summary of the part of the page that has the field, if it must be opened first. */
  open?: string;
}

const PROGRAM = fileURLToPath(new URL('../../bin/carillon.js', import.meta.url));
const START_TIMEOUT_MS = 30_000;
const WAIT_MS = 20_000;
/** Just after the pause of the builder (`QUIET_MS`). */
const BETWEEN_KEYS_MS = 315;
/** The counts of each filter are over by then, and the next round does not wait for them. */
const BETWEEN_ROUNDS_MS = 700;

const town = { latitude: -31.8, longitude: 26.6 };
const diamond = [
  { latitude: 50, longitude: 30 },
  { latitude: 30, longitude: 50 },
  { latitude: 10, longitude: 30 },
  { latitude: 30, longitude: 10 },
];

const cases: readonly Case[] = [
  {
    name: 'custom integer, a range',
    filters: [{ name: 'custom.integer.age', criteria: [{ gte: 30 }] }],
    field: 'Value',
  },
  {
    name: 'custom float, negated, and a common tag',
    filters: [
      { name: 'custom.float.revenue', criteria: [{ gte: 100 }], not_filter: true },
      { name: 'tags', criteria: ['tag 0'] },
    ],
    field: 'Value',
  },
  {
    name: 'app_version, a range, and locale',
    filters: [
      { name: 'app_version', criteria: [{ lt: '8.10' }] },
      { name: 'locale', criteria: ['en_US', 'de_DE'] },
    ],
    field: 'Value',
  },
  {
    name: 'registered_at, a math-date',
    filters: [{ name: 'registered_at', criteria: [{ gte: 'now-30d' }] }],
    field: 'How many',
  },
  {
    name: 'events, a number of times',
    filters: [{ name: 'events.event 1', criteria: [{ gte: 10 }] }],
    field: 'Value',
  },
  {
    name: 'events, the last time, and tags and a custom integer',
    filters: [
      { name: 'events.event 2', criteria: [{ gte: 'now-60d' }] },
      { name: 'tags', criteria: ['tag 0', 'tag 1'] },
      { name: 'custom.integer.orders', criteria: [{ lt: 100 }] },
    ],
    field: 'How many',
  },
  {
    name: 'location, a circle of some 60 km',
    filters: [{ name: 'location', criteria: [{ point: town, distance: 60, unit: 'km' }] }],
    field: 'Radius',
  },
  {
    name: 'location, a circle of some 5,000 miles',
    filters: [
      {
        name: 'location',
        criteria: [{ point: { latitude: 20, longitude: 10 }, distance: 5_000, unit: 'miles' }],
      },
    ],
    field: 'Radius',
  },
  {
    name: 'location, a polygon',
    filters: [{ name: 'location', criteria: [{ polygon: diamond }] }],
    field: 'Latitude',
    open: '4 corners',
  },
];

/** Runs in the page: notes when the last key was pressed, and when the count of the filters at that time was drawn. */
const WATCH = `
  let live = { state: 'shown' };
  addEventListener('keydown', ({ timeStamp: pressedMs }) => {
    const { promise, resolve } = Promise.withResolvers();
    live = { state: 'pressed', drawn: (drawnMs) => resolve(drawnMs - pressedMs) };
    globalThis.msFromLastKey = promise;
  }, true);
  // The count for the key before may be asked or answered after this one: only that of the filters in the address is right.
  const { fetch } = globalThis;
  globalThis.fetch = (address, init) => {
    const body = '{"filters":' + new URLSearchParams(location.search).get('filters') + '}';
    if (String(address).endsWith('/v6/audiences/count') && init.body === body && live.state === 'pressed') {
      live.state = 'counting';
    }
    return fetch(address, init);
  };
  new MutationObserver(() => {
    const panel = document.querySelector('.audience-count');
    const isCurrent = panel?.getAttribute('aria-busy') === 'false' && panel.querySelector('.audience-number') !== null;
    if (live.state !== 'counting' || !isCurrent) return;
    live.state = 'shown';
    // The first frame draws the number; it is on the screen when the next one begins.
    requestAnimationFrame(() => requestAnimationFrame(live.drawn));
  }).observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
`;

export async function measureLiveCounts(
  opened: AsyncDisposableStack,
  database: BenchDatabase,
  { appId, bundleId, runs }: { appId: string; bundleId: string; runs: number },
  report: (line: LiveCountLine) => void,
): Promise<void> {
  const environment = { PORT: '0', DATABASE_URL: database.url, SECRET_KEY, LOG_FORMAT: 'json' };
  const server = opened.adopt(
    startProgram(process.execPath, [PROGRAM, 'start'], { environment }),
    async (program) => program.stop(),
  );
  const listening = await server.line(/"kind":"server_listening"/, START_TIMEOUT_MS);
  const { url } = z.object({ url: z.string() }).parse(JSON.parse(listening));
  const { origin } = new URL(url);
  const browser = opened.adopt(await openChromium(), async (open) => open.close());
  const page = await openBuilder(browser, { database, appId, origin });
  for (const one of cases)
    report(await measure(page, one, { address: `${origin}/console/apps/${bundleId}`, runs }));
}

async function openBuilder(
  browser: Browser,
  { database: { db }, appId, origin }: { database: BenchDatabase; appId: string; origin: string },
): Promise<Page> {
  const user = await createUser(db, { name: `bench ${randomUUID()}` }, systemClock);
  if (user === undefined) throw new Error('no user was made');
  await setRole(db, { user, appId, role: 'viewer' }, systemClock);
  const { secret } = await createSession(db, { userId: user.id, userAgent: undefined }, systemClock);
  const context = await browser.newContext();
  await context.addCookies([{ name: 'carillon', value: secret, url: origin, sameSite: 'Strict' }]);
  await context.addInitScript(WATCH);
  const page = await context.newPage();
  page.setDefaultTimeout(WAIT_MS);
  return page;
}

function isCount(request: Request): boolean {
  return new URL(request.url()).pathname.endsWith('/v6/audiences/count');
}

async function measure(
  page: Page,
  { name, filters, field, open }: Case,
  { address, runs }: { address: string; runs: number },
): Promise<LiveCountLine> {
  const query = encodeURIComponent(JSON.stringify(filters));
  await page.goto(`${address}/audiences/new?filters=${query}`);
  await page.getByText(/Counted in/).waitFor();
  if (open !== undefined) await page.getByText(open, { exact: true }).click();
  const input = page.getByLabel(field, { exact: true }).first();
  await input.press('End');
  let sent = 0;
  let aborted = 0;
  page.on('request', (request) => (sent += isCount(request) ? 1 : 0));
  page.on('requestfailed', (request) => {
    if (isCount(request) && request.failure()?.errorText === 'net::ERR_ABORTED') aborted += 1;
  });
  const tookMs: number[] = [];
  // The first round is a warm-up.
  for (let round = 0; round <= runs; round++) {
    if (round === 1) [sent, aborted] = [0, 0];
    await page.keyboard.press('Backspace');
    await page.waitForTimeout(BETWEEN_KEYS_MS);
    await page.keyboard.press(String(1 + (round % 9)));
    const ms = z.number().parse(await page.evaluate('msFromLastKey'));
    if (round > 0) tookMs.push(ms);
    await page.waitForTimeout(BETWEEN_ROUNDS_MS);
  }
  page.removeAllListeners('request');
  page.removeAllListeners('requestfailed');
  const number = (await page.locator('.audience-number').textContent()) ?? '';
  return {
    name,
    devices: Number(number.replaceAll(',', '')),
    medianMs: median(tookMs),
    p95Ms: percentile(tookMs, 95),
    worstMs: Math.max(...tookMs),
    superseded: sent - runs,
    aborted,
  };
}
