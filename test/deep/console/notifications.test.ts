import { randomUUID } from 'node:crypto';
import type { Insertable, Updateable } from 'kysely';
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { NotificationsTable } from '../../../src/db/tables.ts';
import { testLooks, openDrawer, PHONE } from './support/browser.ts';
import { describeConsole } from './support/console.ts';
import { insertNotification, insertSending, pauseGoogle } from './support/sending.ts';

const HOUR_MS = 3_600_000;

const rowOf = (page: Page, hasText: string): Locator => page.getByRole('row').filter({ hasText });
const searchOf = (page: Page): Locator => page.getByRole('searchbox', { name: 'Search' });

describeConsole('notifications', (console) => {
  const insert = async (payload: object, values?: Partial<Insertable<NotificationsTable>>) =>
    insertNotification(console, payload, values);

  async function update(id: string, values: Updateable<NotificationsTable>): Promise<void> {
    await console.db.updateTable('notifications').set(values).where('id', '=', id).execute();
  }

  testLooks('the list has what was sent, and is accessible', async (look) => {
    const title = `Summer sale ${randomUUID()}`;
    await insert({ title, alert: 'Everything must go' }, { devices: 3, accepted: 2, rejected: 1 });
    await insert(
      { title: 'عرض', alert: 'مرحبا بالعالم، هذا نص طويل جدا '.repeat(8) },
      { state: 'failed', reason: 'no credentials' },
    );
    const { page, expectAccessible } = await console.openAs('viewer', 'notifications', look);
    const row = rowOf(page, title);
    await row.getByText('Sent', { exact: true }).waitFor();
    await row.getByText('66.7% of 3').waitFor();
    await row.getByText('All devices').waitFor();
    await row.getByRole('img', { name: '2 accepted, 1 rejected' }).waitFor();
    await page.getByText('What the colours mean').click();
    await page.getByRole('listitem').getByText('Rejected').waitFor();
    // The name is on the first line, whatever the direction of its letters.
    const lines = rowOf(page, 'مرحبا').locator('.two-lines > bdi');
    expect(await lines.first().textContent()).toBe('عرض');
    await expectAccessible();
  });

  test('the page of a notification says once that its route is paused, and why', async () => {
    const id = await insertSending(console, { title: 'Held up' }, 40);
    const why = 'most push tokens are refused';
    const resume = await pauseGoogle(console, id, why);
    const { page } = await console.openAs('viewer', `notifications/${id}`);
    await page.locator('main').getByText('What limits it:').waitFor();
    expect(await page.locator('main').getByText(why).count()).toBe(1);
    await resume();
    await update(id, { state: 'sent', ended_at: new Date() });
  });

  test('a search and a state are in the address, and can be shared', async () => {
    const word = `w${randomUUID().slice(0, 8)}`;
    const failed = await insert({ alert: `${word} one` }, { state: 'failed' });
    await insert({ alert: `${word} two` });
    const { page } = await console.openAs('viewer', 'notifications');
    await searchOf(page).fill(word);
    await page.waitForURL(`**/notifications?q=${word}`);
    await rowOf(page, `${word} two`).waitFor();
    await page.getByLabel('State').selectOption('failed');
    await page.waitForURL(`**/notifications?q=${word}&state=failed`);
    await rowOf(page, `${word} two`).waitFor({ state: 'detached' });
    await page.reload();
    await rowOf(page, `${word} one`).waitFor();
    expect(await searchOf(page).inputValue()).toBe(word);
    await searchOf(page).fill(failed.slice(0, 8));
    await page.waitForURL(`**/notifications?q=${failed.slice(0, 8)}&state=failed`);
    await rowOf(page, `${word} one`).waitFor();
    await searchOf(page).fill('there is no such text');
    await page.getByText('Nothing found').waitFor();
    await page.goBack();
  });

  test('words that are typed while the search begins are searched for as well', async () => {
    const { page } = await console.openAs('viewer', 'notifications');
    await searchOf(page).waitFor();
    await page.evaluate(`{
      const { replaceState } = history;
      history.replaceState = (...given) => {
        history.replaceState = replaceState;
        history.replaceState(...given);
        const field = document.querySelector('input[type=search]');
        field.value += 's';
        field.dispatchEvent(new Event('input', { bubbles: true }));
      };
    }`);
    await searchOf(page).fill('letter');
    await page.waitForURL('**/notifications?q=letters');
    expect(await searchOf(page).inputValue()).toBe('letters');
  });

  test('the rows of the list hold still while new ones come, and a button shows them', async () => {
    const word = `w${randomUUID().slice(0, 8)}`;
    const sending = await insertSending(console, { alert: `${word} first` }, 1_000);
    const { page } = await console.openAs('viewer', `notifications?q=${word}`);
    const rows = rowOf(page, word);
    await rows.first().waitFor();
    const secondAt = Date.now();
    await insert({ alert: `${word} second` }, { created_at: new Date(secondAt) });
    await insert({ alert: `${word} third` }, { created_at: new Date(secondAt + 1) });
    await update(sending, { accepted: 400 });
    await page.getByRole('button', { name: '2 new' }).waitFor();
    await page.getByRole('img', { name: '400 accepted, 600 pending' }).waitFor();
    expect(await rows.count()).toBe(1);
    await page.getByRole('button', { name: '2 new' }).click();
    await rows.nth(2).waitFor();
    expect(await rows.first().textContent()).toContain(`${word} third`);
    await update(sending, { state: 'sent', ended_at: new Date() });
  });

  test('older notifications come by key, and back', async () => {
    const word = `w${randomUUID().slice(0, 8)}`;
    for (let index = 0; index < 26; index += 1) {
      await insert(
        { alert: `${word} number ${index}.` },
        { created_at: new Date(Date.now() - index * 1_000) },
      );
    }
    const { page } = await console.openAs('viewer', `notifications?q=${word}`);
    await page.getByRole('link', { name: 'Older' }).click();
    await page.getByText(`${word} number 25.`).waitFor();
    expect(page.url()).toContain('cursor=');
    await page.getByRole('link', { name: 'Newest' }).click();
    await page.getByText(`${word} number 0.`).waitFor();
  });

  testLooks('live counters move to the end', async (look) => {
    const id = await insertSending(console, { title: 'Kick-off', alert: 'The match begins' }, 10_000);
    const { page, expectAccessible } = await console.openAs('viewer', `notifications/${id}`, look);
    await page.getByText('of 10,000 reachable devices accepted so far').waitFor();
    await page.getByRole('list', { name: 'State' }).locator('[aria-current]').getByText('Sending').waitFor();
    await page.getByText('What limits it:').waitFor();
    await update(id, { accepted: 4_000, rejected: 100 });
    await page.getByText('4,100 of 10,000').waitFor();
    await page
      .getByText(/per second$/)
      .first()
      .waitFor();
    await expectAccessible();
    await update(id, { accepted: 9_800, unregistered: 100 });
    await page.getByText('10,000 of 10,000').waitFor();
    await update(id, { state: 'sent', ended_at: new Date() });
    await page.getByText('9,800 of 10,000 reachable devices accepted', { exact: true }).waitFor();
    await page.getByRole('list', { name: 'State' }).locator('[aria-current]').getByText('Sent').waitFor();
    await page.getByText('Why devices did not get it').waitFor();
    expect(await page.getByText('What limits it:').count()).toBe(0);
    await page.getByText('The same as a table').click();
    await page.getByRole('columnheader', { name: 'Devices per second' }).waitFor();
    await expectAccessible();
  });

  test('cancelling says what is already out, and needs a sender', async () => {
    const id = await insertSending(console, { alert: 'Stop me' }, 5_000);
    await update(id, { accepted: 1_200 });
    const viewer = await console.openAs('viewer', `notifications/${id}`);
    await viewer.page.getByText('of 5,000 reachable devices accepted so far').waitFor();
    expect(await viewer.page.getByRole('button', { name: 'Cancel sending' }).isDisabled()).toBe(true);

    const { page, expectClean, expectAccessible } = await console.openAs('sender', `notifications/${id}`);
    await page.getByRole('button', { name: 'Cancel sending' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('1,200 pushes').waitFor();
    await dialog.getByText('3,800 devices wait').waitFor();
    await expectAccessible();
    const yes = dialog.getByRole('button', { name: 'Cancel sending' });
    await yes.click();
    await page.getByText('of 5,000 reachable devices accepted before it was canceled').waitFor();
    await page.getByRole('img', { name: '1,200 accepted, 3,800 not sent' }).waitFor();
    await rowOf(page, 'Not sent').getByText('3,800').waitFor();
    expect(await page.getByRole('button', { name: 'Cancel sending' }).count()).toBe(0);
    await expectClean();
    await viewer.page.getByText('of 5,000 reachable devices accepted before it was canceled').waitFor();
  });

  test('a real notification has its reasons, its JSON with every digit, its tray, a copy and a curl', async () => {
    const notification =
      '{"to":"*","payload":{"title":"Order","alert":"On its way","order":4611686018427387905}}';
    const created = await fetch(`${console.origin}/v6/notifications`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`:${console.app.key}`).toString('base64')}`,
        'content-type': 'application/json',
      },
      body: `{"notification":${notification}}`,
    });
    const { id } = Object(await created.json());
    const { page } = await console.openAs('sender', `notifications/${id}`);
    await page.getByText(/^\d+ of \d+ reachable devices accepted$/).waitFor();
    await page.getByText('As phones show it').waitFor();
    await page.getByText('On its way').first().waitFor();
    expect(await page.getByRole('link', { name: 'Compose a copy' }).getAttribute('href')).toContain(
      `copy=${id}`,
    );
    const drawer = await openDrawer(page);
    await drawer.locator('pre').getByText(`/v6/notifications/${id}`).first().waitFor();
    await drawer.getByText('4611686018427387905').first().waitFor();
  });

  test('the calendar has what is scheduled by day, is walked by keyboard, and cancels', async () => {
    const title = `Sale ${randomUUID()}`;
    const noon = new Date(Date.now() + 10 * 24 * HOUR_MS);
    noon.setUTCHours(12, 0, 0, 0);
    const day = noon.toISOString().slice(0, 10);
    const before = new Date(noon.getTime() - 24 * HOUR_MS).toISOString().slice(0, 10);
    const local = { time: `${day}T09:00:00`, no_time_zone: 'skip' };
    const { id } = await console.backend.notify('*', { payload: { title }, deliver_at: noon.toISOString() });
    await console.backend.notify('*', { payload: { title: 'Good morning' }, deliver_at_local: local });
    const screen = `notifications/calendar?month=${day.slice(0, 7)}&day=${before}`;
    const { page, expectClean, expectAccessible } = await console.openAs('sender', screen);
    const grid = page.getByRole('grid', { name: 'Days' });
    await grid.getByRole('gridcell', { name: /: 2 notifications$/ }).waitFor();
    await grid.getByText('09:00 local').waitFor();
    await grid.locator('[aria-selected=true]').focus();
    await page.keyboard.press('ArrowRight');
    await page.waitForURL(`**day=${day}*`);
    await page.getByRole('link', { name: title }).waitFor();
    await expectAccessible();
    await page
      .getByRole('listitem')
      .filter({ hasText: title })
      .getByRole('button', { name: 'Cancel' })
      .click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the notification' }).click();
    await page.getByRole('link', { name: title }).waitFor({ state: 'detached' });
    expect((await console.backend.readNotification(id)).state).toBe('canceled');
    await grid.locator('[aria-selected=true]').focus();
    const month = await page.getByRole('heading', { level: 2 }).textContent();
    for (let week = 0; week < 6; week++) await page.keyboard.press('ArrowDown');
    await expect.poll(async () => page.getByRole('heading', { level: 2 }).textContent()).not.toBe(month);
    await expectClean();
    await page.setViewportSize({ width: PHONE, height: 800 });
    await page.goto(console.addressOf(screen));
    await page.getByRole('link', { name: 'Good morning' }).waitFor();
    expect(await grid.isVisible()).toBe(false);
    await expectAccessible();
  });
});
