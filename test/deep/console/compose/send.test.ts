/** From the draft to the phones: a dry run, a test, the last page, and that nothing is sent twice. */
import { beforeEach, expect, test } from 'vitest';
import { describeConsole } from '../support/console.ts';
import { focusBy, goToStep, openTest, review, reviewButton, textField } from './compose-page.ts';

describeConsole('a notification', (fixture) => {
  beforeEach(async () => {
    // A test may end while the notification that it has made is being sent; its pushes would be counted by the next one.
    await expect.poll(async () => unfinished()).toBe(0);
    await fixture.db.deleteFrom('notifications').execute();
    fixture.simulator.reset();
  });

  const unfinished = async () =>
    (
      await fixture.db
        .selectFrom('notifications')
        .select('id')
        .where((eb) =>
          eb.or([
            eb('state', '=', 'sending'),
            eb.and([eb('state', '=', 'scheduled'), eb('due_at', '<=', new Date())]),
          ]),
        )
        .execute()
    ).length;
  const stored = async () =>
    fixture.db.selectFrom('notifications').select(['id', 'body', 'state']).orderBy('created_at').execute();
  const write = async (alert: string, target = 'Everyone') => {
    const watched = await fixture.openAs('sender', 'compose');
    const { page } = watched;
    await page.getByLabel(target).check();
    await goToStep(page, 'What');
    await textField(page).fill(alert);
    return watched;
  };

  test('a notification can be tried by a dry run, which sends nothing', async () => {
    const { page } = await write('Dry');
    const dialog = await openTest(page);
    await dialog.getByLabel('Send it to').selectOption('Nobody: a dry run');
    await dialog.getByRole('button', { name: 'Start the dry run' }).click();
    await page.getByText('The dry run has found 40 devices; nothing was sent.').waitFor();
    expect(fixture.simulator.received()).toEqual([]);
    expect(await stored()).toMatchObject([{ state: 'validated' }]);
  });

  test('a notification is tested on development devices, without its time and its limit', async () => {
    const { page } = await write('Test me');
    await goToStep(page, 'When');
    await page.getByLabel('Limit of recipients').fill('1000');
    const dialog = await openTest(page);
    await dialog.getByText('Reachable now: 8 of 8').waitFor();
    await dialog.getByRole('button', { name: 'Send the test' }).click();
    await page.getByText('The test has ended: 8 of 8 devices accepted it.').waitFor();
    const pushed = new Set(fixture.simulator.received().map(({ token }) => token));
    const development = fixture.devices.filter((device) => device.development).map(({ token }) => token);
    expect(pushed).toEqual(new Set(development));
    expect(await textField(page).inputValue()).toBe('Test me');
    const [{ body } = { body: '{}' }] = await stored();
    expect(JSON.parse(body)).toMatchObject({ max_recipients: 8, payload: { alert: 'Test me' } });
  });

  test('a notification is tested on one device', async () => {
    const { page } = await write('Only you');
    const dialog = await openTest(page);
    await dialog.getByLabel('Send it to').selectOption('One device');
    expect(await dialog.getByRole('button', { name: 'Send the test' }).isDisabled()).toBe(true);
    await dialog.getByLabel('Id of the device').fill(fixture.devices[0]?.id ?? '');
    await dialog.getByText('Reachable now: 1 of 1').waitFor();
    await dialog.getByRole('button', { name: 'Send the test' }).click();
    await page.getByText('The test has ended: 1 of 1 device accepted it.').waitFor();
    expect(fixture.simulator.received().map(({ token }) => token)).toEqual([fixture.devices[0]?.token]);
  });

  test('a notification has a last page that repeats count, time, app and who, and proposes a limit', async () => {
    const { page, expectAccessible } = await write('Soon');
    const local = new Date(Date.now() + 7 * 86_400_000).toISOString().slice(0, 16);
    await goToStep(page, 'When');
    await page.getByLabel('Later').check();
    await page.getByLabel('Send at').fill(local);
    await page.getByText(/ UTC · in 6 days$| UTC · in 7 days$/).waitFor();
    await review(page);
    const facts = page.locator('.facts');
    await facts.getByText('Everyone').waitFor();
    await page.getByText('40 devices get it').waitFor();
    await facts.getByText(fixture.app.bundleId).waitFor();
    await facts.getByText(/GMT\+[12]|CES?T/).waitFor();
    await facts.getByText(/ UTC, in [67] days/).waitFor();
    await facts.getByText(', sender').waitFor();
    await expect.poll(async () => page.getByLabel('Limit of recipients').inputValue()).toBe('44');
    await expectAccessible();
    await page.getByRole('button', { name: 'Schedule for 40 devices' }).click();
    await expect.poll(async () => stored()).toMatchObject([{ state: 'scheduled' }]);
    const [{ id, body } = { id: '', body: '{}' }] = await stored();
    await page.waitForURL(fixture.addressOf(`notifications/${id}`));
    const { deliver_at: at, max_recipients: limit } = JSON.parse(body);
    expect(limit).toBe(44);
    const inParis = new Intl.DateTimeFormat('sv-SE', {
      timeZone: 'Europe/Paris',
      dateStyle: 'short',
      timeStyle: 'short',
    }).format(new Date(at));
    expect(inParis.replace(' ', 'T')).toBe(local);
  });

  test('a notification keeps no limit, if its writer removes it', async () => {
    const { page } = await write('No limit');
    await review(page);
    const limit = page.getByLabel('Limit of recipients');
    await expect.poll(async () => limit.inputValue()).toBe('44');
    await limit.fill('');
    await page.getByText('No limit.').waitFor();
    await page.getByRole('button', { name: 'Send to 40 devices' }).click();
    await expect.poll(async () => (await stored()).length).toBe(1);
    const [{ body } = { body: '{}' }] = await stored();
    expect(JSON.parse(body)).toEqual({ to: '*', payload: { alert: 'No limit' } });
  });

  test('a notification to many devices is sent only after their number was typed', async () => {
    const { page } = await write('To many');
    await page.route('**/v6/notifications/count', (route) =>
      route.fulfill({ json: { device_count: 12_345, reachable_count: 12_000 } }),
    );
    await review(page);
    await page.getByText('12,000 devices get it').waitFor();
    await page.getByText('Not among them: 345 without a push token.').waitFor();
    await expect.poll(async () => page.getByLabel('Limit of recipients').inputValue()).toBe('13580');
    const send = page.getByRole('button', { name: 'Send to 12,000 devices' });
    await page.getByLabel('Type 12000 to confirm').fill('1200');
    expect(await send.isDisabled()).toBe(true);
    await page.getByLabel('Type 12000 to confirm').fill('12000');
    await expect.poll(async () => send.isEnabled()).toBe(true);
  });

  test('a notification is sent once after two clicks', async () => {
    const { page } = await write('Once');
    await review(page);
    await page.getByRole('button', { name: 'Send to 40 devices' }).dblclick();
    await page.waitForURL(/notifications\/[0-9a-f-]{36}$/);
    expect(await stored()).toHaveLength(1);
  });

  test('a notification is sent once when its answer got lost, even after a reload', async () => {
    const { page, takeFailedRequests } = await write('Lost');
    let lost = 0;
    await page.route('**/v6/notifications', async (route) => {
      if (lost > 0) return route.continue();
      lost += 1;
      await route.fetch();
      return route.abort();
    });
    await review(page);
    await page.getByRole('button', { name: 'Send to 40 devices' }).click();
    await page.getByRole('alert').getByText('The server cannot be reached.').waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Send to 40 devices' }).click();
    await page.waitForURL(/notifications\/[0-9a-f-]{36}$/);
    expect(lost).toBe(1);
    takeFailedRequests();
    expect(await stored()).toHaveLength(1);
  });

  test('a notification is written, reviewed and sent by keyboard alone', async () => {
    const { page } = await fixture.openAs('sender', 'compose');
    await page.getByLabel('Everyone').waitFor();
    await focusBy(page, 'Everyone');
    await page.keyboard.press('Space');
    // A button that does nothing yet can be reached, and says why.
    await focusBy(page, 'Review');
    const reason =
      'document.getElementById(document.activeElement.getAttribute("aria-describedby")).textContent';
    await expect.poll(async () => page.evaluate(reason)).toBe('Write a title or a text.');
    await focusBy(page, 'Next: What');
    await page.keyboard.press('Enter');
    await expect
      .poll(async () => page.evaluate('document.activeElement.labels?.[0]?.textContent'))
      .toBe('Title');
    await focusBy(page, 'Text');
    await page.keyboard.type('By keyboard');
    await page.getByText('Reachable now: 40 of 40').waitFor();
    await expect.poll(async () => reviewButton(page).isEnabled()).toBe(true);
    await focusBy(page, 'Review');
    await page.keyboard.press('Enter');
    const send = page.getByRole('button', { name: 'Send to 40 devices' });
    // The limit that is proposed changes the draft, which is checked once more.
    await expect.poll(async () => page.getByLabel('Limit of recipients').inputValue()).toBe('44');
    await expect.poll(async () => send.isEnabled()).toBe(true);
    await focusBy(page, 'Send to 40 devices');
    await page.keyboard.press('Enter');
    await page.waitForURL(/notifications\/[0-9a-f-]{36}$/);
    expect(await stored()).toHaveLength(1);
  });

  test('a notification is tested, scheduled, watched on its page, and canceled there', async () => {
    const { page, expectAccessible } = await write('Later');
    await openTest(page);
    await page.getByText('Reachable now: 8 of 8').waitFor();
    await page.getByRole('button', { name: 'Send the test' }).click();
    await page.getByText('The test has ended: 8 of 8 devices accepted it.').waitFor();
    await goToStep(page, 'When');
    await page.getByLabel('Later').check();
    await page.getByRole('button', { name: 'Tomorrow 9:00' }).click();
    await review(page);
    await page.getByRole('button', { name: 'Schedule for 40 devices' }).click();
    await page.getByText('Not started yet').waitFor();
    await page.getByRole('region', { name: 'On iPhone' }).getByText('Later').waitFor();
    await expectAccessible();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Canceled before it began').waitFor();
    expect((await stored()).map(({ state }) => state)).toEqual(['sent', 'canceled']);
    expect(fixture.simulator.received()).toHaveLength(8);
  });

  test('a notification leaves an empty draft behind', async () => {
    const { page } = await write('Gone');
    await review(page);
    await page.getByRole('button', { name: 'Send to 40 devices' }).click();
    await page.waitForURL(/notifications\/[0-9a-f-]{36}$/);
    await page.goto(fixture.addressOf('compose?step=what'));
    expect(await textField(page).inputValue()).toBe('');
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
  });
});
