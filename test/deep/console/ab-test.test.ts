/** What an A/B test has shown: the page of the notification, its outcomes by variant, and the variant of one device. */
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { testLooks, PHONE } from './support/browser.ts';
import { describeConsole } from './support/console.ts';
import { insertNotification } from './support/sending.ts';

/** Devices by variant. */
interface Counts {
  accepted: number;
  dropped?: number;
  asked?: number;
  received?: number;
  opened?: number;
}

describeConsole('an A/B test that was sent', (fixture) => {
  /** A notification that ended, with the counts of its variants as they are stored. */
  async function insert(counts: Readonly<Record<string, Counts>>): Promise<string> {
    const { db, app } = fixture;
    const now = new Date();
    const names = Object.keys(counts).filter((name) => name !== 'hold_out');
    const variants = names.map((name) => ({ name, weight: 1 }));
    const receipts = Object.values(counts).some(({ asked }) => asked !== undefined) ? { receipts: {} } : {};
    const devices = Object.values(counts).reduce((sum, { accepted }) => sum + accepted, 0);
    const values = { started_at: now, ended_at: now, devices, accepted: devices };
    const options = { variants, hold_out: 0.1, ...receipts };
    const id = await insertNotification(fixture, { title: 'Sale' }, values, options);
    for (const [variant, { accepted, dropped = 0, asked = 0, received = 0, opened = 0 }] of Object.entries(
      counts,
    )) {
      await sql`
        insert into variant_counts (app_id, notification_id, variant, accepted, dropped, asked, received, opened)
        values (${app.id}, ${id}, ${variant}, ${accepted}, ${dropped}, ${asked}, ${received}, ${opened})`.execute(
        db,
      );
    }
    return id;
  }

  testLooks('the page of an A/B test shows numbers, intervals, sentences and the hold-out', async (look) => {
    const id = await insert({
      plain: { accepted: 103_500, asked: 10_350, received: 9_315, opened: 5_175 },
      half: { accepted: 103_200, asked: 10_320, received: 9_288, opened: 6_192 },
      hold_out: { accepted: 0, dropped: 22_990 },
    });
    const { page, expectClean, expectAccessible } = await fixture.openAs(
      'viewer',
      `notifications/${id}`,
      look,
    );
    const card = page.getByRole('region', { name: 'A/B test' });
    const half = card.getByRole('row').filter({ hasText: 'half' });
    await half.getByText('103,200 accepted').waitFor();
    await half.getByText('6.0%', { exact: true }).waitFor();
    await half.getByText('5.9% to 6.1%').waitFor();
    await card
      .getByText(/half was opened on 6\.0% of its devices, plain on 5\.0%\. That is unlikely to be chance/)
      .waitFor();
    await card.getByText(/half was received .* That may be chance/).waitFor();
    await card.getByText('Devices in the hold-out got no push').waitFor();
    const frame = page.locator('.notifications-variants');
    expect(await frame.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
    await expectAccessible();
    await expectClean();
  });

  test('a test of eight variants without receipts fits a phone; nothing is said before there are numbers', async () => {
    const names = Array.from({ length: 8 }, (_, index) => `a-name-of-thirty-two-characters${index}`);
    const counts = names.map((name, index) => [name, { accepted: 1_000, opened: index }] as const);
    const id = await insert(Object.fromEntries(counts));
    const { page, expectClean, expectAccessible } = await fixture.openAs('viewer', `notifications/${id}`, {
      width: PHONE,
      colorScheme: 'dark',
    });
    const card = page.getByRole('region', { name: 'A/B test' });
    await card.getByText('Without receipts, only opens are known.').waitFor();
    expect(await card.getByRole('row').count()).toBe(10);
    await expectAccessible();
    await expectClean();
    const empty = await insert({ a: { accepted: 0 }, b: { accepted: 0 } });
    await page.goto(fixture.addressOf(`notifications/${empty}`));
    await page.getByRole('heading', { name: 'As phones show it' }).waitFor();
    expect(await card.count()).toBe(0);
  });

  test('an A/B test is searched by variant, and the page of a device names its variant and why', async () => {
    const { id } = await fixture.backend.deliver('*', {
      variants: [
        { name: 'plain', weight: 1 },
        { name: 'half', weight: 1, payload: { alert: 'Half price' } },
      ],
      hold_out: 0.3,
    });
    const { page, expectAccessible } = await fixture.openAs('viewer', `notifications/${id}`);
    await page.getByRole('link', { name: /devices of half$/ }).click();
    const table = page.getByRole('table', { name: 'Devices' });
    await table.getByRole('row').nth(1).waitFor();
    expect(await page.getByRole('combobox', { name: 'Variant' }).inputValue()).toBe('half');
    const variants = async () => new Set(await table.locator('td[data-label=Variant]').allInnerTexts());
    expect(await variants()).toEqual(new Set(['half']));
    expect(await page.getByRole('button', { name: 'Export CSV' }).count()).toBe(1);
    await page.getByRole('combobox', { name: 'Variant' }).selectOption('Hold-out');
    await expect.poll(variants).toEqual(new Set(['Hold-out']));
    await expectAccessible();
    await page.getByRole('button', { name: 'Clear' }).click();
    await expect.poll(async () => (await variants()).size).toBe(3);
    await page.getByRole('combobox', { name: 'Variant' }).selectOption('half');
    await expect.poll(variants).toEqual(new Set(['half']));
    await table.getByRole('link').first().click();
    await page.getByText('variant half').waitFor();
    await page.getByRole('link', { name: /^Why/ }).first().click();
    await page.getByText('Its variant of the A/B test is half.').waitFor();
    await page.getByText(/The user of the device has the position 0\.\d+/).waitFor();
    await expectAccessible();
  });

  test('a notification that is no A/B test has no filter for variants', async () => {
    const { id } = await fixture.backend.deliver('*');
    const { page } = await fixture.openAs('viewer', `outcomes?notification=${id}`);
    await page.getByRole('table', { name: 'Devices' }).waitFor();
    await page.getByRole('heading', { name: '40 devices' }).waitFor();
    expect(await page.getByRole('combobox', { name: 'Variant' }).count()).toBe(0);
    expect(await page.getByRole('columnheader', { name: 'Variant' }).count()).toBe(0);
  });
});
