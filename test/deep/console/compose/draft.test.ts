/** The draft: the same notification as a form and as JSON, and what becomes of it on a reload. */
import { expect, test } from 'vitest';
import { z } from 'zod';
import { describeConsole } from '../support/console.ts';
import {
  faults,
  goToStep,
  jsonField,
  reviewButton,
  showAllFaults,
  showForm,
  showJson,
  textField,
  titleField,
  toEveryone,
} from './compose-page.ts';

const WHOLE = `{
  "to": "*",
  "payload": {
    "alert": "Hello",
    "order": { "id": 12345678901234567890, "lines": [1, 2] },
    "_st": null
  },
  "priority": "normal"
}`;

describeConsole('a draft', (fixture) => {
  const open = async (screen = 'compose?step=what') => {
    const watched = await fixture.openAs('sender', screen);
    await watched.page.getByRole('heading', { name: 'New notification' }).waitFor();
    return watched;
  };

  test('a draft that the form has written is JSON, and JSON is shown in the form', async () => {
    const { page } = await open();
    await goToStep(page, 'Whom');
    await toEveryone(page);
    await titleField(page).fill('Order 4711');
    await page.getByText('Sound, badge').click();
    await page.getByLabel('Badge', { exact: true }).fill('3');
    await page.getByLabel('The app may change it').check();
    await showJson(page);
    expect(JSON.parse(await jsonField(page).inputValue())).toEqual({
      to: '*',
      payload: { title: 'Order 4711', badge: 3, mutable_content: true },
    });
    await jsonField(page).fill(
      '{"to":{"user_id":"anna"},"payload":{"alert":"Hi","badge":7},"time_to_live":60}',
    );
    await showForm(page);
    expect(await textField(page).inputValue()).toBe('Hi');
    expect(await page.getByLabel('Badge', { exact: true }).inputValue()).toBe('7');
    expect(await titleField(page).inputValue()).toBe('');
    await goToStep(page, 'Whom');
    expect(await page.getByLabel('One user').isChecked()).toBe(true);
    expect(await page.getByLabel('Id of the user').inputValue()).toBe('anna');
    await goToStep(page, 'When');
    expect(await page.getByLabel('Time to live').inputValue()).toBe('60');
    expect(await page.getByLabel('Time to live').textContent()).toContain('1 min');
  });

  test('a draft keeps keys that the form does not know, every digit, and the order of keys', async () => {
    const { page } = await open();
    await showJson(page);
    await jsonField(page).fill(WHOLE);
    await showForm(page);
    await page.getByText('Also sent to the app').getByText('order', { exact: true }).waitFor();
    await textField(page).fill('Changed');
    await showJson(page);
    const text = await jsonField(page).inputValue();
    expect(text.replaceAll(/\s/g, '')).toBe(WHOLE.replace('Hello', 'Changed').replaceAll(/\s/g, ''));
  });

  test('a draft that is a whole body is understood', async () => {
    const { page } = await open('compose?view=json&step=what');
    await jsonField(page).fill(`{"notification":${WHOLE}}`);
    await showForm(page);
    expect(await textField(page).inputValue()).toBe('Hello');
    await page.getByText('Reachable now: 40 of 40').waitFor();
  });

  test.each([
    ['{"to":"*",', 'JSON'],
    ['["*"]', 'must be an object'],
  ])('a draft that is not JSON (%s) is kept, and says why', async (text, fault) => {
    const { page } = await open('compose?view=json&step=what');
    await jsonField(page).fill(text);
    await page.locator('.fault').getByText(fault).waitFor();
    expect(await page.getByRole('button', { name: 'Form' }).isDisabled()).toBe(true);
    expect(await reviewButton(page).count()).toBe(0);
    await page.reload();
    expect(await jsonField(page).inputValue()).toBe(text);
  });

  test('a draft that has a key twice is refused as the API refuses it', async () => {
    const { page } = await open('compose?view=json&step=what');
    await jsonField(page).fill('{"to":"*","payload":{"alert":"a","alert":"b"}}');
    await faults(page).getByText('alert').waitFor();
    expect(await reviewButton(page).isDisabled()).toBe(true);
  });

  test('a draft with faults shows each of them, at its field as well', async () => {
    const { page } = await open('compose?view=json&step=what');
    await jsonField(page).fill('{"to":"*","payload":{"badge":-1,"gcm":1},"time_to_live":-5,"x":1}');
    const all = await showAllFaults(page);
    for (const name of [/^Badge must/, /^gcm /, /^The time to live must/, /^x /]) {
      await all.getByRole('button', { name }).waitFor();
    }
    await all.getByRole('button', { name: /^Badge/ }).click();
    expect(await page.getByLabel('Badge', { exact: true }).getAttribute('aria-invalid')).toBe('true');
    expect(await titleField(page).getAttribute('aria-invalid')).toBe('false');
    await all.getByRole('button', { name: /^The time to live/ }).click();
    expect(await page.getByLabel('Time to live').getAttribute('aria-invalid')).toBe('true');
    // What the form has no field for leads to the JSON.
    await all.getByRole('button', { name: /^x / }).click();
    await jsonField(page).waitFor();
  });

  test('a draft outlives a reload, is not in the address, and ends when its writer signs out', async () => {
    const { page } = await open();
    await titleField(page).fill('My secret plan');
    await page.reload();
    expect(await titleField(page).inputValue()).toBe('My secret plan');
    expect(page.url()).toBe(fixture.addressOf('compose?step=what'));
    expect(await page.evaluate('JSON.stringify(sessionStorage)')).toContain('My secret plan');
    await page.getByLabel(/^User: /).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(await page.evaluate('JSON.stringify(sessionStorage)')).toBe('{}');
  });

  test('a draft can begin as a copy of a notification, with every digit but without its time', async () => {
    const { id } = await fixture.backend.notify('*', {
      payload: { alert: 'Sent before', n: 1 },
      deliver_at: new Date(Date.now() + 86_400_000).toISOString(),
      max_recipients: 1_000,
    });
    const { page } = await open();
    await titleField(page).fill('In the way');
    await page.goto(fixture.addressOf(`compose?step=what&copy=${id}`));
    await page.getByText('was replaced').waitFor();
    expect(page.url()).toBe(fixture.addressOf('compose?step=what'));
    expect(await textField(page).inputValue()).toBe('Sent before');
    await showJson(page);
    expect(JSON.parse(await jsonField(page).inputValue())).toEqual({
      to: '*',
      payload: { alert: 'Sent before', n: 1 },
    });
    await page.getByRole('button', { name: 'Restore it' }).click();
    await showForm(page);
    expect(await titleField(page).inputValue()).toBe('In the way');
  });

  test('a copy of a sensitive notification stays sensitive, and its hidden texts are to be written again', async () => {
    const { page } = await open();
    await titleField(page).fill('A code');
    await page.getByLabel('Sensitive: nobody reads these texts again').check();
    await showJson(page);
    const written = JSON.parse(await jsonField(page).inputValue());
    expect(written).toMatchObject({ sensitive: true });
    const { id } = await fixture.backend.notify('*', {
      ...written,
      payload: { alert: 'Your code is 123', badge: 1, order_id: 5 },
      localized: { fr: { alert: 'Votre code est 123' } },
    });
    await page.goto(fixture.addressOf(`compose?step=what&copy=${id}`));
    await page.getByText('was replaced').waitFor();
    await showJson(page);
    expect(JSON.parse(await jsonField(page).inputValue())).toEqual({
      to: '*',
      payload: { badge: 1 },
      localized: { fr: {} },
      sensitive: true,
    });
  });

  test.each([
    ['device', 'device_id'],
    ['user', 'user_id'],
    ['audience', 'audience'],
  ])('a draft can begin with the parameter %s', async (parameter, key) => {
    const { page } = await open(`compose?${parameter}=abc%20%3Cb%3E`);
    await showJson(page);
    expect(JSON.parse(await jsonField(page).inputValue())).toEqual({ to: { [key]: 'abc <b>' }, payload: {} });
  });

  test('a draft can begin with filters', async () => {
    const filters = [{ name: 'tags', criteria: ['vip'] }];
    const { page } = await open(`compose?filters=${encodeURIComponent(JSON.stringify(filters))}`);
    await page.getByText('Reachable now: 4 of 4').waitFor();
    await showJson(page);
    expect(JSON.parse(await jsonField(page).inputValue())).toEqual({ to: filters, payload: {} });
  });

  test('a copy of a notification that does not exist says so', async () => {
    const { page } = await fixture.openAs('sender', 'compose?copy=nothing');
    await page.getByRole('alert').waitFor();
  });

  test('a draft belongs to one app and one user', async () => {
    const { page } = await open();
    await titleField(page).fill('Mine');
    const kept = z.record(z.string(), z.string()).parse(await page.evaluate('({ ...sessionStorage })'));
    expect(Object.keys(kept)).toEqual([expect.stringContaining(fixture.app.id)]);
    const other = await open();
    expect(await titleField(other.page).inputValue()).toBe('');
  });
});
