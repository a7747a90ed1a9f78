/**
 * Walks through the console twice like a new user: `npm run walks:console`. Starts `carillon demo` on a temporary
 * directory, waits a second before each click, types a key every 60 ms, and prints a table of the steps, with what the
 * page showed after each, and when. With `-- DIRECTORY` it keeps a picture of each step. It fails if a step does not
 * show what it should.
 */
import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { type DemoProcess, openChromium, printedBy, startDemo } from './demo-process.ts';

const PORT = '8093';
const ORIGIN = `http://127.0.0.1:${PORT}`;
const APP = 'com.example.demo';
const THINK_MS = 1_000;
const KEY_MS = 60;
const TIMEOUT_MS = 10_000;
/** The device of the user who asks, as the demo registers it. */
const USER = 34;

interface Walk {
  page: Page;
  /** Does something, and waits until the page shows its answer. */
  step: (what: string, act: () => Promise<unknown>, shows: Locator) => Promise<void>;
  click: (target: Locator) => Promise<void>;
  type: (text: string) => Promise<void>;
  end: () => Promise<void>;
}

async function main(): Promise<void> {
  const [directory] = process.argv.slice(2);
  const demo = await startDemo({ PORT, CONSOLE_URL: `${ORIGIN}/console` });
  const browser = await openChromium();
  try {
    await sendResetCode(demo);
    await whyNoResetCode(await begin(browser, 'reset-code', directory), await linkFor(demo, 'ann', 'viewer'));
    await composeToCancel(await begin(browser, 'compose', directory), await linkFor(demo, 'ben', 'sender'));
  } finally {
    await browser.close();
    await demo.stop();
  }
}

async function whyNoResetCode(walk: Walk, link: string): Promise<void> {
  const { page, step, click, type } = walk;
  await openAccount(walk, link);
  await step(
    '*Devices*, in the navigation',
    async () => click(page.getByRole('link', { name: 'Devices' })),
    page.getByLabel('Device id, user id'),
  );
  await step(
    `types \`user-${USER}\`, Enter`,
    async () => {
      await type(`user-${USER}`);
      await page.keyboard.press('Enter');
    },
    page.getByRole('row').filter({ hasText: 'Your reset code' }).getByText('unregistered', { exact: true }),
  );
  await step(
    '*Explain*, in the line of the code',
    async () => click(page.getByRole('link', { name: /^Explain: Your reset code/ })),
    page.getByText('Apple reported the push token dead'),
  );
  await walk.end();
}

async function composeToCancel(walk: Walk, link: string): Promise<void> {
  const { page, step, click, type } = walk;
  await openAccount(walk, link);
  const button = (name: string): Locator => page.getByRole('button', { name, exact: true });
  await step(
    '*Compose*',
    async () => click(page.getByRole('link', { name: 'Compose' }).first()),
    page.getByRole('heading', { name: 'Recipients' }),
  );
  await step(
    '*Filters*, *Add a filter*, `locale`, `fr_FR`, Enter',
    async () => {
      await click(page.getByLabel('Filters', { exact: true }));
      await click(button('Add a filter'));
      await page.waitForTimeout(THINK_MS);
      await page.getByLabel('Attribute').selectOption('locale');
      await click(page.getByLabel('One of'));
      await type('fr_FR');
      await page.keyboard.press('Enter');
    },
    page.getByText('143 devices now'),
  );
  await step(
    'writes title and text',
    async () => {
      await click(page.getByLabel('Title', { exact: true }));
      await type('Votre colis arrive demain');
      await click(page.getByLabel('Text', { exact: true }));
      await type('Entre 9 h et 12 h. Suivez-le sur la carte, ou choisissez un autre jour.');
    },
    page.getByRole('region', { name: 'On Android' }).getByText('Entre 9 h et 12 h'),
  );
  await step(
    '*Dry run*',
    async () => click(button('Dry run')),
    page.getByText('The dry run has found 143 devices'),
  );
  await step('*Send a test*', async () => click(button('Send a test …')), page.getByText('2 devices now'));
  await step(
    '*Send the test*',
    async () => click(button('Send the test')),
    page.getByText('The test has been sent to 2 devices.'),
  );
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 16);
  await step(
    'chooses the same hour tomorrow',
    async () => {
      await page.waitForTimeout(THINK_MS);
      await page.getByLabel('Send at').fill(tomorrow);
    },
    page.getByText(/in \d+ hours/),
  );
  await step(
    '*Review and send*',
    async () => click(button('Review and send …')),
    page.getByRole('heading', { name: 'Send this?' }),
  );
  await step(
    'types `143`, *Schedule for 143 devices*',
    async () => {
      await click(page.getByLabel('Type 143 to confirm'));
      await type('143');
      await click(button('Schedule for 143 devices'));
    },
    page.getByText('Not started yet'),
  );
  await step(
    '*Cancel the notification*',
    async () => click(button('Cancel the notification')),
    page.getByText('It will be sent to nobody'),
  );
  await step(
    '*Cancel the notification*, in the dialog',
    async () => click(page.getByRole('dialog').getByRole('button', { name: 'Cancel the notification' })),
    page.getByText('Canceled before it began'),
  );
  await walk.end();
}

