/** The tab with the outcomes of a notification in a browser: filters in the address, pages, the export. */
import { readFile } from 'node:fs/promises';
import { beforeAll, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { testLooks } from './support/browser.ts';
import { describeConsole } from './support/console.ts';

const HOSTILE = '<script>alert(1)</script> \u202Egnp';

describeConsole('the outcomes', (console) => {
  let id: string;
  let tab: string;

  beforeAll(async () => {
    const { backend, db, app, devices } = console;
    await db
      .updateTable('devices')
      .set({ app_version: HOSTILE, user_id: HOSTILE, marketing_name: 'iPhone 17' })
      .where('app_id', '=', app.id)
      .where('platform', '=', 'iOS')
      .execute();
    const dead = devices.find(({ platform }) => platform === 'Android');
    const answer = { kind: 'answer', status: 404, reason: 'UNREGISTERED', times: 1 } as const;
    console.simulator.orderFault({ ...answer, token: dead?.token ?? '' });
    const notification = { to: '*', payload: { title: HOSTILE, alert: 'hello' } };
    const { body } = await backend.call('POST', '/v6/notifications', { notification });
    ({ id } = z.object({ id: z.string() }).parse(body));
    tab = `notifications/${id}?tab=outcomes`;
    await vi.waitFor(
      async () => {
        const read = await backend.call('GET', `/v6/notifications/${id}`);
        expect(read.body).toMatchObject({ state: 'sent' });
      },
      { timeout: 30_000, interval: 200 },
    );
  });

  testLooks('the tab of outcomes is accessible and fits', async (look) => {
    const { page, expectAccessible } = await console.openAs('viewer', `notifications/${id}`, look);
    await page.getByRole('button', { name: 'Devices' }).click();
    await page.waitForURL(/tab=outcomes/);
    const row = page
      .getByRole('table', { name: 'Devices' })
      .getByRole('row')
      .filter({ hasText: 'iPhone 17' });
    await row
      .getByText(/script/)
      .first()
      .waitFor();
    await expectAccessible();
  });

  test('the filters of outcomes are in the address, and the export has what they select', async () => {
    const { page } = await console.openAs('viewer', tab);
    await page.getByRole('table', { name: 'Devices' }).waitFor();
    expect(await page.getByRole('row').count()).toBe(console.devices.length + 1);
    await page.getByLabel('Platform').selectOption('iOS');
    await page.waitForURL(/platform=iOS/);
    const count = console.devices.filter(({ platform }) => platform === 'iOS').length;
    await expect.poll(async () => page.getByRole('row').count()).toBe(count + 1);
    await page.reload();
    await page.getByRole('table', { name: 'Devices' }).waitFor();
    expect(await page.getByRole('row').count()).toBe(count + 1);
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export NDJSON' }).click();
    const lines = (await readFile(await (await download).path(), 'utf8')).trimEnd().split('\n');
    expect(lines).toHaveLength(count);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ platform: 'iOS', user_id: HOSTILE });
    await page.getByLabel('Outcome').selectOption('Rejected');
    await page.getByText('No device matches these filters').waitFor();
    await page.getByRole('button', { name: 'Clear' }).click();
    await expect.poll(async () => page.getByRole('row').count()).toBe(console.devices.length + 1);
  });

  test('a reason is chosen from those of the notification, with its devices, by keyboard alone', async () => {
    const { page } = await console.openAs('viewer', tab);
    await page.getByRole('option', { name: 'UNREGISTERED (1)' }).waitFor({ state: 'attached' });
    await page.getByLabel('Reason').focus();
    await page.keyboard.type('UNREG');
    await page.waitForURL(/reason=UNREGISTERED/);
    await expect.poll(async () => page.getByRole('row').count()).toBe(2);
  });

  test('the address that outcomes had leads to the tab, and without a notification to the list', async () => {
    const { page } = await console.openAs('viewer', `outcomes?notification=${id}&platform=iOS`);
    await page.waitForURL(`**/notifications/${id}?tab=outcomes&platform=iOS`);
    await page.goto(console.addressOf('outcomes'));
    await page.waitForURL('**/notifications');
  });
});
