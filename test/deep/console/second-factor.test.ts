/** The second factor of a user, in the pages of signing in, of one-time links, of the account and of the users. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { createInvite } from '../../../src/console/accounts/invites.ts';
import { codeAt, PASSWORD } from '../../console/browser.ts';
import { testLooks } from './support/browser.ts';
import { describeConsole } from './support/console.ts';
import { insertSecondFactor } from './support/second-factor.ts';

async function secretOn(page: Page): Promise<string> {
  const shown = await page.getByRole('region', { name: 'Secret' }).textContent();
  return (shown ?? '').replaceAll(' ', '');
}

describeConsole('the second factor', (console) => {
  const user = async (name: string) => {
    const id = await console.addUser(name);
    return { id, ...(await insertSecondFactor(console.db, { id, name })) };
  };

  testLooks(
    'a user with a second factor signs in by keyboard alone, and is asked for a code',
    async (look) => {
      const name = `Gita ${look.colorScheme} ${look.width}`;
      const { secret } = await user(name);
      const { page, expectAccessible } = await console.visit(look);
      await page.goto(console.addressOf('nowhere'));
      await page.locator('input:focus').waitFor();
      await page.keyboard.type(name);
      await page.keyboard.press('Tab');
      await page.keyboard.type(PASSWORD);
      await page.keyboard.press('Enter');
      await page.locator('input[autocomplete="one-time-code"]:focus').waitFor();
      await expectAccessible();
      await page.keyboard.type('abcd-ef01');
      await page.keyboard.press('Enter');
      await page.getByText('is wrong, too old, or was used before').waitFor();
      await expectAccessible();
      await page.getByRole('textbox', { name: 'Code' }).fill(codeAt(secret, new Date()));
      await page.keyboard.press('Enter');
      await page.getByText('This page does not exist').waitFor();
    },
  );

  test('a one-time link for a user with a second factor asks for a code, and a recovery code is one', async () => {
    const { id: userId, recoveryCodes } = await user('Hugo');
    const { secret: token } = await createInvite(console.db, { userId, setsPassword: true }, systemClock);
    const { page } = await console.visit();
    await page.goto(`${console.origin}/console/invite#${token}`);
    await page.getByLabel('Password').fill('a new pass phrase');
    await page.keyboard.press('Enter');
    await page.locator('input[autocomplete="one-time-code"]:focus').waitFor();
    await page.keyboard.type(recoveryCodes[0] ?? '');
    await page.keyboard.press('Enter');
    await page.getByLabel('User: Hugo').waitFor();
  });

  testLooks('a user turns the second factor on, keeps the recovery codes, and turns it off', async (look) => {
    const { page, expectClean, expectAccessible } = await console.openAs('viewer', 'x', look);
    await page.goto(`${console.origin}/console/account`);
    await page.getByText('It is off.').waitFor();
    const setUp = page.getByRole('form', { name: 'Set up a second factor' });
    await setUp.getByLabel('Your password').fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByText('is not your password').waitFor();
    await setUp.getByLabel('Your password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    const secret = await secretOn(page);
    await page.locator('.account-qr path[d^="M"]').waitFor();
    await expectAccessible();
    await page.getByRole('textbox', { name: 'Code' }).fill(codeAt(secret, new Date()));
    await page.keyboard.press('Enter');
    const codes = page.getByRole('region', { name: 'Recovery codes' });
    await codes.waitFor();
    const [recoveryCode = '', ...others] = ((await codes.textContent()) ?? '').trim().split('\n');
    expect(others).toHaveLength(9);
    await expectAccessible();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download the codes' }).click();
    expect((await download).suggestedFilename()).toBe('carillon-recovery-codes.txt');
    await page.getByRole('button', { name: 'I have kept them' }).click();
    await page.getByText('10 recovery codes are left.').waitFor();
    expect(await codes.count(), 'they are shown once').toBe(0);
    await expectAccessible();
    await expectClean();

    await page.getByRole('button', { name: 'Turn it off' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Your password').fill(PASSWORD);
    await dialog.getByRole('textbox', { name: 'Code' }).fill(recoveryCode);
    await expectAccessible();
    await page.keyboard.press('Enter');
    await page.getByText('It is off.').waitFor();
  });

  test('an admin sees who has a second factor, and removes that of somebody who has lost the phone', async () => {
    await user('Ines');
    const { page, expectAccessible } = await console.openAs('admin', 'settings/users');
    await page.getByRole('row', { name: /^Ines .* On / }).waitFor();
    await page.getByRole('button', { name: 'Manage Ines' }).click();
    await page.getByRole('button', { name: 'Remove the second factor' }).click();
    await expectAccessible();
    await page
      .getByRole('dialog', { name: 'Remove the second factor of Ines?' })
      .getByText('lost phone')
      .waitFor();
    await page.getByRole('dialog').last().getByRole('button', { name: 'Remove the second factor' }).click();
    await page.getByRole('row', { name: /^Ines .* Off / }).waitFor();
  });
});

describeConsole(
  'a second factor that is required',
  (console) => {
    testLooks(
      'a user without the second factor that is required reads why, sets one up, and gets the page that was asked for',
      async (look) => {
        const { page, expectAccessible } = await console.openAs('viewer', 'nowhere?tab=2', look);
        await page.getByText('shows its apps only to users with a second factor').waitFor();
        const next = encodeURIComponent(`apps/${console.app.bundleId}/nowhere?tab=2`);
        expect(page.url()).toBe(`${console.origin}/console/account?next=${next}`);
        await expectAccessible();
        await page
          .getByRole('form', { name: 'Set up a second factor' })
          .getByLabel('Your password')
          .fill(PASSWORD);
        await page.keyboard.press('Enter');
        const secret = await secretOn(page);
        await page.getByRole('textbox', { name: 'Code' }).fill(codeAt(secret, new Date()));
        await page.keyboard.press('Enter');
        await page.getByRole('button', { name: 'I have kept them' }).click();
        await page.getByText('This page does not exist').waitFor();
        expect(page.url()).toBe(console.addressOf('nowhere?tab=2'));
      },
    );
  },
  { requiresSecondFactor: true },
);
