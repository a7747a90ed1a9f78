/** The search of outcomes in a browser: filters in the address, pages, the export. */
import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { DESKTOP, executablePath, PHONE } from './support/browser.ts';
import { useConsole } from './support/console.ts';

const HOSTILE = '<script>alert(1)</script> \u202Egnp';

describe.skipIf(executablePath === undefined)('the outcomes', () => {
  const console = useConsole();
  let id: string;

  beforeAll(async () => {
    const { backend, db, app } = console;
    await db
      .updateTable('devices')
      .set({ app_version: HOSTILE })
      .where('app_id', '=', app.id)
      .where('platform', '=', 'iOS')
      .execute();
    const notification = { to: '*', payload: { title: HOSTILE, alert: 'hello' } };
    const { body } = await backend.call('POST', '/v6/notifications', { notification });
    ({ id } = z.object({ id: z.string() }).parse(body));
    await vi.waitFor(
      async () => {
        const read = await backend.call('GET', `/v6/notifications/${id}`);
        expect(read.body).toMatchObject({ state: 'sent' });
      },
      { timeout: 30_000, interval: 200 },
    );
  });

  test.each([
    { colorScheme: 'light', width: DESKTOP },
    { colorScheme: 'dark', width: PHONE },
  ] as const)('the screen of outcomes is accessible and fits ($colorScheme, $width px)', async (look) => {
    const { page, expectClean, expectAccessible } = await console.openAs('viewer', 'outcomes', look);
    await page
      .getByRole('link', { name: /script/ })
      .first()
      .waitFor();
    await expectAccessible();
    await page
      .getByRole('link', { name: /script/ })
      .first()
      .click();
    await page.getByRole('table', { name: 'Devices' }).waitFor();
    expect(page.url()).toContain(`notification=${id}`);
    await expectAccessible();
    await expectClean();
  });

  test('the filters of outcomes are in the address, and the export has what they select', async () => {
    const { page, expectClean } = await console.openAs('viewer', `outcomes?notification=${id}`);
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
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ platform: 'iOS', app_version: HOSTILE });
    await page.getByLabel('Outcome').selectOption('rejected');
    await page.getByText('No device matches these filters.').waitFor();
    await expectClean();
  });

  test('the screen of outcomes works by keyboard alone', async () => {
    const { page } = await console.openAs('viewer', 'outcomes');
    await page.getByLabel('Id of a notification').focus();
    await page.keyboard.type(id);
    await page.keyboard.press('Enter');
    await page.getByRole('table', { name: 'Devices' }).waitFor();
    await page.getByLabel('Reason').focus();
    await page.keyboard.type('BadDeviceToken');
    await page.keyboard.press('Tab');
    await page.waitForURL(/reason=BadDeviceToken/);
  });

  test('an unknown notification is said in the API’s words', async () => {
    const none = '7c1d6a3e-0c5b-4a7e-9f64-0b1f53f3c111';
    const { page } = await console.openAs('viewer', `outcomes?notification=${none}`);
    await page.getByRole('alert').getByText('There is no such notification.').first().waitFor();
  });
});
