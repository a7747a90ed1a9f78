import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { executablePath, LOOKS } from './support/browser.ts';
import { useConsole } from './support/console.ts';
import { CIRCLE, withFilters } from './support/filters.ts';

const fixture = useConsole();
const HOSTILE = [
  '<img src=x onerror=alert(1)>',
  '</script><script>alert(1)</script>',
  '\u202eevil',
  '"\'`${x}',
  'a'.repeat(300),
];

const created = z.object({ audience: z.object({ id: z.string() }) });

async function store(name: string, filters: unknown): Promise<string> {
  const { body } = await fixture.backend.call('POST', '/v6/audiences', { audience: { name, filters } });
  return created.parse(body).audience.id;
}

describe.skipIf(executablePath === undefined)('stored audiences', () => {
  test('stored audiences are built, stored, found in the list, counted and deleted', async () => {
    const name = `Built ${randomUUID()}`;
    const { page, expectClean } = await fixture.openAs('sender', 'audiences/new');
    await page.getByRole('link', { name: 'used in the last 7 days' }).click();
    await page.getByText(/Counted in/).waitFor();
    await page.getByRole('form', { name: 'Store' }).getByLabel('Name').fill(name);
    await page.getByRole('button', { name: 'Store the audience' }).click();
    await page.getByRole('heading', { name }).waitFor();
    await page.getByText('last registration is within the last 7 days').waitFor();
    const compose = await page.getByRole('link', { name: 'Compose to it' }).getAttribute('href');
    expect(compose).toMatch(/compose\?audience=[0-9a-f-]{36}$/);
    await page.goto(fixture.addressOf('audiences'));
    const row = page.getByRole('row').filter({ hasText: name });
    await row.getByRole('button', { name: `Count ${name}` }).click();
    await row.getByText('40', { exact: true }).waitFor();
    await row.getByRole('button', { name: `Delete ${name}` }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText(`The audience ${name} is deleted.`).waitFor();
    await row.waitFor({ state: 'detached' });
    await expectClean();
  });

  test('stored audiences that a notification needs are not deleted, and the notification is named', async () => {
    const id = await store('Needed', [{ name: 'tags', criteria: ['x'] }]);
    const later = new Date(Date.now() + 3_600_000).toISOString();
    const notification = { to: id, payload: { alert: 'hello' }, deliver_at: later };
    const { body } = await fixture.backend.call('POST', '/v6/notifications', { notification });
    const notificationId = z.object({ id: z.string() }).parse(body).id;
    const { page } = await fixture.openAs('sender', `audiences/${id}`);
    await page.getByRole('button', { name: 'Delete Needed' }).click();
    await page.getByRole('dialog').getByRole('link', { name: notificationId }).waitFor();
    expect(
      await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).isDisabled(),
    ).toBe(true);
  });

  test('stored audiences explain at their address why a device is in or out, with what it has', async () => {
    const { db, app, devices } = fixture;
    const device = devices[20]?.id ?? '';
    await db
      .updateTable('devices')
      .set({ tags: ['news'], locale: 'fr_FR', latitude: 48.85, longitude: 2.35 })
      .where('app_id', '=', app.id)
      .where('id', '=', device)
      .execute();
    const id = await store('Explained', [
      { name: 'locale', criteria: ['de_DE', 'en_GB'] },
      { name: 'location', criteria: [CIRCLE] },
      { name: 'tags', criteria: ['news'], not_filter: true },
    ]);
    const { page, expectAccessible } = await fixture.openAs('viewer', `audiences/${id}?device=${device}`);
    await page.getByText('is out: 2 filters do not select it').waitFor();
    const tree = page.locator('.why-tree').first();
    expect(await tree.innerText()).toMatch(/locale must match one of\s+The device has fr_FR/);
    expect(await tree.innerText()).toMatch(/within 100 km of 48.8566, 2.3522 \(0\.\d+ km away\)/);
    expect(await tree.innerText()).toMatch(/tags must not match\s+The device has news/);
    await expectAccessible();
    // The same from the other side: from the device to its audiences.
    await page.goto(fixture.addressOf(`devices/${device}`));
    await page.getByRole('link', { name: 'Is it in an audience?' }).click();
    await page.getByRole('link', { name: 'Explained' }).click();
    await page.getByText('is out: 2 filters do not select it').waitFor();
  });

  test('stored audiences cannot be stored or deleted by a viewer, by the page or by the API', async () => {
    const id = await store('Kept', [{ name: 'tags', criteria: ['x'] }]);
    const { page } = await fixture.openAs('viewer', `audiences/${id}`);
    expect(await page.getByRole('button', { name: 'Delete Kept' }).isDisabled()).toBe(true);
    const statuses: unknown = await page.evaluate(`Promise.all([
      fetch('../v6/audiences/${id}', { method: 'DELETE', headers: { 'carillon-app': '${fixture.app.id}' } }),
      fetch('../v6/audiences', {
        method: 'POST',
        headers: { 'carillon-app': '${fixture.app.id}', 'content-type': 'application/json' },
        body: JSON.stringify({ audience: { name: 'Not mine', filters: [{ name: 'tags', criteria: ['x'] }] } }),
      }),
    ].map(async (reply) => (await reply).status))`);
    expect(statuses).toEqual([403, 403]);
  });

  test.each(LOOKS)(
    'stored audiences are clean and accessible, whatever is in their names ($colorScheme, $width px)',
    async (look) => {
      const filters = [
        { name: 'tags', criteria: HOSTILE },
        ...HOSTILE.map((text) => ({
          name: `custom.string.${text.slice(0, 40)}`,
          criteria: [text.slice(0, 60)],
        })),
        { name: `events.${HOSTILE[0] ?? ''}`, criteria: [true] },
        { name: 'location', criteria: [CIRCLE] },
      ];
      const ids = await Promise.all(HOSTILE.map(async (text) => store(text.slice(0, 255), filters)));
      const screens = [
        'audiences',
        'audiences/new',
        withFilters(filters),
        `${withFilters(filters)}&view=json`,
        `audiences/${ids[0] ?? ''}?device=${fixture.devices[0]?.id ?? ''}`,
      ];
      const { page, expectClean, expectAccessible } = await fixture.openAs('admin', '', look);
      for (const screen of screens) {
        await page.goto(fixture.addressOf(screen));
        await page.waitForLoadState('networkidle');
        await expectAccessible();
        await expectClean();
      }
    },
    120_000,
  );
});