/** Walks as a new user: the link, a password, the overview. */
async function openAccount({ page, step, click, type }: Walk, link: string): Promise<void> {
  await step('opens the link of the invitation', async () => page.goto(link), page.getByLabel('Password'));
  await step(
    'chooses a password, *Set the password and sign in*',
    async () => {
      await click(page.getByLabel('Password'));
      await type('correct horse battery');
      await click(page.getByRole('button', { name: 'Set the password and sign in' }));
    },
    page.getByRole('heading', { name: 'Overview' }),
  );
}

async function begin(browser: Browser, name: string, directory: string | undefined): Promise<Walk> {
  const context = await browser.newContext({
    viewport: { width: 1_280, height: 800 },
    timezoneId: 'Europe/Paris',
    locale: 'en-GB',
  });
  const page = await context.newPage();
  page.setDefaultTimeout(TIMEOUT_MS);
  if (directory !== undefined) await mkdir(directory, { recursive: true });
  const beganMs = performance.now();
  let clicks = 0;
  let steps = 0;
  process.stdout.write(
    `\n## ${name}\n\n| does | clicks | the page answers after | at |\n|---|---|---|---|\n`,
  );
  return {
    page,
    step: async (what, act, shows) => {
      await act();
      const actedMs = performance.now();
      await shows.first().waitFor();
      const nowMs = performance.now();
      const cells = [
        what,
        clicks,
        `${((nowMs - actedMs) / 1_000).toFixed(2)} s`,
        `${((nowMs - beganMs) / 1_000).toFixed(1)} s`,
      ];
      process.stdout.write(`| ${cells.join(' | ')} |\n`);
      steps += 1;
      if (directory === undefined) return;
      await page.waitForTimeout(THINK_MS / 2);
      await page.screenshot({ path: path.join(directory, `${name}-${steps}.png`) });
    },
    click: async (target) => {
      await page.waitForTimeout(THINK_MS);
      await target.click();
      clicks += 1;
    },
    type: async (text) => page.keyboard.type(text, { delay: KEY_MS }),
    end: async () => context.close(),
  };
}

/** Sends a code to a device whose token Apple reports as dead. */
async function sendResetCode(demo: DemoProcess): Promise<void> {
  const token = createHash('sha256').update(`demo device ${USER}`).digest('hex');
  const control = printedBy(demo, /\S+(?=\/counts$)/m);
  await post(`${control}/faults`, { kind: 'answer', token, times: 1, status: 410, reason: 'Unregistered' });
  const key = printedBy(demo, /(?<=curl -u :)\S+/);
  const notification = { to: { user_id: `user-${USER}` }, payload: { alert: 'Your reset code is 493 021' } };
  await post(`${ORIGIN}/v6/notifications`, { notification }, key);
}

async function post(url: string, body: unknown, key?: string): Promise<void> {
  const reply = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(key !== undefined && { authorization: `Basic ${Buffer.from(`:${key}`).toString('base64')}` }),
    },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (!reply.ok) throw new Error(`${url} answered ${await reply.text()}`);
}

/** Adds a user on the command line, as an operator would. @returns the link that it prints */
async function linkFor(demo: DemoProcess, name: string, role: string): Promise<string> {
  const printed = await demo.run('console', 'add-user', name, '--app', APP, '--role', role);
  const [link] = /\S+\/console\/invite#\S+/.exec(printed) ?? [];
  if (link === undefined) throw new Error(`no link is in:\n${printed}`);
  return link;
}

await main();
