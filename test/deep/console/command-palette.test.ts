/** The field that leads everywhere, by keyboard and by button, for each role, on a phone, and when the server refuses. */
import { randomBytes } from 'node:crypto';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { testLooks } from './support/browser.ts';
import { describeConsole } from './support/console.ts';

const field = (page: Page) => page.getByRole('combobox', { name: 'Search and commands' });
const option = (page: Page, name: string | RegExp) => page.getByRole('option', { name });

async function openPalette(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.keyboard.press('Control+k');
  await field(page).waitFor();
}

describeConsole('the command palette', (console) => {
  test('a screen is opened by the first letters of its name and Enter', async () => {
    const { page } = await console.openAs('admin', 'notifications');
    await openPalette(page);
    await page.keyboard.type('webh');
    await option(page, /^Webhooks/).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(console.addressOf('settings/webhooks'));
    await page.getByRole('heading', { level: 1 }).waitFor();
  });

  test('a user and a device are found by the beginning of a user id, and the arrows choose between them', async () => {
    const { id, user } = await console.register({ marketing_name: 'iPhone 17' });
    const { page } = await console.openAs('viewer', 'overview');
    await openPalette(page);
    await page.keyboard.type(user.slice(0, -1));
    await option(page, new RegExp(`^${user} User`)).waitFor();
    await option(page, /^iPhone 17/).waitFor();
    const chosen = page.locator('[role=option][aria-selected=true]');
    await expect.poll(async () => chosen.textContent()).toContain(user);
    await page.keyboard.press('ArrowDown');
    await expect.poll(async () => chosen.textContent()).toContain('iPhone 17');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'iPhone 17', exact: true }).waitFor();
    expect(page.url()).toBe(console.addressOf(`devices/${id}`));
  });

  test('a user is opened by the user id, with devices or only named by a notification', async () => {
    const { user } = await console.register();
    const nobody = `nobody-${randomBytes(4).toString('hex')}`;
    await console.backend.notify({ user_id: nobody });
    const { page } = await console.openAs('viewer', 'overview');
    for (const one of [user, nobody]) {
      await openPalette(page);
      await field(page).fill(one);
      await option(page, `${one} User`).click();
      await page.getByRole('heading', { name: `User ${one}` }).waitFor();
      expect(page.url()).toBe(console.addressOf(`devices/users/${one}`));
    }
  });

  test.each(['token', 'e-mail address'])(
    'a device is found by its %s, which is in no address',
    async (kind) => {
      const email = `anna-${randomBytes(4).toString('hex')}@example.com`;
      const { id, token } = await console.register({ user_email: email, marketing_name: 'iPhone 17' });
      const secret = kind === 'token' ? token : email;
      const { page } = await console.openAs('viewer', 'overview');
      const addresses: string[] = [];
      page.on('request', (request) => addresses.push(request.url()));
      page.on('framenavigated', (frame) => addresses.push(frame.url()));
      await openPalette(page);
      await field(page).fill(secret);
      await option(page, /^iPhone 17/).click();
      await page.getByRole('heading', { name: 'iPhone 17', exact: true }).waitFor();
      expect(page.url()).toBe(console.addressOf(`devices/${id}`));
      const encoded = encodeURIComponent(secret);
      expect(addresses.filter((address) => address.includes(secret) || address.includes(encoded))).toEqual(
        [],
      );
    },
  );

  test('a notification is found by words and by its id, and a stored audience by a part of its name', async () => {
    const words = `Gala ${randomBytes(4).toString('hex')}`;
    const { id } = await console.backend.notify([{ name: 'tags', criteria: ['nobody'] }], {
      payload: { title: words, alert: 'x' },
    });
    const name = `Subscribers ${randomBytes(4).toString('hex')}`;
    await console.backend.call('POST', '/v6/audiences', {
      audience: { name, filters: [{ name: 'tags', criteria: ['vip'] }] },
    });
    const { page } = await console.openAs('viewer', 'overview');
    for (const text of [words, id]) {
      await openPalette(page);
      await field(page).fill(text);
      await option(page, new RegExp(words)).click();
      await page.waitForURL(console.addressOf(`notifications/${id}`));
    }
    await openPalette(page);
    await field(page).fill(name.slice(3));
    await option(page, name).click();
    await page.getByRole('heading', { name, exact: true }).waitFor();
  });

  test('the palette offers nothing that the role may not do', async () => {
    const { page } = await console.openAs('viewer', 'overview');
    await openPalette(page);
    await option(page, 'Overview').waitFor();
    await expect.poll(async () => option(page, 'Send a notification').count()).toBe(0);
    await field(page).fill('keys');
    await page.getByText('Nothing is found.').waitFor();
    const { page: ofAdmin } = await console.openAs('admin', 'overview');
    await openPalette(ofAdmin);
    await option(ofAdmin, 'Send a notification').waitFor();
    await field(ofAdmin).fill('keys');
    await option(ofAdmin, /^API keys/).waitFor();
  });

  test('a search that the server refuses is said to have failed, and the others are shown', async () => {
    const { user } = await console.register({ marketing_name: 'iPhone 17' });
    const { page, takeFailedRequests } = await console.openAs('viewer', 'overview');
    await page.route('**/v6/audiences?*', async (route) =>
      route.fulfill({
        status: 503,
        contentType: 'application/json',
        body: '{"error":"The database is away.","code":"unavailable"}',
      }),
    );
    await openPalette(page);
    await field(page).fill(user);
    await option(page, /^iPhone 17/).waitFor();
    await page.getByText('The database is away.').waitFor();
    takeFailedRequests();
  });

  testLooks(
    'the palette opens by its button, is accessible, and Escape gives the focus back',
    async (look) => {
      const { user } = await console.register({ marketing_name: `iPhone ${'X'.repeat(200)}` });
      const { page, expectAccessible, expectClean } = await console.openAs('sender', 'overview', look);
      const button = page.getByRole('button', { name: /^Search and commands/ });
      await button.click();
      await field(page).fill(user);
      await option(page, /^iPhone X/).waitFor();
      await expectAccessible();
      await expectClean();
      await page.keyboard.press('Escape');
      await page.locator('.palette-button:focus').waitFor();
    },
  );
});
