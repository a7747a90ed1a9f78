/** The second factor of a user, in the pages of signing in, of one-time links, of the account and of the users. */
import { describe, test } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { createInvite } from '../../../src/console/accounts/invites.ts';
import { insertUser, PASSWORD } from '../../console/browser.ts';
import { executablePath, LOOKS, openPage } from './support/browser.ts';
import { useConsole } from './support/console.ts';
import { codeAt, insertSecondFactor } from './support/second-factor.ts';

describe.skipIf(executablePath === undefined)('the second factor', () => {
  const console = useConsole();
  const user = async (name: string) => {
    const id = await insertUser(console.db, systemClock, { name, roles: { [console.app.id]: 'viewer' } });
    return { id, ...(await insertSecondFactor(console.db, { id, name })) };
  };

  test.each(LOOKS)(
    'a user with a second factor signs in by keyboard alone, and is asked for a code ($colorScheme, $width px)',
    async (look) => {
      const name = `Gita ${look.colorScheme} ${look.width}`;
      const { secret } = await user(name);
      const { page, expectClean, expectAccessible } = await openPage(
        await console.signedOut(look),
        console.origin,
      );
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
      await page.getByLabel('Code').fill(codeAt(secret, new Date()));
      await page.keyboard.press('Enter');
      await page.getByText('This page does not exist').waitFor();
      await expectClean();
    },
  );

  test('a one-time link for a user with a second factor asks for a code, and a recovery code is one', async () => {
    const { id: userId, recoveryCodes } = await user('Hugo');
    const { secret: token } = await createInvite(console.db, { userId, setsPassword: true }, systemClock);
    const { page, expectClean } = await openPage(await console.signedOut(), console.origin);
    await page.goto(`${console.origin}/console/invite#${token}`);
    await page.getByLabel('Password').fill('a new pass phrase');
    await page.keyboard.press('Enter');
    await page.locator('input[autocomplete="one-time-code"]:focus').waitFor();
    await page.keyboard.type(recoveryCodes[0] ?? '');
    await page.keyboard.press('Enter');
    await page.getByLabel('User: Hugo').waitFor();
    await expectClean();
  });
});
