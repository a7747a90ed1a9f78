import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { testLooks } from './support/browser.ts';
import { describeConsole } from './support/console.ts';
import { addFilter, CIRCLE, lineOf, openLine, untilCounted, withFilters } from './support/filters.ts';

const HOSTILE = [
  '<img src=x onerror=alert(1)>',
  '</script><script>alert(1)</script>',
  '\u202eevil',
  '"\'`${x}',
  'a'.repeat(300),
];

describeConsole('stored audiences', (fixture) => {
  const store = async (name: string, filters: unknown): Promise<string> =>
    fixture.backend.create('/v6/audiences', { audience: { name, filters } });

  test('stored audiences are built, saved, found in the list with their count, and deleted', async () => {
    const name = `Built ${randomUUID()}`;
    const { page } = await fixture.openAs('sender', 'audiences/new');
    await addFilter(page, 'last reg');
    await untilCounted(page);
    await page.getByRole('form', { name: 'Save' }).getByLabel('Name').fill(name);
    await page.getByRole('button', { name: 'Save the audience' }).click();
    await page.getByRole('heading', { name }).waitFor();
    await page.getByText('last registration is within the last 7 days').waitFor();
    const compose = await page
      .getByRole('link', { name: 'Compose', exact: true })
      .last()
      .getAttribute('href');
    expect(compose).toMatch(/compose\?audience=[0-9a-f-]{36}$/);
    await page.goto(fixture.addressOf('audiences'));
    const row = page.getByRole('row').filter({ hasText: name });
    await row.getByText('40', { exact: true }).waitFor();
    await row.getByText('last registration is within the last 7 days').waitFor();
    await row.getByRole('link').click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText(`The audience ${name} is deleted.`).waitFor();
    await row.waitFor({ state: 'detached' });
  });

  test('stored audiences are edited and renamed', async () => {
    const id = await store('Before', [
      { name: 'tags', criteria: ['x'] },
      { name: 'location', criteria: [CIRCLE] },
    ]);
    const { page, expectAccessible } = await fixture.openAs('sender', `audiences/${id}`);
    await page.getByText('location is within 100 km of Paris').waitFor();
    await page.locator('.place-names text').filter({ hasText: 'Paris' }).waitFor();
    await page.getByRole('button', { name: 'Rename' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Renamed');
    await expectAccessible();
    await dialog.getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('heading', { name: 'Renamed' }).waitFor();
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await untilCounted(page);
    await page.getByRole('button', { name: 'Remove filter 2' }).click();
    const line = await openLine(page);
    await line.getByLabel('One of').fill('y');
    await page.keyboard.press('Enter');
    await lineOf(page, 1).getByText('include x or y').waitFor();
    await expectAccessible();
    await page.getByRole('form', { name: 'Save' }).getByLabel('Name').fill('After');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByRole('heading', { name: 'After', exact: true }).waitFor();
    const { body } = await fixture.backend.call('GET', `/v6/audiences/${id}`);
    expect(body).toMatchObject({
      audience: { name: 'After', filters: [{ name: 'tags', criteria: ['x', 'y'] }] },
    });
  });

  test('stored audiences that somebody else has changed show that change before it is replaced', async () => {
    const id = await store('Shared', [{ name: 'tags', criteria: ['mine'] }]);
    const { page } = await fixture.openAs('sender', `audiences/${id}?edit=yes`);
    await untilCounted(page);
    const theirs = { name: 'Theirs', filters: [{ name: 'locale', criteria: ['fr_FR'] }] };
    await fixture.backend.call('PUT', `/v6/audiences/${id}`, { audience: theirs });
    const form = page.getByRole('form', { name: 'Save' });
    await form.getByLabel('Name').fill('Mine');
    await form.getByRole('button', { name: 'Save changes' }).click();
    const said = form.getByRole('alert');
    await said.getByText(/^Somebody else changed this audience .* Theirs is called Theirs/).waitFor();
    await said.getByText('locale is fr_FR').waitFor();
    await form.getByRole('button', { name: 'Replace theirs' }).click();
    await page.getByRole('heading', { name: 'Mine' }).waitFor();
    await page.getByText('tags include mine').waitFor();
    // A new name alone keeps what somebody else has made of the filters.
    await page.getByRole('button', { name: 'Rename' }).click();
    await fixture.backend.call('PUT', `/v6/audiences/${id}`, { audience: theirs });
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Named by me');
    await dialog.getByRole('button', { name: 'Rename' }).click();
    await dialog.getByText('locale is fr_FR').waitFor();
    await dialog.getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('heading', { name: 'Named by me' }).waitFor();
    await page.getByText('locale is fr_FR').waitFor();
  });

  test('stored audiences that a notification needs are not deleted, and the notification is named', async () => {
    const id = await store('Needed', [{ name: 'tags', criteria: ['x'] }]);
    const later = new Date(Date.now() + 3_600_000).toISOString();
    const notification = { to: id, payload: { alert: 'hello' }, deliver_at: later };
    const notificationId = await fixture.backend.create('/v6/notifications', { notification });
    const { page } = await fixture.openAs('sender', `audiences/${id}`);
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
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
    await tree.getByText('of Paris').waitFor();
    expect(await tree.innerText()).toMatch(/within 100 km of Paris \(0\.\d+ km away\)/);
    expect(await tree.innerText()).toMatch(/tags must not match\s+The device has news/);
    await expectAccessible();
    // The same from the other side: from the device to its audiences.
    await page.goto(fixture.addressOf(`devices/${device}`));
    await page.getByRole('link', { name: 'Is it in an audience?' }).click();
    await page.getByRole('link', { name: 'Explained' }).click();
    await page.getByText('is out: 2 filters do not select it').waitFor();
  });

  test('stored audiences cannot be made, changed or deleted by a viewer', async () => {
    const id = await store('Kept', [{ name: 'tags', criteria: ['x'] }]);
    const { page } = await fixture.openAs('viewer', `audiences/${id}`);
    await page.getByRole('heading', { name: 'Kept' }).waitFor();
    expect(await page.getByRole('button', { name: /^(?:Delete|Edit|Rename)$/ }).count()).toBe(0);
    await page.goto(fixture.addressOf(`audiences/${id}?edit=yes`));
    await page.getByRole('heading', { name: 'Kept', exact: true }).waitFor();
  });

  testLooks('stored audiences are clean and accessible, whatever is in their names', async (look) => {
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
    // Others are among those of promises.test.ts.
    const screens = ['audiences', `audiences/${ids[0] ?? ''}?edit=yes`];
    const { page, expectClean, expectAccessible } = await fixture.openAs('admin', '', look);
    for (const screen of screens) {
      await page.goto(fixture.addressOf(screen));
      await page.waitForLoadState('networkidle');
      await expectAccessible();
      await expectClean();
    }
    await page.goto(fixture.addressOf(withFilters(filters)));
    for (const number of [1, filters.length]) {
      await openLine(page, number);
      await expectAccessible();
      await page.keyboard.press('Escape');
    }
    await page.keyboard.press('d');
    await page.getByRole('complementary', { name: 'Developer' }).waitFor();
    await page.getByRole('button', { name: 'And another filter' }).press('Enter');
    await expectAccessible();
  });
});
