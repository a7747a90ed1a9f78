import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { createInvite } from '../../../src/console/accounts/invites.ts';
import { setRole } from '../../../src/console/accounts/users.ts';
import { PASSWORD } from '../../console/browser.ts';
import { insertApp } from '../../support/database.ts';
import { testLooks, openDrawer } from './support/browser.ts';
import { describeConsole } from './support/console.ts';

const runFile = promisify(execFile);

describeConsole('the console', (console) => {
  testLooks('the console asks visitors to sign in', async (look) => {
    const { page, expectAccessible } = await console.visit(look);
    await page.goto(console.addressOf('devices?tab=events'));
    await page.getByLabel('Name').waitFor();
    const next = encodeURIComponent(`apps/${console.app.bundleId}/devices?tab=events`);
    expect(page.url()).toBe(`${console.origin}/console/sign-in?next=${next}`);
    await expectAccessible();
  });

  test('a user signs in by keyboard alone, and gets the page that was asked for', async () => {
    await console.addUser('Anna');
    const { page } = await console.visit();
    await page.goto(console.addressOf('nowhere?tab=2'));
    await page.locator('input:focus').waitFor();
    await page.keyboard.type('Anna');
    await page.keyboard.press('Tab');
    await page.keyboard.type('not her password');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('do not match').waitFor();
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByText('This page does not exist').waitFor();
    expect(page.url()).toBe(console.addressOf('nowhere?tab=2'));
  });

  test('a link to the sign-in cannot lead out of the console', async () => {
    const { page, foreign } = await console.visit();
    await console.addUser('Bert');
    for (const next of [
      '//example.com/',
      'https://example.com/',
      String.raw`a\..\\example.com`,
      'javascript:alert(1)',
      '../healthz',
    ]) {
      await page.context().clearCookies();
      await page.goto(`${console.origin}/console/sign-in?next=${encodeURIComponent(next)}`);
      await page.getByLabel('Name').fill('Bert');
      await page.getByLabel('Password').fill(PASSWORD);
      await page.keyboard.press('Enter');
      await page.getByLabel('User: Bert').waitFor();
      expect(page.url().startsWith(`${console.origin}/console`), next).toBe(true);
      expect(foreign).toEqual([]);
    }
  });

  test('a one-time link lets its user choose a password, once', async () => {
    const userId = await console.addUser('Cleo');
    const { secret } = await createInvite(console.db, { userId, setsPassword: true }, systemClock);
    const { page, expectAccessible } = await console.visit();
    await page.goto(`${console.origin}/console/invite#${secret}`);
    await page.getByText('Choose a password for Cleo').waitFor();
    expect(page.url(), 'the token is not in the history').toBe(`${console.origin}/console/invite`);
    await expectAccessible();
    await page.getByLabel('Password').fill('short');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('12').waitFor();
    await page.getByLabel('Password').fill('a new pass phrase');
    await page.keyboard.press('Enter');
    await page.getByLabel('User: Cleo').waitFor();

    const again = await console.visit();
    await again.page.goto(`${console.origin}/console/invite#${secret}`);
    await again.page.getByRole('alert').getByText('has been used').waitFor();
  });

  testLooks('a one-time link of the demo asks before it signs in', async (look) => {
    const name = `demo <b>${look.width}</b>`;
    const userId = await console.addUser(name);
    const { secret } = await createInvite(console.db, { userId, setsPassword: false }, systemClock);
    const { page, expectAccessible } = await console.visit(look);
    await page.goto(`${console.origin}/console/invite#${secret}`);
    const button = page.getByRole('button', { name: `Continue as ${name}` });
    await button.waitFor();
    expect((await page.request.get(`${console.origin}/console/session`)).status(), 'not yet').toBe(401);
    await expectAccessible();
    await button.press('Enter');
    await page.getByLabel(`User: ${name}`).waitFor();
  });

  test('the user menu signs out, and a page that is open asks to sign in again', async () => {
    const { page } = await console.openAs('viewer', 'nowhere');
    await page.getByLabel(/^User: /).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Password').waitFor();
    expect(page.url()).toBe(`${console.origin}/console/sign-in`);
    await page.goto(console.addressOf('nowhere'));
    await page.getByLabel('Password').waitFor();
  });

  test('an open page asks to sign in once its session was revoked elsewhere, and comes back to its address', async () => {
    const userId = await console.addUser('Dora');
    await console.backend.deliver({ device_id: console.devices[0]?.id ?? '' });
    const { page: list } = await console.openFor(userId, 'notifications');
    await list.getByRole('table', { name: 'Notifications' }).waitFor();
    const device = await list.context().newPage();
    await device.goto(console.addressOf('devices'));
    await device.getByText('Find one device').waitFor();
    await console.db.deleteFrom('console_sessions').where('user_id', '=', userId).execute();

    // The list asks what is new, although nobody touches it; the other page asks when it is used.
    await list.bringToFront();
    await list.getByLabel('Password').waitFor();
    expect(await list.getByRole('table').count(), 'nothing of the app is left in the page').toBe(0);
    await device.getByLabel('Device id').fill('user');
    await device.keyboard.press('Enter');
    await device.getByLabel('Password').fill(PASSWORD);
    await device.getByLabel('Name').fill('Dora');
    await device.keyboard.press('Enter');
    await device.waitForURL(console.addressOf('devices?q=user'));
    await device.getByText('its user').or(device.getByText('No device is found')).first().waitFor();
  });

  test('the app switcher leads to the same screen of another app, by keyboard alone', async () => {
    const other = await insertApp(console.db);
    const unseen = await insertApp(console.db);
    const userId = await console.addUser('Emil');
    await setRole(
      console.db,
      { user: { id: userId, name: 'Emil' }, appId: other.id, role: 'admin' },
      systemClock,
    );
    const { page, expectAccessible } = await console.openFor(userId, 'audiences');
    await page.getByLabel(/^App: .* Choose another/).press('Enter');
    await page.getByText(`${other.bundleId} · admin`).waitFor();
    expect(await page.getByText(unseen.bundleId).count()).toBe(0);
    await expectAccessible();
    await page.getByRole('link', { name: `${other.bundleId} · admin` }).press('Enter');
    await page.waitForURL(`${console.origin}/console/apps/${other.bundleId}/audiences`);
    await page.getByText('No audience has a name yet').waitFor();
  });

  test('colours can be chosen, and stay', async () => {
    const { page } = await console.openAs('viewer', 'nowhere', { colorScheme: 'light' });
    const background = async (): Promise<unknown> =>
      page.evaluate('getComputedStyle(document.body).backgroundColor');
    const light = await background();
    await page.getByLabel(/^User: /).click();
    await page.getByRole('button', { name: 'Dark' }).click();
    const dark = await background();
    expect(dark).not.toBe(light);
    await page.reload();
    await page.getByText('This page does not exist').waitFor();
    expect(await background()).toBe(dark);
  });

  test('a screen that fails says so, and the others go on', async () => {
    const { page, expectAccessible } = await console.openAs('viewer', 'nowhere');
    await page.getByText('This page does not exist').waitFor();
    await page.route('**/v6/audiences?*', async (route) =>
      route.fulfill({ json: { audiences: [{ id: 'x', name: 'broken', filters: 7 }], meta: {} } }),
    );
    await page.getByRole('link', { name: 'Audiences' }).click();
    await page.getByRole('alert').getByText('This page of the console has failed').waitFor();
    await expectAccessible();
    await page.getByRole('link', { name: 'Devices' }).click();
    await page.getByText('Find one device').waitFor();
    await page.unroute('**/v6/audiences?*');
    await page.getByRole('link', { name: 'Audiences' }).click();
    await page.getByText('No audience has a name yet').waitFor();
  });

  test('the skip link leads to the content', async () => {
    const { page } = await console.openAs('viewer', 'nowhere');
    await page.getByText('This page does not exist').waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await page.locator('main:focus').count()).toBe(1);
    expect(page.url()).toBe(console.addressOf('nowhere'));
  });

  test('each call is shown as a line of curl that a shell can run', async () => {
    const { page, expectAccessible } = await console.openAs('viewer', 'notifications');
    const drawer = await openDrawer(page);
    await drawer.getByText('CARILLON_KEY=').waitFor();
    await expectAccessible();
    const line = (await drawer.locator('pre').getByText('/v6/notifications').first().textContent()) ?? '';
    const { stdout } = await runFile('sh', ['-c', line], {
      env: { ...process.env, CARILLON_KEY: console.app.key },
      timeout: 30_000,
    });
    expect(JSON.parse(stdout)).toHaveProperty('notifications');
    await page.reload();
    await drawer.waitFor();
    await page.keyboard.press('d');
    await drawer.waitFor({ state: 'hidden' });
    await page.getByLabel('Search', { exact: true }).fill('dd');
    await drawer.waitFor({ state: 'hidden' });
  });

  test('the status bar says what is missing to send, and leads an admin to where it is added', async () => {
    const complete = await console.openAs('viewer', 'notifications');
    await complete.page.getByText('Ready', { exact: true }).waitFor();

    await console.db.deleteFrom('gateway_credentials').where('gateway', '=', 'fcm').execute();
    const forAdmin = await console.openAs('admin', 'notifications');
    const status = forAdmin.page.getByRole('region', { name: 'Status' });
    await status.locator('strong').getByText('Google').waitFor();
    await status.getByRole('button', { name: 'What to do' }).click();
    expect(await status.getByText('iPhone').count()).toBe(0);
    await forAdmin.expectAccessible();
    await status.getByRole('link').click();
    await forAdmin.page.waitForURL(console.addressOf('settings/credentials'));
    await status.getByRole('link').waitFor({ state: 'detached' }); // one is there

    const forViewer = await console.openAs('viewer', 'notifications');
    const ofViewer = forViewer.page.getByRole('region', { name: 'Status' });
    await ofViewer.locator('strong').getByText('Google').waitFor();
    expect(await ofViewer.getByRole('link').count()).toBe(0);
  });

  test('the status bar asks whether the server is ready where the list of troubles gets no answer', async () => {
    const { page, takeFailedRequests } = await console.openAs('viewer', 'notifications');
    await page.route('**/v6/status', (route) => route.abort('timedout'));
    await page.waitForResponse('**/readyz');
    await page.waitForResponse('**/readyz'); // what the first one said is shown by now
    expect(await page.getByText('cannot reach the server').count()).toBe(0);

    await page.route('**/readyz', (route) => route.abort('connectionrefused'));
    await page.locator('strong').getByText('cannot reach the server').waitFor();
    await page.unrouteAll();
    await page.locator('strong').getByText('cannot reach the server').waitFor({ state: 'detached' });
    takeFailedRequests();
  });
});
