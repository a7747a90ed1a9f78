/** The screens of devices in a browser: found, explained, tested, flagged and erased, by keyboard, and on a phone. */
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { testLooks, openDrawer } from './support/browser.ts';
import { describeConsole } from './support/console.ts';

const field = (page: Page) => page.getByLabel(/^Device id, user id/);
const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true }).waitFor();
const answer = (page: Page, cause: string) =>
  page.locator(`.devices-answer[data-cause="${cause}"]`).waitFor();

describeConsole('the console’s devices', (console) => {
  test('devices are found by keyboard alone, and the way back leads to the list', async () => {
    const { id, user } = await console.register({ marketing_name: 'iPhone 17' });
    const { page } = await console.openAs('viewer', 'devices');
    await field(page).waitFor();
    await page.locator('input[type=search]:focus').waitFor();
    await page.keyboard.type(user);
    await page.keyboard.press('Enter');
    await heading(page, 'iPhone 17');
    expect(page.url()).toBe(console.addressOf(`devices/${id}`));
    await page.goBack();
    await page.getByRole('table', { name: 'Devices that were found' }).waitFor();
    expect(page.url()).toBe(console.addressOf(`devices?q=${user}`));
    await page.getByRole('link', { name: /iPhone 17/ }).press('Enter');
    await heading(page, 'iPhone 17');
  });

  test('devices are found by a push token that is in no address', async () => {
    const { id, token } = await console.register();
    const { page } = await console.openAs('viewer', 'devices');
    const addresses: string[] = [];
    page.on('request', (request) => addresses.push(request.url()));
    page.on('framenavigated', (frame) => addresses.push(frame.url()));
    await field(page).fill(token);
    await page.getByText('Looks like a push token').waitFor();
    await page.getByRole('button', { name: 'Look up' }).click();
    await heading(page, 'iOS device');
    expect(page.url()).toBe(console.addressOf(`devices/${id}`));
    expect(addresses.filter((address) => address.includes(token))).toEqual([]);
    expect(await page.content()).not.toContain(token);
  });

  test('devices that are not found, or erased, are said to be so', async () => {
    const { id } = await console.register();
    await console.backend.call('DELETE', `/v6/devices/${id}`).catch(() => undefined); // 204 has no JSON
    const { page, expectAccessible } = await console.openAs('viewer', `devices?q=${id}`);
    await page.getByText('This device was erased').waitFor();
    await expectAccessible();
    await page.goto(console.addressOf('devices?q=nobody-has-this'));
    await page.getByText('No device is found').waitFor();
    await page.goto(console.addressOf(`devices/${id}`));
    await page.getByText('There is no such device').waitFor();
  });

  testLooks('the pages of devices are accessible', async (look) => {
    const { id, user } = await console.register({
      marketing_name: 'iPhone 17',
      tags: ['beta', 'مرحبا'],
      location: { latitude: 30.0444, longitude: 31.2357 },
      custom: {
        renews: { type: 'date', value: '2026-12-01T10:00:00Z' },
        plan: { type: 'string', value: ['a', 'b'] },
      },
    });
    await console.backend.call('POST', `/v6/devices/${id}/events`, { events: [{ name: 'purchase' }] });
    const { id: notificationId } = await console.backend.deliver({ user_id: user });
    const { page, expectAccessible } = await console.openAs('admin', `devices?q=${user}`, look);
    await page.getByRole('link', { name: /iPhone 17/ }).waitFor();
    await expectAccessible();
    await page.goto(console.addressOf(`devices/${id}?why=${notificationId}`));
    await answer(page, 'accepted');
    await expectAccessible();
    await page.getByRole('button', { name: 'Send a test push' }).click();
    await page.getByRole('dialog').waitFor();
    await expectAccessible();
  });

  test('a device shows what its other push tokens are for, and a Live Activity that was sent to one', async () => {
    const { id } = await console.register();
    const token = randomBytes(32).toString('hex');
    await sql`insert into named_tokens (app_id, type, name, device_id, push_token, registered_at, presented_at)
      select app_id, 'live_activity', '<b>order 4711', id, ${token}, now(), now() from devices where id = ${id}`.execute(
      console.db,
    );
    const { page } = await console.openAs('viewer', `devices/${id}`);
    await page.getByText('<b>order 4711').waitFor();
    expect(await page.content()).not.toContain(token);
    const live_activity = { event: 'update', activity_id: '<b>order 4711', content_state: {} };
    const { id: notificationId } = await console.backend.notify(
      { device_id: id },
      { payload: undefined, live_activity },
    );
    await page.goto(console.addressOf(`notifications/${notificationId}`));
    await heading(page, 'Live Activity: update of <b>order 4711');
    await page.getByText('The app draws it').waitFor();
    await page.goto(console.addressOf('notifications'));
    await page.getByRole('row').filter({ hasText: 'update of <b>order 4711' }).waitFor();
  });

  test('the page of a device keeps every digit of large integers', async () => {
    const { id } = await console.register();
    const body = '{"device":{"custom":{"big":{"type":"integer","value":9223372036854775807}}}}';
    const authorization = `Basic ${Buffer.from(`:${console.app.key}`).toString('base64')}`;
    await fetch(`${console.origin}/v6/devices/${id}`, {
      method: 'PUT',
      headers: { authorization, 'content-type': 'application/json' },
      body,
    });
    const { page } = await console.openAs('viewer', `devices/${id}`);
    await page.getByRole('cell', { name: '9223372036854775807' }).waitFor();
  });

  test('a device is flagged as development by an admin, which the audit log has', async () => {
    const { id } = await console.register();
    const { page } = await console.openAs('admin', `devices/${id}`);
    await page.getByRole('button', { name: 'Flag as development' }).click();
    await page.getByRole('button', { name: 'Remove the development flag' }).waitFor();
    await page.getByText('through Apple, development.').waitFor();
    await page.getByRole('link', { name: 'Changes by people' }).click();
    await page.getByRole('listitem').filter({ hasText: 'flagged a device as development' }).waitFor();
    const { body } = await console.backend.call('GET', `/v6/devices/${id}`);
    expect(body).toMatchObject({ device: { development: true } });
  });

  test('a device gets a test push, and its outcome appears by itself', async () => {
    const { id, token } = await console.register();
    const { page } = await console.openAs('sender', `devices/${id}`);
    await page.getByRole('button', { name: 'Send a test push' }).click();
    await page.getByLabel('Text').fill('Is anybody there?');
    await page.keyboard.press('Enter');
    await answer(page, 'accepted');
    await page.getByRole('list', { name: 'Pushes' }).getByText('Is anybody there?').waitFor();
    const pushes = console.simulator.received({ token });
    expect(pushes).toHaveLength(1);
    expect(JSON.stringify(pushes)).toContain('Is anybody there?');
  });

  test('a device is erased after the beginning of its id was typed', async () => {
    const { id } = await console.register();
    const { page } = await console.openAs('admin', `devices/${id}`);
    await page.getByRole('button', { name: 'Erase' }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByRole('button', { name: 'Erase' }).isDisabled()).toBe(true);
    await dialog.getByRole('textbox').fill(id.slice(0, 8));
    await page.keyboard.press('Enter');
    await page.getByText('This device was erased').waitFor();
    expect(await console.backend.call('GET', `/v6/devices/${id}`)).toMatchObject({ status: 404 });
  });

  test.each([
    ['viewer', []],
    ['sender', ['Send a test push']],
    ['admin', ['Send a test push', 'Flag as development', 'Erase']],
  ] as const)('the page of a device offers a %s %j', async (role, offered) => {
    const { id } = await console.register();
    const { page } = await console.openAs(role, `devices/${id}`);
    await heading(page, 'What is known of it');
    for (const name of ['Send a test push', 'Flag as development', 'Erase']) {
      const count = await page.getByRole('button', { name, exact: true }).count();
      expect([name, count]).toEqual([name, offered.some((one) => one === name) ? 1 : 0]);
    }
  });

  test('the page of a device shows the curl of what it reads and does, without the token or a key', async () => {
    const { id, token } = await console.register();
    const { page } = await console.openAs('admin', `devices/${id}`);
    await heading(page, 'What is known of it');
    const drawer = await openDrawer(page);
    await drawer.locator('pre').first().waitFor();
    const all = (await drawer.locator('pre').allTextContents()).join('\n');
    expect(all).toContain(`-X PUT \\\n  '${console.origin}/v6/devices/${id}'`);
    expect(all).toContain('{"device":{"development":true}}');
    expect(all).toContain(`-X DELETE \\\n  '${console.origin}/v6/devices/${id}'`);
    expect(all).toContain(`'${console.origin}/v6/devices/${id}/pushes'`);
    expect(all).not.toContain(token);
  });

  // The walk in docs/console.md, step by step.
  test('the page of a device leads from "why did this user not get the reset code" to the answer', async () => {
    const { token, user } = await console.register({ marketing_name: 'iPhone 17' });
    console.simulator.orderFault({ kind: 'answer', token, times: 1, status: 410, reason: 'Unregistered' });
    const { id: code } = await console.backend.deliver(
      { user_id: user },
      { payload: { alert: 'Your reset code is 493 021' } },
    );

    const { page, expectClean } = await console.openAs('viewer', '../../');
    await page.getByRole('link', { name: 'Devices' }).click();
    await field(page).fill(user);
    await page.keyboard.press('Enter');
    await heading(page, 'iPhone 17');
    const row = page.getByRole('listitem').filter({ hasText: 'Your reset code' });
    await row.getByText('Unregistered', { exact: true }).waitFor();
    await row.getByRole('link', { name: /^Why/ }).click();
    await answer(page, 'token_refused');
    await page.getByText('it gets one when the app is opened').first().waitFor();
    expect(page.url()).toContain(`?why=${code}`);
    await expectClean();

    // The address answers a colleague as well.
    const { page: colleague } = await console.enterAs('viewer');
    await colleague.goto(page.url());
    await answer(colleague, 'token_refused');
  });

  test('the page of a device leads from a missed notification, by words in it, to the filter that left it out', async () => {
    const { user } = await console.register({ locale: 'en_GB' });
    const { id } = await console.backend.deliver([{ name: 'locale', criteria: ['fr_FR'] }], {
      payload: { alert: 'Seulement pour la France' },
    });
    const { page, expectAccessible } = await console.openAs('viewer', `notifications/${id}`);
    await page.getByRole('link', { name: 'Ask about a device' }).click();
    await page.getByText('Which device did not get notification').waitFor();
    await field(page).fill(user);
    await page.keyboard.press('Enter');
    await answer(page, 'not_in_audience');
    await page.getByText('does not select it:', { exact: true }).waitFor();
    await expectAccessible();
    await page.getByRole('button', { name: 'Close the explanation' }).click();
    await page.getByLabel('Id of the notification, or words in it').fill('seulement');
    await page.keyboard.press('Enter');
    await page.getByText('To: Its own filters').first().waitFor();
    await page.getByRole('link', { name: /Seulement pour la France/ }).click();
    await answer(page, 'not_in_audience');
  });
});
