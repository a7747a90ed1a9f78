/** The page on which the console opens for an app. */
import { beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { countDueApps } from '../../../src/results/overview/count-devices.ts';
import { countLatestHours } from '../../../src/results/overview/count-hours.ts';
import { DESKTOP, executablePath, openDrawer, PHONE } from './support/browser.ts';
import { useConsole } from './support/console.ts';
import { filtersOf } from './support/filters.ts';

const HOUR_MS = 60 * 60_000;
const never = new AbortController().signal;

describe.skipIf(executablePath === undefined)('the overview of a new app', () => {
  const console = useConsole();

  test.each([
    { colorScheme: 'light', width: DESKTOP },
    { colorScheme: 'dark', width: PHONE },
  ] as const)('the overview of a new app leads to the first push ($colorScheme, $width px)', async (look) => {
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

describe.skipIf(executablePath === undefined)('the overview', () => {
  const console = useConsole();

  beforeAll(async () => {
    const { backend, db } = console;
    const { id } = await backend.notify('*', { payload: { title: 'Hello' } });
    await backend.untilEnded(id, 20_000);
    await countLatestHours(db, systemClock, never);
    await countDueApps({ db, clock: systemClock, failed: new Map() }, never);
  });

  test.each([
    { colorScheme: 'light', width: DESKTOP },
    { colorScheme: 'dark', width: PHONE },
  ] as const)('the overview is accessible and fits ($colorScheme, $width px)', async (look) => {
    const { page, expectClean, expectAccessible } = await console.openAs('viewer', 'overview', look);
    await page.getByText('Nothing needs attention.').waitFor();
    await page.getByRole('img', { name: /^Pushes accepted by day: at most 4\d on/ }).waitFor();
    await page.getByText('The days as a table').click();
    await page.getByRole('table', { name: 'Days' }).waitFor();
    await expect.poll(async () => page.locator('canvas').count()).toBe(4);
    await expectAccessible();
    await expectClean();
  });

  test('the period of the overview is in the address', async () => {
    const { page } = await console.openAs('viewer', 'overview?days=7');
    await page.getByRole('heading', { name: '7 days' }).waitFor();
    await page.getByLabel('Period').selectOption('90');
    await page.waitForURL(/days=90/);
    await page.getByRole('heading', { name: '90 days' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: '7 days' }).waitFor();
    const drawer = await openDrawer(page);
    await drawer.locator('pre').getByText('/v6/overview?days=7&time_zone=Europe%2FParis').waitFor();
  });

  test('the days of the overview are those of the reader’s zone, with the zone shown', async () => {
    const look = { timezoneId: 'Asia/Kolkata' };
    const { page } = await console.openAs('viewer', 'overview', look);
    await page.getByText('Days in GMT+5:30, counted until').waitFor();
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
    await db.updateTable('notifications').set({ rejected: 500 }).where('app_id', '=', app.id).execute();
    await countLatestHours(db, systemClock, never);
    const { page, expectAccessible, expectClean } = await console.openAs('viewer', 'overview');
    await page.getByText(/Within 24 hours, 500 of 5\d\d pushes were rejected\./).waitFor();
    await expectAccessible();
    await expectClean();
    await page.getByRole('link', { name: 'Open the notifications' }).click();
    await page.waitForURL(console.addressOf('notifications'));
  });
});
