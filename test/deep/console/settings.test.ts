/** The settings in a browser: keys shown once, credentials, webhooks and "send again". */
import { beforeAll, expect, test } from 'vitest';
import { openDrawer, PHONE } from './support/browser.ts';
import { describeConsole } from './support/console.ts';

const HOSTILE = '<b onmouseover=alert(1)>key</b> \u202Etxet';

describeConsole('the settings', (console) => {
  let webhookId: string;

  beforeAll(async () => {
    const { backend } = console;
    await backend.call('POST', '/v6/keys', { key: { name: HOSTILE, scopes: ['read'] } });
    const webhook = { url: 'https://example.com/a/very/long/path', events: ['notification.sent'] };
    webhookId = await backend.create('/v6/webhooks', { webhook });
    await backend.call('POST', `/v6/webhooks/${webhookId}/test`);
  });

  const phone = { colorScheme: 'dark', width: PHONE } as const;
  test.each([
    ['settings/general', 'also the package name on Android'],
    ['settings/credentials', 'Apple, production'],
    ['settings/keys', 'New key'],
    ['settings/webhooks', 'https://example.com/a/very/long/path'],
    ['settings/quiet-hours', 'This app has no quiet hours.'],
    ['settings/frequency-caps', 'No frequency cap yet'],
    ['settings/webhooks/ID', 'webhook.test'],
  ] as const)('%s is accessible and fits a phone of an admin: %s', async (screen, shows) => {
    const address = screen.replace('ID', webhookId);
    const { page, expectAccessible } = await console.openAs('admin', address, phone);
    await page.getByText(shows).first().waitFor();
    await expectAccessible();
  });

  test('the entry of the navigation leads to the first part of the settings', async () => {
    const { page } = await console.openAs('admin', 'settings');
    await page.waitForURL(console.addressOf('settings/general'));
    await page.getByRole('link', { name: 'Webhooks' }).click();
    await page.waitForURL(console.addressOf('settings/webhooks'));
  });

  test.each([
    { role: 'viewer', missing: ['Compose', 'Audit log', 'API keys', 'Webhooks', 'Users'] },
    { role: 'sender', missing: ['Audit log', 'API keys', 'Webhooks', 'Users'] },
    { role: 'admin', missing: [] },
  ] as const)(
    'a $role is offered the screens that the role can use, and no others',
    async ({ role, missing }) => {
      const { page } = await console.openAs(role, 'settings/credentials');
      await page.getByRole('link', { name: 'Quiet hours' }).waitFor();
      const names = await page.getByRole('navigation').getByRole('link').allTextContents();
      const all =
        'Overview, Notifications, Compose, Audiences, Devices, Audit log, Settings, General, Credentials';
      const tabs = ['API keys', 'Webhooks', 'Quiet hours', 'Frequency caps', 'User tokens', 'Users'];
      expect(names).toEqual(
        [...all.split(', '), ...tabs].filter((name) => !(missing as readonly string[]).includes(name)),
      );
    },
  );

  test('a key is made by keyboard, shown once, works, and is revoked', async () => {
    const { page } = await console.openAs('admin', 'settings/keys');
    await page.getByRole('button', { name: 'New key' }).press('Enter');
    await page.keyboard.type('back end');
    await page.getByLabel(/^read/).press('Space');
    await page.getByRole('button', { name: 'Create' }).press('Enter');
    const secret = (await page.getByLabel('Secret', { exact: true }).textContent()) ?? '';
    expect(secret).toMatch(/^carillon_/);
    const authorization = `Basic ${Buffer.from(`:${secret}`).toString('base64')}`;
    const ask = async () =>
      (await fetch(`${console.origin}/v6/audiences`, { headers: { authorization } })).status;
    expect(await ask()).toBe(200);
    await page.getByRole('button', { name: 'Done' }).click();
    expect(await page.getByText(secret).count()).toBe(0);
    const row = page.getByRole('row', { name: /back end/ });
    await row.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await row.getByText('Revoked').waitFor();
  });

  test('quiet hours are set, show what the API refuses, and are removed', async () => {
    const { page } = await console.openAs('admin', 'settings/quiet-hours');
    await page.getByLabel('From').fill('21:30');
    await page.getByLabel('Devices without a time zone').fill('GMT+3');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').getByText('no_time_zone').waitFor();
    await page.getByLabel('Devices without a time zone').fill('Europe/Berlin');
    await page.getByLabel('When they end, send').selectOption('PT15M');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('These quiet hours apply.').waitFor();
    const hours = {
      from: '21:30',
      to: '08:00',
      no_time_zone: 'Europe/Berlin',
      action: 'hold',
      release_over: 'PT15M',
    };
    const stored = async () => (await console.backend.call('GET', '/v6/app/quiet-hours')).body;
    expect(await stored()).toEqual({ quiet_hours: hours });
    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('This app has no quiet hours.').waitFor();
    expect(await stored()).toEqual({ quiet_hours: null });
  });

  test('a frequency cap is made, changed and removed, and shows what the API refuses', async () => {
    const { page } = await console.openAs('admin', 'settings/frequency-caps');
    await page.getByRole('button', { name: 'New cap' }).click();
    await page.getByLabel('Group').fill(HOSTILE);
    await page.getByRole('button', { name: 'And another limit' }).click();
    await page.getByLabel('At most').nth(1).fill('0');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').getByText('must be a whole number from 1 to 100').waitFor();
    await page.getByLabel('At most').nth(1).fill('3');
    await page.getByRole('button', { name: 'Save' }).click();
    const row = page.getByRole('row').filter({ hasText: '<b onmouseover' });
    await row.getByText('2 in 1 day and 3 in 7 days, per user').waitFor();
    await row.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('button', { name: 'Remove limit' }).first().click();
    await page.getByLabel('Counted per').selectOption('device');
    await page.getByRole('button', { name: 'Save' }).click();
    await row.getByText('3 in 7 days, per device').waitFor();
    expect((await console.backend.call('GET', '/v6/app/frequency-caps')).body).toEqual({
      frequency_caps: [{ group: HOSTILE, by: 'device', limits: [{ at_most: 3, per: 'P7D' }] }],
    });
    await row.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('No frequency cap yet').waitFor();
  });

  test('a key of user tokens is added, demanded and removed, and the screen fits a phone', async () => {
    const { page, expectAccessible } = await console.openAs('admin', 'settings/user-tokens', phone);
    await page.getByText('No key yet').waitFor();
    await expectAccessible();
    await page.getByRole('button', { name: 'Add key' }).click();
    await page.getByLabel('Id', { exact: true }).fill('2026-11');
    await page.getByLabel('Algorithm').selectOption('HS256');
    await page.getByLabel('Secret').fill('c2hvcnQ=');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('alert').getByText('must be a secret of at least 32 bytes').waitFor();
    await page.getByLabel('Secret').fill('MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('row').getByText('2026-11').waitFor();
    await page.getByLabel('Phones that name a user').selectOption('report');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The setting is saved.').waitFor();
    expect((await console.backend.call('GET', '/v6/app/identity')).body).toMatchObject({
      identity: { mode: 'report', keys: [{ key_id: '2026-11', algorithm: 'HS256' }] },
    });
    await expectAccessible();
    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('No key yet').waitFor();
  });

  test('credentials that a gateway refuses show its words, and their secret is not in the curl', async () => {
    const { page } = await console.openAs('admin', 'settings/credentials');
    const drawer = await openDrawer(page);
    await page.getByText('Paste its text instead').click();
    const text = page.getByLabel('Text of the file');
    await text.fill('{"type": "authorized_user", "project_id": "mine"}');
    await page.getByText('it has no private key').waitFor();
    await text.fill('-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----');
    await page.getByLabel('Key id').fill('ABCDEFGHIJ');
    await page.getByLabel('Team id').fill('KLMNOPQRST');
    await page.getByRole('button', { name: 'Store', exact: true }).click();
    await page.getByRole('alert').getByText('is not usable').waitFor();
    await drawer.getByText('the text of AuthKey_').waitFor();
    expect(await page.locator('pre').getByText('c2VjcmV0').count()).toBe(0);
  });

  test('an event for a webhook is sent again', async () => {
    const { page } = await console.openAs('admin', `settings/webhooks/${webhookId}`);
    await page.getByRole('button', { name: 'Send again' }).click();
    await page.getByText('The event is queued.').waitFor();
  });

  test('the list of webhooks and the page of one say that a receiver refuses, and what waits for it', async () => {
    const failing = { failing_since: new Date(Date.now() - 3_600_000), last_failure: 'status 503' };
    await console.db.updateTable('webhooks').set(failing).where('id', '=', webhookId).execute();
    const { page } = await console.openAs('admin', 'settings/webhooks');
    const row = page.getByRole('row', { name: /very.long.path/ });
    await row.getByText('Refusing').waitFor();
    await row.getByText(/^since 1 hour ago, answer 503; \d events? waiting$/).waitFor();
    await row.getByRole('link').click();
    await page.getByText('Refusing').waitFor();
    // It is due since it was made, and no worker of the test sends it.
    await page.getByText('Not sent yet, next any moment').waitFor();
  });

  test('the status bar says at once what a removed credential means', async () => {
    const { page } = await console.openAs('admin', 'settings/credentials');
    const status = page.getByRole('region', { name: 'Status' });
    const google = page.getByRole('listitem').filter({ hasText: 'Service account' });
    await google.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('dialog').getByRole('textbox').fill('fcm');
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await status.locator('strong').getByText('Google').waitFor();
  });

  test('a viewer sees the settings that it may, and can change nothing', async () => {
    const { page } = await console.openAs('viewer', 'settings/keys');
    await page.getByText('Only admins of this app').waitFor();
    await page.goto(console.addressOf('settings/credentials'));
    await page.getByText('Apple, production').waitFor();
    expect(await page.getByText('Drop the file here').count()).toBe(0);
    for (const remove of await page.getByRole('button', { name: 'Remove' }).all()) {
      expect(await remove.isDisabled()).toBe(true);
    }
    await page.goto(console.addressOf('settings/webhooks'));
    expect(await page.getByRole('button', { name: 'New webhook' }).isDisabled()).toBe(true);
  });
});
