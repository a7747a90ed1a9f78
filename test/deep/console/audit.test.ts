/** The audit log in a browser: filters in the address, before and after, the export. */
import { readFile } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { recordChange } from '../../../src/audit/record.ts';
import { DESKTOP, executablePath, openDrawer, PHONE } from './support/browser.ts';
import { useConsole } from './support/console.ts';

const HOSTILE = '<img src=x onerror=alert(1)>"\'{{7*7}} \u202Egnp.exe';

const at = (second: number) => () => new Date(Date.UTC(2026, 10, 23, 12, 0, second));

describe.skipIf(executablePath === undefined)('the audit log', () => {
  const console = useConsole();
  const jo = {
    by: { kind: 'user', id: randomUUID(), name: HOSTILE },
    address: '2001:db8::7',
    requestId: 'r-1',
  } as const;

  beforeAll(async () => {
    const { db, app } = console;
    for (let second = 0; second < 60; second++) {
      const change = { appId: app.id, action: 'audience.deleted', objectId: `audience ${second}` } as const;
      await recordChange(db, jo, { ...change, before: { name: `${HOSTILE} ${second}` } }, at(second));
    }
    const canceled = {
      appId: app.id,
      action: 'notification.canceled',
      objectId: randomUUID(),
      before: { state: 'sending' },
      after: { state: 'canceled', accepted: 7, note: 'x'.repeat(300) },
    } as const;
    await recordChange(db, jo, canceled, at(70));
  });

  test.each([
    { colorScheme: 'light', width: DESKTOP },
    { colorScheme: 'dark', width: PHONE },
  ] as const)('the audit log is accessible and fits ($colorScheme, $width px)', async (look) => {
    const { page, expectClean, expectAccessible } = await console.openAs('admin', 'audit', look);
    await page.getByRole('cell', { name: 'Notification canceled' }).waitFor();
    expect(await page.getByText('sending').count()).toBeGreaterThan(0);
    expect(await page.locator('img').count()).toBe(0);
    await expectAccessible();
    await expectClean();
  });

  test('the filters and pages of the audit log are in the address', async () => {
    const { page, expectClean } = await console.openAs('admin', 'audit');
    await page.getByLabel('What').selectOption('audience.deleted');
    await page.waitForURL(/action=audience\.deleted/);
    // Until the list is another one, its link leads to older entries of every kind.
    await page.getByRole('cell', { name: 'Notification canceled' }).waitFor({ state: 'detached' });
    await page.getByRole('cell', { name: /audience 59/ }).waitFor();
    await page.getByRole('link', { name: 'Older' }).click();
    await page.waitForURL(/cursor=/);
    await page.getByRole('cell', { name: /audience 9$/ }).waitFor();
    await page.reload();
    await page.getByRole('cell', { name: /audience 9$/ }).waitFor();
    await page.goBack();
    await page.getByRole('cell', { name: /audience 59/ }).waitFor();
    await page.getByLabel('Object (id)').fill('audience 3');
    await page.keyboard.press('Enter');
    await page.waitForURL(/object=audience\+3/);
    await page.getByRole('cell', { name: /audience 3$/ }).waitFor();
    expect(await page.getByRole('row').count()).toBe(2);
    await expectClean();
  });

  test('the times of the audit log are in the reader’s zone, with the zone shown', async () => {
    const look = { timezoneId: 'Asia/Kolkata' };
    const { page } = await console.openAs('admin', 'audit?action=notification.canceled', look);
    await page.getByRole('columnheader', { name: 'When (GMT+5:30)' }).waitFor();
    await page.getByText('17:31:10').waitFor();
  });

  test('the export of the audit log has what the filters select, and its curl is shown', async () => {
    const { page } = await console.openAs('admin', 'audit?action=notification.canceled');
    await page.getByRole('cell', { name: 'Notification canceled' }).waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export' }).click();
    const saved = await download;
    expect(saved.suggestedFilename()).toBe('audit.ndjson');
    const lines = (await readFile(await saved.path(), 'utf8')).trimEnd().split('\n');
    expect(lines.map((line): unknown => JSON.parse(line))).toMatchObject([
      { action: 'notification.canceled' },
    ]);
    const drawer = await openDrawer(page);
    await drawer.locator('pre').getByText('/v6/audit/export?action=notification.canceled').waitFor();
  });

  test.each(['viewer', 'sender'] as const)('a %s may not read the audit log', async (role) => {
    const { page, expectClean } = await console.openAs(role, 'audit');
    await page.getByText('Only admins of this app').waitFor();
    await expectClean();
  });
});
