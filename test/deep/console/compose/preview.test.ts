/** The room that is left, asked while somebody types, and the count of recipients. */
import type { Request } from 'playwright-core';
import { expect, test } from 'vitest';
import { DESKTOP, testLooks, openDrawer } from '../support/browser.ts';
import { describeConsole } from '../support/console.ts';
import {
  android,
  faults,
  goToStep,
  iPhone,
  jsonField,
  meter,
  openTest,
  review,
  reviewButton,
  showJson,
  showAndroid,
  textField,
  toEveryone,
} from './compose-page.ts';

describeConsole('while somebody writes', (fixture) => {
  const open = async (look = {}) => {
    const watched = await fixture.openAs('sender', 'compose', look);
    await toEveryone(watched.page);
    return watched;
  };

  test('the bytes left for both gateways are shown, and too many are refused', async () => {
    const { page, expectAccessible } = await open();
    await textField(page).fill('Hi');
    await meter(page, 'Apple').waitFor();
    const used = Number(await meter(page, 'Apple').getAttribute('aria-valuenow'));
    const left = 4_096 - used;
    await textField(page).fill(`Hi${'é'.repeat(Math.floor(left / 2))}`);
    await page.getByText(/^[01] bytes left$/).waitFor();
    await expect.poll(async () => reviewButton(page).isEnabled()).toBe(true);
    await textField(page).fill(`Hi${'é'.repeat(Math.floor(left / 2) + 5)}`);
    await page.getByText('bytes too many').first().waitFor();
    await faults(page).getByText('over the limit of 4096').waitFor();
    expect(await reviewButton(page).isDisabled()).toBe(true);
    await expectAccessible();
  });

  test('a push to a Live Activity is shown on an iPhone only', async () => {
    const { page, expectAccessible } = await open();
    await textField(page).fill('On its way');
    await page.getByRole('button', { name: 'Android', exact: true }).waitFor();
    await showJson(page);
    await jsonField(page).fill(
      JSON.stringify({
        to: '*',
        payload: { alert: 'On its way' },
        live_activity: { event: 'update', activity_id: 'order-7', content_state: { eta: 5 } },
      }),
    );
    await page.getByRole('button', { name: 'Android', exact: true }).waitFor({ state: 'detached' });
    await iPhone(page).getByText('On its way').waitFor();
    await meter(page, 'Apple').waitFor();
    expect(await meter(page, 'Google').count()).toBe(0);
    await openDrawer(page);
    await page.getByLabel('Body for Apple').waitFor();
    expect(await page.getByLabel('Body for Google').count()).toBe(0);
    await expectAccessible();
  });

  test('a question that is no longer wanted is aborted, and its answer never shown', async () => {
    const { page } = await open();
    await textField(page).fill('before');
    // Every question so far has its answer, so only the next one can be aborted.
    await iPhone(page).getByText('before').waitFor();
    await page.getByText('Reachable now: 40 of 40').waitFor();
    const aborted: string[] = [];
    page.on('requestfailed', (request: Request) => aborted.push(new URL(request.url()).pathname));
    const slow = new Set<string>();
    await page.route('**/v6/notifications/preview', async (route) => {
      const isSlow = route.request().postData()?.includes('first') === true;
      if (!isSlow) return route.continue();
      slow.add('asked');
      const response = await route.fetch();
      await page.waitForEvent('requestfailed');
      await route.fulfill({ response }).catch(() => undefined);
    });
    await textField(page).fill('first');
    await expect.poll(() => slow.size).toBe(1);
    await textField(page).fill('second');
    await iPhone(page).getByText('second').waitFor();
    expect(aborted).toEqual(['/v6/notifications/preview']);
    expect(await iPhone(page).getByText('first').count()).toBe(0);
  });

  test('the recipients are counted for every kind of target', async () => {
    const [device] = fixture.devices;
    const { page } = await open();
    await page.getByText('Reachable now: 40 of 40').waitFor();
    await goToStep(page, 'Whom');
    await page.getByLabel('One device').check();
    await page.getByLabel('Id of the device').fill(device?.id ?? '');
    await page.getByText('Reachable now: 1 of 1').waitFor();
    await page.getByLabel('One user').check();
    await page.getByLabel('Id of the user').fill('nobody');
    await page.getByText('Reachable now: 0 of 0').waitFor();
    const filters = [{ name: 'tags', criteria: ['vip'] }];
    const { body } = await fixture.backend.call('POST', '/v6/audiences', {
      audience: { name: 'VIPs <b>', filters },
    });
    expect(body).toMatchObject({ audience: { device_count: 4 } });
    await page.getByLabel('An audience').check();
    await page.getByLabel('Audience', { exact: true }).selectOption('VIPs <b>');
    await page.getByText('Reachable now: 4 of 4').waitFor();
    await page.getByLabel('Or its id').fill('00000000-0000-4000-8000-000000000000');
    await page.getByText('There is no such audience.').waitFor();
    await goToStep(page, 'What');
    await textField(page).fill('Hello');
    await faults(page).getByText('The app has no audience with the id').waitFor();
  });

  test('filters are built, counted, and said in words on the last page', async () => {
    const { page, expectAccessible } = await open();
    await goToStep(page, 'Whom');
    await page.getByLabel('Filters').check();
    await page.getByRole('button', { name: 'Add a filter' }).click();
    await page.keyboard.type('tags\n');
    expect(await page.locator('.filter-builder .fault').count()).toBe(0);
    await page.getByLabel('One of').fill('vip');
    await page.keyboard.press('Enter');
    await page.getByText('Reachable now: 4 of 4').waitFor();
    await goToStep(page, 'What');
    await textField(page).fill('Hello');
    await expectAccessible();
    await review(page);
    await page.getByText('Devices where tags include vip').waitFor();
    await page.getByText('Apple’s sandbox, for devices flagged as development').waitFor();
  });

  test('a viewer sees the preview and can send nothing', async () => {
    const { page } = await fixture.openAs('viewer', 'compose');
    await toEveryone(page);
    await textField(page).fill('Only looking');
    await showAndroid(page);
    await android(page).getByText('Only looking').waitFor();
    expect(await page.getByRole('button', { name: 'Test', exact: true }).isDisabled()).toBe(true);
    await reviewButton(page).click();
    await page.getByText('Your role in this app does not allow sending').first().waitFor();
    expect(await page.getByRole('button', { name: /^Send to/ }).isDisabled()).toBe(true);
  });

  testLooks('every state of the preview is clean and accessible', async (look) => {
    const { page, expectClean, expectAccessible } = await fixture.openAs('sender', 'compose', look);
    await faults(page).getByText('Choose the recipients.').waitFor();
    await expectAccessible();
    await toEveryone(page);
    await page
      .getByLabel('Title', { exact: true })
      .fill('Wo der Donaudampfschifffahrtsgesellschaftskapitän wohnt');
    await textField(page).fill('x'.repeat(500));
    await page.getByText('Sound, badge').click();
    if (look.width === DESKTOP) await openDrawer(page); // a phone has none
    await expectAccessible();
    await goToStep(page, 'When');
    await page.getByText('Expiry, priority').click();
    await page.getByText('Spread, quiet hours').click();
    await expectAccessible();
    await expectClean();
    await showJson(page);
    await jsonField(page).waitFor();
    await expectAccessible();
    await expectClean();
    await openTest(page);
    await page.getByText('Reachable now: 8 of 8').waitFor();
    await expectAccessible();
    await page.keyboard.press('Escape');
    await reviewButton(page).click();
    await page.getByRole('button', { name: 'Send to 40 devices' }).waitFor();
    await expectAccessible();
  });
});
