/** What every screen of the console promises. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { PHONE } from './support/browser.ts';
import { describeConsole } from './support/console.ts';
import { addresses, definedPatterns, type Ids, outside } from './support/every-screen.ts';
import { portOf } from '../../support/ports.ts';
import { PATIENCE } from '../../support/patience.ts';
import { insertHostile } from './support/hostile.ts';

const NO_IDS: Ids = { notification: '', device: '', user: '', audience: '', webhook: '' };
const patterns = Object.keys(addresses(NO_IDS)).filter((pattern) => definedPatterns().includes(pattern));

test('the table of addresses has every screen', () => {
  const known = new Set([...Object.keys(addresses(NO_IDS)), ...Object.keys(outside)]);
  expect(definedPatterns().filter((pattern) => !known.has(pattern))).toEqual([]);
});

/** With the data of `insertHostile`. */
const WITH_MOMENTS: ReadonlySet<string> = new Set(
  `overview start notifications notifications/:notification_id audiences audiences/:audience_id devices devices/:device_id
  devices/users/:user_id outcomes audit settings/credentials settings/keys settings/webhooks/:webhook_id settings/users`.split(
    /\s+/,
  ),
);

const UNKNOWN = randomUUID();
const timesSchema = z.array(z.object({ dateTime: z.string(), innerText: z.string(), title: z.string() }));

/**
 * Runs in the page: remembers which controls get the focus, and which of them look the same with and without it. Of the radio
 * buttons with one name, the browser lets Tab reach one.
 */
const MARK_CONTROLS = `(() => {
  const isUsable = (element) => element.checkVisibility({ visibilityProperty: true }) && !element.disabled;
  const controls = [...document.querySelectorAll(
    'a[href], button, input, select, textarea, summary, [tabindex="0"]',
  )].filter(isUsable);
  const strokes = new Map(controls.map((element) => [element, getComputedStyle(element).strokeWidth]));
  const reached = new Set();
  const groups = new Set();
  globalThis.focusWalk = {
    unseen: [],
    missed: () => controls
      .filter((element) => element.isConnected && !reached.has(element) && !(element.type === 'radio' && groups.has(element.name)))
      .map((element) => element.outerHTML.slice(0, 200)),
  };
  addEventListener('focusin', ({ target }) => {
    reached.add(target);
    if (target.type === 'radio') groups.add(target.name);
    const { outlineStyle, strokeWidth } = getComputedStyle(target);
    if (outlineStyle === 'none' && strokeWidth === strokes.get(target)) focusWalk.unseen.push(target.outerHTML.slice(0, 200));
  });
  document.activeElement?.blur();
  return controls.length;
})()`;

async function expectMomentsInZone(page: Page, pattern: string): Promise<void> {
  const times = timesSchema.parse(
    await page.evaluate(
      `[...document.querySelectorAll('main time')].map(({ dateTime, innerText, title }) => ({ dateTime, innerText, title }))`,
    ),
  );
  const clock = new Intl.DateTimeFormat('en-GB', { timeZone: 'Asia/Kolkata', timeStyle: 'short' });
  for (const { dateTime, innerText, title } of times) {
    const isRelative = !/\d:\d/.test(innerText);
    const shownTime = isRelative ? title : innerText;
    expect(shownTime).toContain(clock.format(new Date(dateTime)));
    if (isRelative) expect(title).toContain('GMT+5:30');
    else expect(await page.locator('main').innerText()).toContain('GMT+5:30');
  }
  expect(times.length > 0, `${times.length} moments`).toBe(WITH_MOMENTS.has(pattern));
}

/** Tab reaches everything that can be used, and shows where it is. */
async function expectTabToReachAll(page: Page): Promise<void> {
  const controls = z.number().parse(await page.evaluate(MARK_CONTROLS));
  expect(controls, 'the navigation and the header alone have more').toBeGreaterThan(10);
  for (let press = 0; press < controls + 40; press++) {
    await page.keyboard.press('Tab');
    if (press >= controls / 2 && (await page.evaluate('focusWalk.missed().length')) === 0) break;
  }
  expect(await page.evaluate('focusWalk.missed()')).toEqual([]);
  expect(await page.evaluate('focusWalk.unseen')).toEqual([]);
}

/** Until the screen shows its heading, and nothing that is still loading. */
async function shown(page: Page): Promise<void> {
  await page.locator('main h1').first().waitFor();
  await page.locator('main .loading').first().waitFor({ state: 'detached' });
}

/** Screens whose addresses show hostile texts. */
const WITH_HOSTILE_TEXTS: ReadonlySet<string> = new Set([
  'notifications',
  'notifications/:notification_id',
  'audiences',
  'audiences/:audience_id',
  'devices/:device_id',
  'devices/users/:user_id',
  'compose',
]);

