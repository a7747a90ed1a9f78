/** An A/B test: its variants, their texts, the hold-out, and what is sent of it. */
import { expect, test } from 'vitest';
import { testLooks, openDrawer } from '../support/browser.ts';
import { describeConsole } from '../support/console.ts';
import {
  addLanguage,
  cell,
  faults,
  focusBy,
  iPhone,
  openDraft,
  openTest,
  review,
  reviewButton,
  textField,
  titleField,
  writtenOn,
} from './compose-page.ts';

const TEST = {
  to: '*',
  payload: { title: 'Sale', alert: 'Everything must go.' },
  localized: { fr: { title: 'Soldes' } },
  variants: [
    { name: 'plain', weight: 1 },
    {
      name: 'half',
      weight: 3,
      payload: { title: 'Half price' },
      localized: { fr: { title: 'Moitié prix' } },
    },
  ],
  hold_out: 0.2,
  receipts: { sample: 0.5 },
};

describeConsole('an A/B test', (fixture) => {
  const open = async (notification: unknown = TEST, look = {}) => openDraft(fixture, notification, look);

  test('an A/B test is written by keyboard alone, and is JSON', async () => {
    const { page, expectClean, expectAccessible } = await open({
      to: '*',
      payload: { title: 'Sale', alert: 'Now' },
    });
    await focusBy(page, 'Compare variants');
    await page.keyboard.press('Enter');
    expect(await cell(page, 'variant B').getAttribute('aria-pressed')).toBe('true');
    await cell(page, 'variant B').getByText('has a warning').waitFor();
    await faults(page).getByText('Both variants are the same: write the second one.').waitFor();
    await faults(page).getByRole('button', { name: 'Send without a test' }).waitFor();
    await titleField(page).focus();
    await page.keyboard.type('Half price');
    const second = page.getByRole('group', { name: 'Variant 2' });
    await second.getByLabel('Name').fill('half-price');
    await second.getByLabel('Weight').fill('3');
    await second.getByText('75%').waitFor();
    await page.getByLabel('Hold-out, in percent').fill('7');
    await second.getByText('69.8%').waitFor();
    await page.getByLabel('Experiment').fill('summer');
    await faults(page).getByText('The A/B test can compare only opens').waitFor();
    await faults(page).getByRole('button', { name: 'Ask for receipts' }).click();
    await faults(page).waitFor({ state: 'detached' });
    expect(await page.getByLabel('Ask devices to report').isChecked()).toBe(true);
    await page.getByLabel('Of the devices, in percent').fill('12.5');
    await iPhone(page).getByText('Half price').waitFor();
    await page.getByText('variant half-price is shown, one of 2.').waitFor();
    await expectAccessible();
    await expectClean();
    expect(await writtenOn(page)).toEqual({
      to: '*',
      payload: { title: 'Sale', alert: 'Now' },
      variants: [
        { name: 'A', weight: 1 },
        { name: 'half-price', weight: 3, payload: { title: 'Half price' } },
      ],
      hold_out: 0.07,
      experiment: 'summer',
      receipts: { sample: 0.125 },
    });
    await expect.poll(async () => reviewButton(page).isEnabled()).toBe(true);
  });

  test('an A/B test has texts by variant and language, and says which translation is missing', async () => {
    const { page } = await open();
    await cell(page, 'French').click();
    await iPhone(page).getByText('Soldes').waitFor();
    await cell(page, 'French of variant half').click();
    await iPhone(page).getByText('Moitié prix').waitFor();
    expect(await textField(page).getAttribute('placeholder')).toBe('Everything must go.');
    await page.getByText('The longest is French, variant half.').waitFor();
    await titleField(page).fill('');
    await faults(page).getByRole('button', { name: 'Title in French of variant half' }).waitFor();
    expect(await titleField(page).getAttribute('aria-invalid')).toBe('true');
    await cell(page, 'French of variant half').getByText('has faults').waitFor();
    await cell(page, 'all variants').click();
    await faults(page).getByRole('button', { name: 'Title in French of variant half' }).click();
    await titleField(page).fill('À moitié prix');
    await faults(page).waitFor({ state: 'detached' });
    await addLanguage(page, 'de');
    await titleField(page).fill('Halb');
    expect(await writtenOn(page)).toMatchObject({
      localized: { fr: { title: 'Soldes' } },
      variants: [{}, { localized: { fr: { title: 'À moitié prix' }, de: { title: 'Halb' } } }],
    });
  });

  test('an A/B test has two to eight variants; a removed variant can be brought back, and so can the test', async () => {
    const { page, expectAccessible } = await open();
    const rows = page.getByRole('group', { name: /^Variant \d$/ });
    expect(await page.getByRole('button', { name: 'Remove plain' }).isDisabled()).toBe(true);
    const add = page.getByRole('button', { name: 'Add a variant' });
    while (await add.isEnabled()) await add.click();
    expect(await rows.count()).toBe(8);
    await page.getByRole('button', { name: 'Remove half' }).click();
    expect(await rows.count()).toBe(7);
    await page.getByText('Removed: half.').waitFor();
    await expectAccessible();
    await page.getByRole('button', { name: 'Undo' }).click();
    expect(await rows.count()).toBe(8);
    await page.getByRole('button', { name: 'Send without a test' }).click();
    expect(await writtenOn(page)).toEqual({
      to: '*',
      payload: TEST.payload,
      localized: TEST.localized,
      receipts: TEST.receipts,
    });
    await page.getByRole('button', { name: 'Undo' }).click();
    expect(await rows.count()).toBe(8);
  });

  test('an A/B test with faults in names, weights and shares says so at their fields', async () => {
    const { page } = await open({
      ...TEST,
      variants: [
        { name: 'a b', weight: 0 },
        { name: 'hold_out', weight: 2 },
      ],
      hold_out: 1,
      experiment: '!',
    });
    for (const label of ['Name', 'Weight', 'Hold-out, in percent', 'Experiment']) {
      const field = page.getByLabel(label, { exact: true }).first();
      await expect.poll(async () => field.getAttribute('aria-invalid'), { message: label }).toBe('true');
    }
    await page.getByRole('group', { name: 'Variant 2' }).getByText('names the hold-out').waitFor();
  });

  test('an A/B test that the form cannot show is changed as JSON', async () => {
    const { page } = await open({ ...TEST, variants: 'all' });
    await page.getByText('These variants can be changed only as JSON').waitFor();
    expect(await page.getByRole('columnheader', { name: 'All variants' }).count()).toBe(0);
  });

  test('an A/B test is tried with one variant, repeated in words on the last page, and sent', async () => {
    const { page, expectAccessible } = await open();
    await cell(page, 'variant half').click();
    const dialog = await openTest(page);
    expect(await dialog.getByLabel('Variant').inputValue()).toBe('1');
    await dialog.getByRole('button', { name: 'Send the test' }).click();
    await page.getByText('The test has ended: 8 of 8 devices accepted it.').waitFor();
    const tried = fixture.simulator.received().map((push) => JSON.stringify(push));
    expect(tried.filter((push) => push.includes('Half price'))).toHaveLength(8);
    await review(page);
    const facts = page.locator('.facts');
    await facts.getByText('plain 20%, about 8 devices').waitFor();
    await facts.getByText('half 60%, about 24 devices').waitFor();
    await facts.getByText('Nothing (hold-out) 20%, about 8 devices').waitFor();
    await facts.getByText('50% of the devices are asked').waitFor();
    await page.getByLabel('Variant', { exact: true }).selectOption('half');
    await iPhone(page).getByText('Half price').waitFor();
    await expectAccessible();
    const drawer = await openDrawer(page);
    await drawer.locator('pre').getByText('"hold_out": 0.2').last().waitFor();
    await page.keyboard.press('d');
    await page.getByText('Not among them: about 8 are held out.').waitFor();
    await page.getByRole('button', { name: 'Send to about 32 devices' }).click();
    await page.waitForURL(/notifications\/[0-9a-f-]{36}$/);
    await page.getByRole('table', { name: 'Variants' }).getByText('hold-out').waitFor();
  });

  testLooks('an A/B test of eight long variants fits, and is accessible', async (look) => {
    const variants = Array.from({ length: 8 }, (_, index) => ({
      name: `a-name-of-thirty-two-characters${index}`,
      weight: index + 1,
      payload: { title: `Title ${index} `.repeat(12) },
    }));
    const { page, expectClean, expectAccessible } = await open(
      { ...TEST, localized: undefined, variants },
      look,
    );
    await cell(page, 'variant a-name-of-thirty-two-characters7').click();
    await iPhone(page).getByText('Title 7').waitFor();
    await expectAccessible();
    await expectClean();
  });
});
