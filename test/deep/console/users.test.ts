/** The screens of users and of the own account, and signing in through an OpenID provider. */
import { expect, test } from 'vitest';
import { PASSWORD } from '../../console/browser.ts';
import { testLooks } from './support/browser.ts';
import { describeConsole } from './support/console.ts';

describeConsole('users of the console', (console) => {
  testLooks('users are listed with their roles', async (look) => {
    const name = `Long name of somebody ${look.width} ${'w'.repeat(60)}@example.com`;
    await console.addUser(name, 'sender');
    const { page, expectAccessible } = await console.openAs('admin', 'settings/users', look);
    await page.getByRole('table', { name: 'Users of the app' }).getByText(name).waitFor();
    await page.getByText('(you)').waitFor();
    await expectAccessible();
    await page.getByRole('button', { name: `Manage ${name}` }).click();
    await page.getByText('In no browser.').waitFor();
    await expectAccessible();
  });

  test('users are invited by keyboard alone, follow the link, get another role and are removed', async () => {
    const { page, expectClean } = await console.openAs('admin', 'settings/users');
    await page.getByRole('button', { name: 'Add a user' }).press('Enter');
    await page.keyboard.type('Dora <b>bold</b>');
    await page.keyboard.press('Tab');
    await page.keyboard.type('Sender');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).press('Enter');
    const link = await page.locator('pre').getByText('/console/invite#').textContent();
    await expectClean();

    const dora = await console.visit();
    await dora.page.goto(link ?? '');
    await dora.page.getByLabel('Password').fill(PASSWORD);
    await dora.page.keyboard.press('Enter');
    await dora.page.getByLabel('User: Dora <b>bold</b>').waitFor();

    await page.reload();
    await page.getByRole('button', { name: 'Manage Dora <b>bold</b>' }).click();
    await page.getByLabel('Role').selectOption('viewer');
    await page.getByRole('button', { name: 'Save the role' }).click();
    await page.getByRole('row', { name: /Dora .*Viewer/ }).waitFor();
    await page.getByRole('button', { name: 'Manage Dora <b>bold</b>' }).click();
    await page.getByRole('button', { name: 'Remove from this app' }).click();
    await page.getByRole('dialog', { name: 'Remove Dora' }).getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('button', { name: 'Manage Dora <b>bold</b>' }).waitFor({ state: 'detached' });
    expect((await dora.page.request.get(`${console.origin}/console/session`)).status()).toBe(401);
    await dora.page.goto(console.addressOf('settings/users'));
    await dora.page.getByLabel('Name').waitFor();
  });

  test('an admin sees why an invite was refused', async () => {
    await console.addUser('Emil');
    const { page, expectAccessible } = await console.openAs('admin', 'settings/users');
    await page.getByRole('button', { name: 'Add a user' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('emil');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('has a role in this app already').waitFor();
    await expectAccessible();
  });

  test('a viewer sees that they may not look at the other users', async () => {
    const { page, expectAccessible } = await console.openAs('viewer', 'settings/users');
    await page.getByText('Only admins of this app may see its users').waitFor();
    expect(await page.getByRole('button', { name: 'Add a user' }).count()).toBe(0);
    await expectAccessible();
  });

  testLooks('users see their own sessions', async (look) => {
    const { page, expectAccessible } = await console.openAs('viewer', 'x', look);
    await page.getByLabel(/^User: /).click();
    await page.getByRole('link', { name: 'My account' }).click();
    await page.getByText('This one').waitFor();
    expect(page.url()).toBe(`${console.origin}/console/account`);
    await expectAccessible();
  });

  test('users end one of their sessions, change the password, and sign out everywhere', async () => {
    await console.addUser('Fritz');
    const signIn = async (password: string) => {
      const watched = await console.visit();
      await watched.page.goto(`${console.origin}/console/sign-in?next=account`);
      await watched.page.getByLabel('Name').fill('Fritz');
      await watched.page.getByLabel('Password').fill(password);
      await watched.page.keyboard.press('Enter');
      await watched.page.getByText('Where you are signed in').waitFor();
      return watched.page;
    };
    const first = await signIn(PASSWORD);
    const second = await signIn(PASSWORD);
    const third = await signIn(PASSWORD);
    const rows = second.getByRole('table', { name: 'Sessions' }).locator('tbody tr');
    await second.getByRole('button', { name: 'Sign out', exact: true }).first().click();
    await rows.nth(2).waitFor({ state: 'detached' });
    expect(await rows.count()).toBe(2);

    await second.getByLabel('Current password').fill('wrong');
    await second.getByLabel('New password').fill('a longer password');
    await second.keyboard.press('Enter');
    await second.getByText('is not your password').waitFor();
    await second.getByLabel('Current password').fill(PASSWORD);
    await second.keyboard.press('Enter');
    await second.getByText('The password is changed.').waitFor();
    for (const page of [first, third]) {
      const status = async () => (await page.request.get(`${console.origin}/console/session`)).status();
      await expect.poll(status).toBe(401);
    }
    await second.getByRole('button', { name: 'Sign out everywhere' }).click();
    await second.getByRole('heading', { name: 'Sign in to Carillon' }).waitFor();
    await signIn('a longer password');
  });

  test('users read in plain words that the provider does not answer', async () => {
    const { page, expectAccessible } = await console.visit();
    await page.goto(`${console.origin}/console/sign-in?problem=unreachable`);
    await page.getByRole('alert').getByText('does not answer').waitFor();
    await expectAccessible();
  });
});
