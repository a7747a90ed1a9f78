/** Chromium for the tests of the console: pages that note everything that must not happen. */
import { AxeBuilder } from '@axe-core/playwright';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { expect } from 'vitest';
import { findChromium } from '../../../support/chromium.ts';

export const executablePath = findChromium();

export async function openBrowser(): Promise<Browser> {
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ ...(executablePath !== undefined && { executablePath }), args });
}

export interface Look {
  colorScheme?: 'light' | 'dark';
  /** In CSS pixels; 390 is a phone. */
  width?: number;
  timezoneId?: string;
}

export interface WatchedPage {
  page: Page;
  /** Messages in the browser's console, exceptions, violations of the policy. Refusals by the API are not among them. */
  complaints: readonly string[];
  /** The addresses of requests to other origins. */
  foreign: readonly string[];
  /** Fails on a complaint, a request to another origin, or a page that is wider than its window. */
  expectClean: () => Promise<void>;
  /** Fails on every violation that axe-core finds. */
  expectAccessible: () => Promise<void>;
}

export const PHONE = 390;
export const DESKTOP = 1_280;
const HEIGHT = 900;
/** How long a page may take to show what a test waits for, while other workers use both cores. */
const WAIT_MS = 30_000;

/** The elements that make the page wider than its window. */
const TOO_WIDE = `document.documentElement.scrollWidth <= innerWidth ? [] :
  [...document.querySelectorAll('body *')].filter((element) => element.getBoundingClientRect().right > innerWidth)
    .map((element) => element.outerHTML.slice(0, 200)).slice(-5)`;

/** The browser logs every status from 400 on as an error; tests of refusals cause them on purpose. */
const REFUSAL = /^Failed to load resource: the server responded with a status of 4\d\d/;

/**
 * Complains about a POST, PUT or DELETE of a page which does not show its curl at that moment. What the composer and the tray ask by
 * themselves, without a button, needs none.
 */
const CURL_OF_EACH_CHANGE = `
  const { fetch } = globalThis;
  globalThis.fetch = (address, init = {}) => {
    const { method = 'GET' } = init;
    const path = String(address).slice(String(address).indexOf('/v6/'));
    const titles = [...document.querySelectorAll('.curl-button')].map(({ title }) => title);
    const asksItself = /^[/]v6[/]notifications[/](preview|count|waves|locales)$/.test(path);
    if (method !== 'GET' && path.startsWith('/v6/') && !asksItself && !titles.includes(method + ' ' + path)) {
      console.error('no curl of ' + method + ' ' + path + ' among ' + titles.join(', '));
    }
    return fetch(address, init);
  };
`;

/** A context is a browser profile of its own: nobody has signed in. */
export async function openContext(browser: Browser, look: Look = {}): Promise<BrowserContext> {
  const { colorScheme = 'light', width = DESKTOP, timezoneId = 'Europe/Paris' } = look;
  const context = await browser.newContext({
    colorScheme,
    viewport: { width, height: HEIGHT },
    timezoneId,
    locale: 'en-GB',
  });
  await context.addInitScript(CURL_OF_EACH_CHANGE);
  await context.addInitScript(`
    addEventListener('securitypolicyviolation', (event) => {
      console.error('policy violated: ' + event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sample);
    });
  `);
  return context;
}

export async function openPage(context: BrowserContext, origin: string): Promise<WatchedPage> {
  const page = await context.newPage();
  page.setDefaultTimeout(WAIT_MS);
  const complaints: string[] = [];
  const foreign: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()) && !REFUSAL.test(message.text())) {
      complaints.push(message.text());
    }
  });
  page.on('pageerror', ({ message }) => complaints.push(message));
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(`${origin}/`) && !url.startsWith('data:')) foreign.push(url);
  });
  return {
    page,
    complaints,
    foreign,
    async expectClean() {
      expect({ complaints, foreign }).toEqual({ complaints: [], foreign: [] });
      expect(await page.evaluate(TOO_WIDE), 'the page scrolls sideways because of these').toEqual([]);
    },
    async expectAccessible() {
      // The rules run in the page itself, and only violations are described: as it comes, axe sums up in a second page, and
      // describes each element that passes, for 0.8 s more of processor time. Frames of other origins, which are left out so,
      // are refused by the policy.
      const axe = new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ['violations'] });
      const { violations } = await axe.analyze();
      const found = violations.map(({ id, help, nodes }) => ({
        id,
        help,
        nodes: nodes.map(({ html }) => html),
      }));
      expect(found).toEqual([]);
    },
  };
}