describeConsole('every screen, with hostile data', (console) => {
  let ids: Ids;
  let proxy: Server;
  let behindProxy: string;

  beforeAll(async () => {
    ids = await insertHostile(console);
    proxy = await openProxy('/some/path', Number(new URL(console.origin).port));
    behindProxy = `http://127.0.0.1:${portOf(proxy)}/some/path`;
  });
  afterAll(() => {
    proxy.closeAllConnections();
    proxy.close();
  });

  const addressOf = (pattern: string): string => addresses(ids)[pattern] ?? '';

  // To load a screen takes longer than most checks of it: each is loaded once for all that can share a look.
  test.each(patterns)(
    '%s runs no script, breaks no policy, hides no character, is accessible, has each time in the reader’s zone, is reached by Tab below a path of a proxy, and can be zoomed and printed',
    async (pattern) => {
      const look = { timezoneId: 'Asia/Kolkata', origin: behindProxy };
      const { page, expectClean, expectAccessible } = await console.openAs('admin', addressOf(pattern), look);
      await shown(page);
      await expectAccessible();
      await expectClean();
      expect(await page.evaluate('globalThis.hostile')).toBeUndefined();
      expect(await page.getByRole('heading', { name: 'pwned', exact: true }).count()).toBe(0);
      if (WITH_HOSTILE_TEXTS.has(pattern)) {
        await page.locator('main').getByText('globalThis.hostile=1').first().waitFor(); // as text, and not left out
      }
      const hidden = String.raw`/[\0-\x08\x0B-\x1F\u200B\u202A-\u202E\u2066-\u2069]/`;
      expect(
        await page.evaluate(`document.body.innerText.match(${hidden})`),
        'a character that one cannot see',
      ).toBeNull();
      expect(
        await page.locator('a[href^="javascript:" i], iframe, [onerror], [onload], base ~ base').count(),
      ).toBe(0);
      await expectMomentsInZone(page, pattern);
      await expectTabToReachAll(page);
      // A window of 1,440 pixels, zoomed to 200 %.
      await page.setViewportSize({ width: 720, height: 450 });
      await vi.waitFor(expectClean, PATIENCE); // what draws itself does so when it has the new width
      await page.emulateMedia({ media: 'print' });
      expect(
        await page.locator('.header, .navigation, main button').filter({ visible: true }).count(),
        'on paper',
      ).toBe(0);
      await page.emulateMedia({ media: null });
    },
  );

  test.each(patterns)(
    '%s fits a phone, in dark colours, and its address shows the same again',
    async (pattern) => {
      const look = { width: PHONE, colorScheme: 'dark' } as const;
      const { page, expectClean, expectAccessible } = await console.openAs(
        'viewer',
        addressOf(pattern),
        look,
      );
      await shown(page);
      await expectAccessible();
      await expectClean();
      const before = page.url();
      const heading = await page.locator('main h1').first().textContent();
      await page.reload();
      await shown(page);
      expect(page.url()).toBe(before);
      expect(await page.locator('main h1').first().textContent()).toBe(heading);
    },
  );

  const SOMETHING = /./;
  test.each<readonly [string, RegExp | string]>([
    ['nowhere', SOMETHING],
    ['../app.unknown/devices', 'This app is not among yours'],
    [`notifications/${UNKNOWN}`, 'There is no such notification'],
    [`audiences/${UNKNOWN}`, SOMETHING],
    [`devices/${UNKNOWN}`, SOMETHING],
    [`notifications/${UNKNOWN}?tab=outcomes`, 'There is no such notification'],
    [`settings/webhooks/${UNKNOWN}`, SOMETHING],
    ['notifications?cursor=none', SOMETHING],
    ['audiences?cursor=none', SOMETHING],
    ['audiences/new?filters=none', SOMETHING],
    ['audit?cursor=none', SOMETHING],
  ])('%s says what is wrong, and is accessible', async (screen, words) => {
    const look = { width: PHONE, colorScheme: 'dark' } as const;
    const { page, expectAccessible } = await console.openAs('admin', screen, look);
    await shown(page);
    const fault = page.locator('main').locator('[role=alert], .empty');
    await fault.filter({ hasText: words }).first().waitFor();
    await expectAccessible();
  });
});

describeConsole('the navigation', (console) => {
  test('the navigation is walked by keyboard alone, "back" undoes it, and each address can be opened in its own right', async () => {
    const { page } = await console.openAs('viewer', '');
    await shown(page);
    const links = page.getByRole('navigation', { name: 'Screens' }).getByRole('link');
    const visited: string[] = [page.url()];
    for (let index = 1; index < (await links.count()); index++) {
      await links.nth(index).focus();
      await page.keyboard.press('Enter');
      await links.nth(index).and(page.locator('[aria-current]')).waitFor(); // "page", or "true" where it leads further
      await shown(page);
      const begin = page.locator('main:not(:has([autofocus])):focus, main [autofocus]:focus');
      await begin.waitFor(); // a screen reader begins at the screen, or at its first field
      visited.push(page.url());
    }
    expect(new Set(visited).size).toBe(await links.count());
    for (const address of visited.toReversed().slice(1)) {
      await page.goBack();
      await page.waitForURL(address);
    }
  });

  test('the navigation opens and closes on a phone', async () => {
    const { page } = await console.openAs('viewer', '', { width: PHONE });
    await shown(page);
    const navigation = page.getByRole('navigation', { name: 'Screens' });
    expect(await navigation.isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Navigation' }).click();
    await navigation.getByRole('link').last().click();
    await navigation.waitFor({ state: 'hidden' });
    await shown(page);
  });
});

/** A reverse proxy that serves everything below a path. */
async function openProxy(prefix: string, port: number): Promise<Server> {
  const server = createServer((incoming, response) => {
    const { url = '', method, headers } = incoming;
    if (!url.startsWith(`${prefix}/`)) {
      response.writeHead(404).end();
      return;
    }
    const outgoing = request(
      { host: '127.0.0.1', port, path: url.slice(prefix.length), method, headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    // A browser that leaves a page ends its calls, and the server its connections.
    outgoing.on('error', () => response.destroy());
    response.on('close', () => outgoing.destroy());
    incoming.pipe(outgoing);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}
