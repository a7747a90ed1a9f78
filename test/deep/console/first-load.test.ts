/** What the first load of a screen costs, and that nothing of it comes from elsewhere. */
import { expect, test } from 'vitest';
import { describeConsole } from './support/console.ts';
import { addresses, outside } from './support/every-screen.ts';

const REQUESTS_MAX = 15;
const BYTES_MAX = 180_000;

/** One screen of each group that is loaded together. */
const screens = Object.keys(
  addresses({ notification: '', device: '', user: '', audience: '', webhook: '' }),
).filter((pattern) => !pattern.includes('/'));

describeConsole('the first load', (fixture) => {
  test.each([...screens, ...Object.keys(outside)])(
    `the first load of %s takes at most ${REQUESTS_MAX} requests and ${BYTES_MAX / 1_000} KB, all of this server`,
    async (screen) => {
      const { page } = await fixture.enterAs('admin');
      const network = await page.context().newCDPSession(page);
      await network.send('Network.enable');
      await network.send('Network.setCacheDisabled', { cacheDisabled: true });
      const requested: string[] = [];
      let bytes = 0;
      network.on('Network.requestWillBeSent', ({ request: { url } }) => {
        if (!url.startsWith('data:')) requested.push(url);
      });
      network.on('Network.loadingFinished', ({ encodedDataLength }) => {
        bytes += encodedDataLength;
      });
      const url = screen in outside ? `${fixture.origin}/console/${screen}` : fixture.addressOf(screen);
      await page.goto(url, { waitUntil: 'networkidle' });
      await page.locator('h1').waitFor();
      expect(requested.length, requested.join('\n')).toBeLessThanOrEqual(REQUESTS_MAX);
      expect(bytes).toBeLessThanOrEqual(BYTES_MAX);
      expect(bytes).toBeGreaterThan(10_000);
      await network.detach();
    },
  );

  test('a page shows its skeleton while its first script is loading', async () => {
    const { page } = await fixture.enterAs('viewer');
    const { promise: released, resolve: release } = Promise.withResolvers<undefined>();
    await page.route('**/assets/main-*', async (route) => {
      await released;
      await route.continue();
    });
    await page.goto(fixture.addressOf('devices'), { waitUntil: 'commit' });
    await page.locator('.skeleton').waitFor();
    const heights: unknown = await page.evaluate(
      `[...document.querySelectorAll('.skeleton > *')].map((each) => each.getBoundingClientRect().height > 0)`,
    );
    expect(heights).toEqual([true, true, true]);
    release(undefined);
    await page.getByRole('heading', { name: 'Devices' }).waitFor();
    expect(await page.locator('.skeleton').count()).toBe(0);
  });

  test('a screen whose program cannot be loaded says so, and the others go on', async () => {
    const { page, takeFailedRequests } = await fixture.openAs('admin', 'devices');
    await page.getByRole('heading', { name: 'Devices' }).waitFor();
    await page.route('**/assets/audit-*', async (route) => route.abort());
    await page.getByRole('link', { name: 'Audit log' }).click();
    await page.getByText(/could not be loaded/).waitFor();
    await page.getByRole('link', { name: 'Audiences' }).click();
    await page.getByRole('heading', { name: 'Audiences' }).waitFor();
    takeFailedRequests();
  });
});
