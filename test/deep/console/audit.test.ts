/** The audit log in a browser: filters in the address, before and after, the export. */
import { readFile } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { recordChange } from '../../../src/audit/record.ts';
import { testLooks, openDrawer } from './support/browser.ts';
import { describeConsole } from './support/console.ts';

const HOSTILE = '<img src=x onerror=alert(1)>"\'{{7*7}} \u202Egnp.exe';

const at = (second: number) => () => new Date(Date.UTC(2026, 10, 23, 12, 0, second));

function entryOf(page: Page, words: string): Locator {
  return page.locator('.audit-entry').filter({ hasText: words });
}

describeConsole('the audit log', (console) => {
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

  testLooks('the audit log is accessible and fits', async (look) => {
    const { page, expectAccessible } = await console.openAs('admin', 'audit', look);
    await entryOf(page, 'canceled a notification').waitFor();
    expect(await page.getByText('sending').count()).toBeGreaterThan(0);
    expect(await page.locator('img').count()).toBe(0);
    await page.getByRole('heading', { name: 'Monday, 23 November 2026' }).waitFor();
    await page.getByText('deleted 49 audiences').click();
    await page.getByRole('button', { name: `Only changes of ${HOSTILE} 59` }).waitFor();
    await expectAccessible();
  });

  test('the filters and pages of the audit log are in the address', async () => {
    const { page } = await console.openAs('admin', 'audit');
    await entryOf(page, 'canceled a notification').waitFor();
    await page.getByLabel('What').selectOption('audience.deleted');
    await page.waitForURL(/action=audience\.deleted/);
    // Until the list is another one, its link leads to older entries of every kind.
    await entryOf(page, 'canceled a notification').waitFor({ state: 'detached' });
    await page.getByText('deleted 50 audiences').waitFor();
    await page.getByRole('link', { name: 'Older' }).click();
    await page.waitForURL(/cursor=/);
    await page.getByText('deleted 10 audiences').waitFor();
    await page.reload();
    await page.getByText('deleted 10 audiences').waitFor();
    await page.goBack();
    await page.getByText('deleted 50 audiences').click();
    await page.getByRole('button', { name: `Only changes of ${HOSTILE} 33` }).click();
    await page.waitForURL(/object=audience\+33/);
    // Until the list is another one, it has all fifty.
    await expect.poll(async () => page.locator('.audit-entry').count()).toBe(1);
    await entryOf(page, 'deleted an audience').waitFor();
  });

  test('an author and an object of the audit log are found by a part of their names', async () => {
    const { app, backend } = console;
    const { body } = await backend.call('POST', '/v6/audiences', {
      audience: { name: 'Gold members', filters: [{ name: 'tags', criteria: ['gold'] }] },
    });
    const { audience } = z.object({ audience: z.object({ id: z.string() }) }).parse(body);
    const change = { appId: app.id, action: 'audience.updated', objectId: audience.id } as const;
    const author = { ...jo, by: { ...jo.by, id: randomUUID() } };
    await recordChange(console.db, author, { ...change, before: { name: 'Gold' } }, at(80));
    const { page } = await console.openAs('admin', 'audit');
    const entry = page.getByRole('listitem').filter({ hasText: 'changed an audience' }).first();
    const link = entry.getByRole('link', { name: 'Gold members' });
    expect(await link.getAttribute('href')).toContain(`audiences/${audience.id}`);
    await page.getByRole('combobox', { name: 'Object' }).fill('gold mem');
    await page.keyboard.press('Enter');
    await page.waitForURL(new RegExp(`object=${audience.id}`));
    expect(await page.getByRole('combobox', { name: 'Object' }).inputValue()).toBe('Gold members');
    await expect.poll(async () => page.locator('.audit-entry').count()).toBe(1);
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByRole('combobox', { name: 'Who' }).fill('command');
    await page.keyboard.press('Enter');
    await page.waitForURL(/by=command_line/);
    await page.getByText('No change matches these filters').waitFor();
  });

  test('the times of the audit log are in the reader’s zone, with the zone shown', async () => {
    const look = { timezoneId: 'Asia/Kolkata' };
    const { page } = await console.openAs('admin', 'audit?action=notification.canceled', look);
    await page.getByTitle('23 Nov, 17:31:10 GMT+5:30').waitFor();
    await page.getByLabel('From (GMT+5:30)').waitFor();
  });

  test('the export of the audit log has what the filters select, and its curl is shown', async () => {
    const { page } = await console.openAs('admin', 'audit?action=notification.canceled');
    await entryOf(page, 'canceled a notification').waitFor();
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
    const { page } = await console.openAs(role, 'audit');
    await page.getByText('Only admins of this app').waitFor();
  });
});
