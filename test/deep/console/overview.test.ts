/** The page on which the console opens for an app. */
import { beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { countDueApps } from '../../../src/results/overview/count-devices.ts';
import { countLatestHours } from '../../../src/results/overview/count-hours.ts';
import { testLooks, openDrawer } from './support/browser.ts';
import { describeConsole } from './support/console.ts';
import { filtersOf } from './support/filters.ts';
import { insertSending, pauseGoogle } from './support/sending.ts';

const HOUR_MS = 60 * 60_000;
const never = new AbortController().signal;

describeConsole('the overview of a new app', (console) => {
  testLooks('the overview of a new app leads to the first push', async (look) => {
    const { page, expectClean, expectAccessible } = await console.openAs('admin', '', look);
    await page.waitForURL(console.addressOf('overview'));
    await page.getByRole('heading', { name: 'Your first push' }).waitFor();
    // The fixture has devices and credentials, so only the last step is left.
    expect(await page.getByText('Done', { exact: true }).count()).toBe(2);
    await expectAccessible();
    await expectClean();
    await page.getByRole('link', { name: 'Go on' }).click();
    await page.waitForURL(console.addressOf('start'));
    await page.getByRole('heading', { name: 'Send it a push' }).waitFor();
  });

  test('the overview of a new app says to a viewer who can do the steps', async () => {
    const { page } = await console.openAs('viewer', 'overview');
    await page.getByText('A sender or an admin of this app can send it.').waitFor();
    expect(await page.locator('main').getByRole('link', { name: 'Compose' }).count()).toBe(0);
  });
});

describeConsole('the overview', (console) => {
  beforeAll(async () => {
    const { backend, db } = console;
    await backend.deliver('*', { payload: { title: 'Hello' } });
    await countLatestHours(db, systemClock, never);
    await countDueApps({ db, clock: systemClock, failed: new Map() }, never);
  });

  testLooks('the overview is accessible and fits', async (look) => {
    const { page, expectAccessible } = await console.openAs('viewer', 'overview', look);
    await page.getByText('Nothing needs attention.').waitFor();
    await page.getByRole('img', { name: /^pushes accepted by day: at most 4\d on/ }).waitFor();
    await page.getByText('The days as a table').click();
    await page.getByRole('table', { name: 'Days' }).waitFor();
    await expect.poll(async () => page.locator('canvas').count()).toBe(1);
    await expectAccessible();
  });

  test('the series and the period of the chart are in the address', async () => {
    const { page } = await console.openAs('viewer', 'overview?days=7');
    await page.getByRole('heading', { name: 'pushes accepted in 7 days' }).waitFor();
    await page.getByRole('button', { name: '90 days' }).click();
    await page.waitForURL(/days=90/);
    await page.getByRole('heading', { name: 'pushes accepted in 90 days' }).waitFor();
    await page.getByRole('button', { name: 'Dead tokens' }).click();
    await page.waitForURL(/series=unregistered/);
    await page.getByRole('img', { name: /^dead push tokens by day/ }).waitFor();
    await page.goBack();
    await page.goBack();
    await page.getByRole('heading', { name: 'pushes accepted in 7 days' }).waitFor();
    const drawer = await openDrawer(page);
    await drawer.locator('pre').getByText('/v6/overview?days=7&time_zone=Europe%2FParis').waitFor();
  });

  test('the days of the overview are those of the reader’s zone, with the zone shown', async () => {
    const look = { timezoneId: 'Asia/Kolkata' };
    const { page } = await console.openAs('viewer', 'overview', look);
    await page.getByText('Days are those of GMT+5:30. Counted').waitFor();
  });

  test('the overview shows first what is being sent, with its progress, and what is due next', async () => {
    const { backend, db, app } = console;
    const id = await insertSending(console, { title: 'Kick-off' }, 40);
    await db.updateTable('notifications').set({ accepted: 10 }).where('id', '=', id).execute();
    const tomorrow = new Date(Date.now() + 24 * HOUR_MS).toISOString();
    await backend.notify('*', { payload: { title: 'Half time' }, deliver_at: tomorrow });
    await backend.notify({ user_id: 'nobody' }, { payload: { title: 'Code' }, deliver_at: tomorrow });
    const { page, expectAccessible } = await console.openAs('viewer', 'overview');
    const now = page.getByRole('region', { name: 'Now' });
    await now.getByRole('link', { name: 'Kick-off' }).waitFor();
    await now.getByText('10 of 40 devices').waitFor();
    await now.getByRole('link', { name: 'Half time' }).waitFor();
    await now.getByText('1 push to single devices or users.').waitFor();
    expect(await now.getByText('Code').count()).toBe(0);
    await expectAccessible();
    const ended = { state: 'sent', accepted: 40, ended_at: new Date() } as const;
    await db.updateTable('notifications').set(ended).where('id', '=', id).execute();
    await now.getByText('Nothing is being sent.').waitFor();
    await db
      .deleteFrom('notifications')
      .where('app_id', '=', app.id)
      .where('state', '=', 'scheduled')
      .execute();
  });

  test('the overview says what holds a bulk notification back, in place of a rate', async () => {
    const id = await insertSending(console, { title: 'Held up' }, 40);
    const resume = await pauseGoogle(console, id, 'most push tokens are refused');
    const started_at = new Date(Date.now() - 60_000);
    const row = console.db.updateTable('notifications').where('id', '=', id);
    await row.set({ started_at }).execute();
    const { page } = await console.openAs('viewer', 'overview');
    await page.getByRole('region', { name: 'Now' }).getByText('It stands still: see above.').waitFor();
    await page.getByRole('region', { name: 'Status' }).locator('strong').getByText('Google').waitFor();
    await resume();
    await row.set({ state: 'sent', ended_at: new Date() }).execute();
  });

  test('the chart has the newest notification before workers have counted it', async () => {
    const { backend } = console;
    const { page } = await console.openAs('viewer', 'overview');
    const heading = page.getByRole('heading', { name: 'pushes accepted in 30 days' });
    const acceptedIn = async () => Number.parseInt((await heading.textContent()) ?? '', 10);
    const before = await acceptedIn();
    await backend.deliver('*', { payload: { title: 'Not counted yet' } });
    await page.reload();
    await page.getByRole('row').filter({ hasText: 'Not counted yet' }).waitFor();
    expect(await acceptedIn()).toBeGreaterThan(before);
  });

  test('a system leads to the audience of its devices', async () => {
    const { db, app } = console;
    const ofApp = db.selectFrom('devices').select('id').where('app_id', '=', app.id);
    const sample = ofApp.where('platform', '=', 'iOS').limit(5);
    await db
      .updateTable('devices')
      .set({ os_name: 'iOS', os_version: '26.1' })
      .where('id', 'in', sample)
      .execute();
    const later = new Date(Date.now() + HOUR_MS);
    await countDueApps({ db, clock: () => later, failed: new Map() }, never);
    const { page } = await console.openAs('viewer', 'overview');
    await page.getByRole('link', { name: 'iOS 26.1' }).click();
    await page.waitForURL(/audiences\/new\?filters=/);
    expect(filtersOf(page)).toEqual([
      { name: 'os_name', criteria: ['iOS'] },
      { name: 'os_version', criteria: ['26.1'] },
    ]);
  });

  test('a warning of the overview leads to the screen that says more', async () => {
    const { db, app } = console;
    const one = db.selectFrom('notifications').select('id').where('app_id', '=', app.id).limit(1);
    await db.updateTable('notifications').set({ rejected: 500 }).where('id', '=', one).execute();
    await countLatestHours(db, systemClock, never);
    const { page, expectAccessible, expectClean } = await console.openAs('viewer', 'overview');
    await page.getByText(/Within 24 hours, 500 of [56]\d\d pushes were rejected\./).waitFor();
    await expectAccessible();
    await expectClean();
    await page.getByRole('list', { name: 'Needs attention' }).getByRole('link').click();
    await page.waitForURL(console.addressOf('notifications'));
  });
});
