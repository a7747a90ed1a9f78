/**
 * Chromium for the tests of the console: pages that note everything that must not happen. A profile keeps one page open between
 * tests, because a page in a process that has run the console before loads a screen for 0.3 s of processor time, and a new one for
 * 0.9 s.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserContext, chromium, type Locator, type Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { findChromium } from '../../../support/chromium.ts';
import { byRun } from '../../../support/runs.ts';

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
  /** Where the console is for the page, if not at its own address. */
  origin?: string;
}

export interface WatchedPage {
  page: Page;
  /** Messages in the browser's console, exceptions, violations of the policy. Refusals by the API are not among them. */
  complaints: readonly string[];
  /** The addresses of requests to other origins. */
  foreign: string[];
  /**
   * Fails on a complaint, a request to another origin, or a page that is wider than its window. Asked of each page at the end of its
   * test; a test asks for states before the last one.
   */
  expectClean: () => Promise<void>;
  /** Takes the complaints of requests that the test has made fail. @throws if there are others */
  takeFailedRequests: () => void;
  /** Fails on every violation that axe-core finds. */
  expectAccessible: () => Promise<void>;
}

export const PHONE = 390;
export const DESKTOP = 1_280;
const HEIGHT = 900;

/**
 * For states that one test makes: narrow and dark, because all other tests are wide and light. At night all pairs. Each screen as it
 * opens has both for every change (promises.test.ts).
 */
const LOOK_OF_CHANGE = { colorScheme: 'dark', width: PHONE } as const;
const LOOKS = byRun<readonly Required<Pick<Look, 'colorScheme' | 'width'>>[]>({
  change: [LOOK_OF_CHANGE],
  night: [
    LOOK_OF_CHANGE,
    { colorScheme: 'light', width: DESKTOP },
    { colorScheme: 'dark', width: DESKTOP },
    { colorScheme: 'light', width: PHONE },
  ],
});

/** Tests of a state in those looks. */
export function testLooks(title: string, run: (look: (typeof LOOKS)[number]) => Promise<void>): void {
  test.each(LOOKS)(`${title} ($colorScheme, $width px)`, run);
}

/** The elements that make the page wider than its window. */
const TOO_WIDE = `document.documentElement.scrollWidth <= innerWidth ? [] :
  [...document.querySelectorAll('body *')].filter((element) => element.getBoundingClientRect().right > innerWidth)
    .map((element) => element.outerHTML.slice(0, 200)).slice(-5)`;

const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
const RUN_AXE = `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => ({ violations }))`;
const axeResults = z.object({
  violations: z.array(
    z.object({ id: z.string(), help: z.string(), nodes: z.array(z.object({ html: z.string() })) }),
  ),
});

/** The browser logs every status from 400 on as an error; tests of refusals cause them on purpose. */
const REFUSAL = /^Failed to load resource: the server responded with a status of 4\d\d/;

/**
 * Complains about a POST, PUT or DELETE of a page whose drawer for developers does not have its curl at that moment. What the composer, the tray and the
 * command palette ask by themselves, without a button, needs none.
 */
const CURL_OF_EACH_CHANGE = `
  const { fetch } = globalThis;
  globalThis.fetch = (address, init = {}) => {
    const { method = 'GET' } = init;
    const path = String(address).slice(String(address).indexOf('/v6/'));
    const titles = [...document.querySelectorAll('#developer > section')].map(({ ariaLabel }) => ariaLabel);
    const asksItself = /^[/]v6[/](notifications[/](preview|count|waves|locales)|devices[/]lookup|users[/]pushes)$/.test(path);
    if (method !== 'GET' && path.startsWith('/v6/') && !asksItself && !titles.includes(method + ' ' + path)) {
      console.error('no curl of ' + method + ' ' + path + ' among ' + titles.join(', '));
    }
    return fetch(address, init);
  };
`;

const WATCHED = ['console', 'pageerror', 'request', 'dialog'] as const;

/** A context is a browser profile of its own: nobody has signed in. */
export async function openContext(browser: Browser, timezoneId = 'Europe/Paris'): Promise<BrowserContext> {
  const context = await browser.newContext({ timezoneId, locale: 'en-GB' });
  await context.addInitScript(CURL_OF_EACH_CHANGE);
  await context.addInitScript(`
    addEventListener('securitypolicyviolation', (event) => {
      console.error('policy violated: ' + event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sample);
    });
  `);
  return context;
}

/**
 * Ends what a test has done in a profile: closes its pages but one, which leaves the console, and forgets what is stored.
 * @param origin of the console
 */
export async function keepPage(context: BrowserContext, origin: string): Promise<void> {
  const [page = await context.newPage(), ...others] = context.pages();
  await Promise.all(others.map(async (other) => other.close()));
  for (const event of WATCHED) page.removeAllListeners(event);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  // Of the same origin, so that its process lives on. A page of the console could store something again.
  await page.goto(`${origin}/healthz`);
  await page.evaluate('localStorage.clear(); sessionStorage.clear()');
  await context.clearCookies();
}

/** @returns the page of a profile, its first one */
export async function watchPage(
  context: BrowserContext,
  origin: string,
  { colorScheme = 'light', width = DESKTOP }: Look,
): Promise<WatchedPage> {
  const [page = await context.newPage()] = context.pages();
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize({ width, height: HEIGHT });
  await page.bringToFront();
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
    takeFailedRequests() {
      const others = complaints
        .splice(0)
        .filter((complaint) => !complaint.startsWith('Failed to load resource'));
      expect(others).toEqual([]);
    },
    async expectClean() {
      expect({ complaints, foreign }).toEqual({ complaints: [], foreign: [] });
      expect(await page.evaluate(TOO_WIDE), 'the page scrolls sideways because of these').toEqual([]);
    },
    async expectAccessible() {
      // Not by `@axe-core/playwright`, which loads axe twice and describes more, for twice the processor time. Frames of other
      // origins, which are left out so, are refused by the policy.
      if (!(await page.evaluate<boolean>('"axe" in globalThis'))) await page.evaluate(AXE);
      const { violations } = axeResults.parse(await page.evaluate(RUN_AXE));
      const found = violations.map(({ id, help, nodes }) => ({
        id,
        help,
        nodes: nodes.map(({ html }) => html),
      }));
      expect(found).toEqual([]);
    },
  };
}

/** @returns the drawer for developers, opened; each part of it is a region named by its title */
export async function openDrawer(page: Page): Promise<Locator> {
  const drawer = page.getByRole('complementary', { name: 'Developer' });
  const button = page.getByRole('button', { name: 'Developer' });
  if ((await button.getAttribute('aria-expanded')) === 'false') await button.click();
  await drawer.waitFor();
  return drawer;
}
