/** Texts per language: written as a form and as JSON, shown on the phones, measured, and held against the recipients. */
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { testLooks } from '../support/browser.ts';
import { describeConsole } from '../support/console.ts';
import {
  addLanguage,
  boxOf,
  cell,
  goToStep,
  faults,
  iPhone,
  jsonField,
  meter,
  openDraft,
  review,
  reviewButton,
  showAllFaults,
  showJson,
  textField,
  titleField,
  writtenOn,
} from './compose-page.ts';

const SALE = {
  to: '*',
  payload: { title: 'Sale', alert: 'Everything must go.', badge: 3 },
  localized: { fr: { title: 'Soldes', alert: 'Tout doit partir.' }, fr_CA: { title: 'Solde' } },
};

const TAGS = 'ar bg cs da de el es fi fr fr-CA he hi hu it ja ko nl pt-BR zh-Hans zh-Hant-HK'.split(' ');
const LONG = 'Donaudampfschifffahrtsgesellschaftskapitän '.repeat(4);

describeConsole('languages', (fixture) => {
  beforeAll(async () => {
    await sql`
      update devices set locale = l.locale
      from (select id, row_number() over (order by id) as n from devices) as numbered
      join (values (1, 20, 'fr_FR'), (21, 32, 'de_AT'), (33, 36, 'zh_TW'), (37, 38, '<img src=x>')) as l (a, z, locale)
        on numbered.n between l.a and l.z
      where devices.id = numbered.id`.execute(fixture.db);
  });
  const received = (text: string): number =>
    fixture.simulator.received().filter((push) => JSON.stringify(push).includes(text)).length;
  const open = async (notification: unknown = SALE, look = {}) => openDraft(fixture, notification, look);

  test('languages are added, written and removed in the form, and are JSON', async () => {
    const { page, expectAccessible } = await open({
      to: '*',
      payload: { title: 'Sale', alert: 'All' },
    });
    await addLanguage(page, 'fr_ca');
    expect(await cell(page, 'Canadian French').getAttribute('aria-pressed')).toBe('true');
    // It begins at its title and without a red sign; the phone shows what these devices get until then.
    expect(await page.evaluate('document.activeElement.labels[0].textContent')).toBe('Title');
    await faults(page).getByText('Canadian French has no text yet.').waitFor();
    expect(await page.locator('.trays.outdated, [data-state=fault], [aria-invalid=true]').count()).toBe(0);
    await iPhone(page).getByText('All').waitFor();
    expect(await reviewButton(page).isDisabled()).toBe(true);
    await page.keyboard.type('Solde');
    expect(await titleField(page).getAttribute('lang')).toBe('fr-CA');
    expect(await textField(page).getAttribute('placeholder')).toBe('All');
    await faults(page).waitFor({ state: 'detached' });
    await expectAccessible();
    const localized = { 'fr-CA': { title: 'Solde' } };
    expect(await writtenOn(page)).toEqual({ to: '*', payload: { title: 'Sale', alert: 'All' }, localized });
    await page.getByRole('button', { name: 'Remove fr-CA' }).click();
    expect(await titleField(page).inputValue()).toBe('Sale');
    await page.getByText('Removed: Canadian French.').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await cell(page, 'Canadian French').click();
    expect(await titleField(page).inputValue()).toBe('Solde');
  });

  test('languages that are written wrong are refused in words', async () => {
    const { page, expectAccessible } = await open();
    await page.getByRole('button', { name: 'Add a language' }).click();
    for (const [text, fault] of [
      ['', 'Write the tag of a language'],
      ['english', '“english” is not a language tag'],
      ['fr FR', '“fr FR” is not a language tag'],
      ['<b>', '“<b>” is not a language tag'],
      ['FR', 'fr is there already.'],
    ] as const) {
      await page.getByLabel('Language tag').fill(text);
      await page.keyboard.press('Enter');
      await page.locator('.fault').getByText(fault).waitFor();
    }
    await expectAccessible();
    await page.keyboard.press('Escape');
    expect(await page.getByRole('gridcell').count()).toBe(3);
  });

  test('languages show what applies where a field is empty, and can leave a key out', async () => {
    const { page } = await open();
    await cell(page, 'Canadian French').click();
    expect(await textField(page).getAttribute('placeholder')).toBe('Tout doit partir.');
    await page.locator('.compose-message').getByText('as in French').first().waitFor();
    await page.getByRole('button', { name: 'Send no Text' }).click();
    expect(await textField(page).isDisabled()).toBe(true);
    expect(await writtenOn(page)).toMatchObject({ localized: { fr_CA: { title: 'Solde', alert: null } } });
    await page.getByRole('button', { name: 'Write Text again' }).click();
    expect(await writtenOn(page)).toEqual(SALE);
  });

  test('languages are the phones’ as the tab has them, and the size is that of the longest', async () => {
    const { page } = await open({
      ...SALE,
      localized: { ...SALE.localized, ar: { alert: 'ع'.repeat(200) } },
    });
    await iPhone(page).getByText('Everything must go.').waitFor();
    await cell(page, 'Canadian French').click();
    await iPhone(page).getByText('Solde', { exact: true }).waitFor();
    await iPhone(page).getByText('Tout doit partir.').waitFor();
    await page.getByText('Canadian French is shown, one of 4.').waitFor();
    await page.getByText('The longest is Arabic.').waitFor();
    expect(Number(await meter(page, 'Apple').getAttribute('aria-valuenow'))).toBeGreaterThan(400);
    await cell(page, 'Arabic').click();
    await expect.poll(async () => (await boxOf(page, '.tray-ios .tray-body')).direction).toBe('rtl');
    expect((await boxOf(page, '[data-key=alert] textarea')).direction).toBe('rtl');
    await textField(page).fill('ع'.repeat(3_000));
    await page.getByText('bytes too many').first().waitFor();
    await faults(page).getByText('over the limit of 4096').waitFor();
    expect(await reviewButton(page).isDisabled()).toBe(true);
  });

  test('languages with faults say so at their tab and at the field, and the list of faults leads there', async () => {
    const { page, expectAccessible } = await open({
      ...SALE,
      localized: { ...SALE.localized, de: { badge: -1 }, english: { title: 'x' } },
    });
    await cell(page, 'German').getByText('has faults').waitFor();
    await cell(page, 'english').getByText('has faults').waitFor();
    await goToStep(page, 'When');
    await (await showAllFaults(page)).getByRole('button', { name: 'Badge in German' }).click();
    expect(await cell(page, 'German').getAttribute('aria-pressed')).toBe('true');
    expect(await page.getByLabel('Badge', { exact: true }).getAttribute('aria-invalid')).toBe('true');
    expect(await page.evaluate('document.activeElement.labels[0].textContent')).toBe('Badge');
    await expectAccessible();
    await cell(page, 'english').click();
    await page.getByRole('button', { name: 'Remove english' }).click();
    expect(await cell(page, 'english').count()).toBe(0);
  });

  test('the languages of the recipients are counted during writing, and a missing one is added from there', async () => {
    const { page, expectAccessible } = await open();
    await page.getByText('Languages of the recipients').click();
    const table = page.getByRole('table', { name: 'Languages of the recipients' });
    await page.getByText('20 devices of 40 get the default').waitFor();
    await table.getByRole('row').filter({ hasText: 'fr_FR' }).getByText('fr', { exact: true }).waitFor();
    await table.getByText('<img src=x>').first().waitFor();
    await table.getByRole('button', { name: 'Add the language zh-Hant' }).waitFor();
    await table.getByRole('button', { name: 'Add the language de' }).click();
    await titleField(page).fill('Ausverkauf');
    await page.getByText('8 devices of 40 get the default').waitFor();
    await expectAccessible();
  });

  test('the count of languages waits for the recipients, and is repeated after a failure', async () => {
    const { page, takeFailedRequests, expectAccessible } = await open({
      payload: SALE.payload,
      localized: SALE.localized,
    });
    await page.getByText('Languages of the recipients').click();
    await page.getByText('Choose the recipients first.').waitFor();
    let fails = true;
    await page.route('**/v6/notifications/locales', async (route) =>
      fails ? route.abort() : route.continue(),
    );
    await goToStep(page, 'Whom');
    await page.getByLabel('Everyone').check();
    await goToStep(page, 'What');
    const failure = page.getByRole('alert').filter({ hasText: 'The server cannot be reached.' });
    await failure.waitFor();
    await expectAccessible();
    fails = false;
    await page.getByText('20 devices of 40 get the default').waitFor();
    takeFailedRequests();
  });

  test('languages are repeated on the last page with their numbers, and sent', async () => {
    const { page, expectClean, expectAccessible } = await open();
    await review(page);
    await page.getByText('The default and 2 translations: French and Canadian French').waitFor();
    await page.getByText('20 devices of 40 get the default').click();
    await page.getByRole('table', { name: 'Languages of the recipients' }).waitFor();
    expect(await page.getByRole('button', { name: /^Add the language/ }).count()).toBe(0);
    await page.getByLabel('Language', { exact: true }).selectOption('French (fr)');
    await iPhone(page).getByText('Soldes').waitFor();
    await expectAccessible();
    await expectClean();
    await page.getByRole('button', { name: 'Send to 40 devices' }).click();
    await page.waitForURL(/notifications\/[0-9a-f-]{36}$/);
    await page.getByText('The default, French and Canadian French').waitFor();
    await page.getByLabel('Language', { exact: true }).selectOption('Canadian French (fr-CA)');
    await iPhone(page).getByText('Solde', { exact: true }).waitFor();
    await expect.poll(() => received('Soldes'), { timeout: 15_000 }).toBe(20);
  });

  test('languages are reached and written by keyboard alone, and a reload stays at the language', async () => {
    const { page } = await open();
    await cell(page, 'the default').focus();
    await page.keyboard.press('ArrowUp');
    expect(await page.evaluate('document.activeElement.textContent.trim()')).toMatch(/^Canadian French/);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.keyboard.type('it');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await cell(page, 'Italian').getAttribute('aria-pressed')).toBe('true');
    expect(page.url()).toContain('language=it');
    await page.reload();
    expect(await cell(page, 'Italian').getAttribute('aria-pressed')).toBe('true');
    await showJson(page);
    expect(JSON.parse(await jsonField(page).inputValue())).toMatchObject({ localized: { it: {} } });
  });

  testLooks('twenty languages with long texts fit, and are accessible', async (look) => {
    const texts = { title: LONG, alert: LONG.repeat(3) };
    const localized = Object.fromEntries(
      TAGS.map((tag) => [
        tag,
        tag === 'ar' ? { title: 'تخفيضات', alert: 'كل شيء يجب أن يذهب. '.repeat(6) } : texts,
      ]),
    );
    const { page, expectClean, expectAccessible } = await open({ to: '*', payload: texts, localized }, look);
    await cell(page, 'Arabic').click();
    await iPhone(page).getByText('تخفيضات').waitFor();
    await expectAccessible();
    await expectClean();
    await review(page);
    await page.getByText('The default and 20 translations').waitFor();
    await expectAccessible();
    await expectClean();
  });
});
