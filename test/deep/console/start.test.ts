/** The first run: from a new app to a push on a phone, in a browser. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { insertUser } from '../../console/browser.ts';
import { newAppleId } from '../../support/simulated-app.ts';
import { DESKTOP, PHONE } from './support/browser.ts';
import { describeConsole } from './support/console.ts';

interface Client {
  register(facts: object): Promise<string>;
}

/** Drops a file, as a mouse does. */
async function drop(page: Page, name: string, text: string): Promise<void> {
  const files = await page.evaluateHandle(
    `(() => { const data = new DataTransfer(); data.items.add(new File([${JSON.stringify(text)}], ${JSON.stringify(name)})); return data; })()`,
  );
  await page.getByText('Drop the file here').dispatchEvent('drop', { dataTransfer: files });
}

describeConsole(
  'the first run',
  (console) => {
    test('an admin adds an app, drops the key, copies the lines, sees the phone appear and sends it a push', async () => {
      const { page, expectClean, expectAccessible } = await console.openAs('admin', 'overview', {
        width: DESKTOP,
      });
      await page.getByText('This is a demo').last().waitFor();
      await page.getByLabel(/^App: /).click();
      await page.getByRole('link', { name: 'Add an app' }).click();
      await page.getByLabel('Name').fill('Shop');
      await page.getByLabel('Bundle id').fill('not a bundle id');
      await page.getByRole('button', { name: 'Add the app' }).click();
      await page.getByText('must be 1 to 255 letters').waitFor();
      await expectAccessible();
      const bundleId = `com.example.${randomUUID()}`;
      await page.getByLabel('Bundle id').fill(bundleId);
      await page.getByRole('button', { name: 'Add the app' }).click();

      const start = `${console.origin}/console/apps/${bundleId}/start`;
      await page.waitForURL(start);
      const store = page.getByRole('button', { name: 'Store', exact: true });
      await drop(page, 'google-services.json', '{"project_info": {}}');
      await page.getByText('This is google-services.json').waitFor();
      const key = console.simulator.apple.createKey({ teamId: newAppleId(), keyId: newAppleId(), bundleId });
      await drop(page, `AuthKey_${newAppleId()}.p8`, key.privateKeyPem);
      await page.getByLabel('Team id').fill(key.teamId);
      await store.click();
      await page.getByRole('alert').getByText('InvalidProviderToken').waitFor();
      await expectAccessible();
      await page.getByRole('button', { name: 'Another file' }).click();
      const file = { name: `AuthKey_${key.keyId}.p8`, mimeType: '', buffer: Buffer.from(key.privateKeyPem) };
      await page.locator('input[type=file]').setInputFiles(file);
      expect(await page.getByLabel('Key id').inputValue()).toBe(key.keyId);
      await page.getByLabel('Team id').fill(key.teamId);
      await store.click();

      await page.getByRole('button', { name: 'Make the key' }).click();
      await page.getByText('It is shown only now').waitFor();
      for (const [language, name] of [
        ['Swift', 'AppDelegate.swift'],
        ['Kotlin', 'Carillon.kt'],
        ['JavaScript', 'push.js'],
      ] as const) {
        await page.getByRole('button', { name: language, exact: true }).click();
        const lines = await page.getByRole('region', { name, exact: true }).textContent();
        expect(lines).toContain(console.origin);
        expect(lines).toMatch(/:?carillon_[\w-]{43}/);
        expect(lines).not.toMatch(/THE_REGISTER_KEY|push\.example\.com/);
      }
      await expectAccessible();
      const client = (await page.getByRole('region', { name: 'carillon.js' }).textContent()) ?? '';
      const use = (await page.getByRole('region', { name: 'push.js' }).textContent()) ?? '';
      await page.getByRole('button', { name: 'They are in my app' }).click();
      await page.getByText('Waiting for a phone').waitFor();
      await page.goto(start); // later, in another browser: the step is found again
      await page.getByText('Waiting for a phone').waitFor();

      const kept = new Map<string, string>();
      const module: { openCarillon(options: object): Client } = await import(
        `data:text/javascript,${encodeURIComponent(client)}`
      );
      const phone = module.openCarillon({
        url: /url: '([^']*)'/.exec(use)?.[1],
        key: /key: '([^']*)'/.exec(use)?.[1],
        storage: {
          get: async (name: string) => kept.get(name),
          set: async (name: string, text: string) => kept.set(name, text),
        },
      });
      const push_token = randomBytes(32).toString('hex');
      await phone.register({
        platform: 'iOS',
        push_token,
        marketing_name: 'iPhone 17',
        os_name: 'iOS',
        os_version: '26.1',
      });

      await page.getByText('Done: iPhone 17').waitFor();
      await page.getByRole('button', { name: 'Send a push' }).click();
      await page.getByText('Apple has it: look at your phone.').waitFor();
      expect(console.simulator.received({}).filter(({ token }) => token === push_token)).toHaveLength(1);
      await expectAccessible();
      await expectClean();
      await page.goto(start);
      await page.getByText('Apple has it: look at your phone.').waitFor();
    });

    test('the page of a phone leads a sender to the lines, and says who may add an app', async () => {
      const { page, expectClean, expectAccessible } = await console.openAs('sender', 'start', {
        colorScheme: 'dark',
        width: PHONE,
      });
      await page.getByRole('heading', { name: 'Send it a push' }).waitFor();
      await page.getByText('Put the lines into your app').click();
      await page.getByRole('region', { name: 'AppDelegate.swift' }).waitFor();
      await expectAccessible();
      await expectClean();
      await page.goto(`${console.origin}/console/start`);
      await page.getByText('Only an admin of one of the apps adds another.').waitFor();
    });

    test('a user without a role is led to the page that says whom to ask', async () => {
      const userId = await insertUser(console.db, systemClock, { name: `nobody ${randomUUID()}`, roles: {} });
      const { page, expectAccessible } = await console.openFor(userId, '');
      await page.goto(`${console.origin}/console`);
      await page.getByText('An admin can give you a role in an app.').waitFor();
      await expectAccessible();
    });
  },
  { isDemo: true },
);
