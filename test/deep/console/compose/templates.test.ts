/** Values of the device in texts: inserted, checked where they are written, and shown as one device gets them. */
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { describeConsole } from '../support/console.ts';
import {
  cell,
  faults,
  focusBy,
  iPhone,
  openDraft,
  review,
  reviewButton,
  textField,
  titleField,
  writtenOn,
} from './compose-page.ts';

const GREETING = {
  to: '*',
  payload: { alert: 'Hello {{ custom.first_name }}!' },
  localized: { fr: { alert: 'Bonjour {{ custom.first_name }} !' } },
  template: { on_missing: 'skip' },
};

/** Texts that would run or load something if they were taken for more than text. */
const HOSTILE = [
  '<img src=x onerror="globalThis.hacked=1">',
  '"><script>globalThis.hacked=1</script>',
  "'-globalThis.hacked=1-'",
  '{{constructor.constructor("globalThis.hacked=1")()}}',
  'javascript:globalThis.hacked=1',
  '../../evil?x=1#y',
  '\u202Eevil\u2066',
];

describeConsole('a template', (fixture) => {
  const open = async (notification: unknown = GREETING) => openDraft(fixture, notification);
  const deviceId = async (name: string | undefined): Promise<string> => {
    const id = fixture.devices[name === undefined ? 0 : 1]?.id ?? '';
    const custom = name === undefined ? {} : { first_name: { type: 'string', value: name } };
    await sql`update devices set locale = 'fr_FR', custom = ${JSON.stringify(custom)}::jsonb where id = ${id}`.execute(
      fixture.db,
    );
    return id;
  };

  test('a template is turned on and gets values at the caret, by keyboard alone', async () => {
    const { page, expectClean, expectAccessible } = await open({ to: '*', payload: { alert: 'Hello !' } });
    await focusBy(page, 'Put values of the device into the texts');
    await page.keyboard.press('Space');
    await textField(page).focus();
    await page.keyboard.press('Control+End');
    await page.keyboard.press('ArrowLeft');
    await focusBy(page, 'Name of the custom attribute');
    await page.keyboard.type('first_name');
    await page.keyboard.press('Tab');
    await page.keyboard.type('you');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await expect
      .poll(async () => textField(page).inputValue())
      .toBe('Hello {{ custom.first_name | default: "you" }}!');
    await expect.poll(async () => page.evaluate('document.activeElement.tagName')).toBe('TEXTAREA');
    await titleField(page).click();
    await page.getByLabel('Value', { exact: true }).selectOption('app version');
    await page.getByRole('button', { name: 'Insert into Title' }).click();
    await expect
      .poll(async () => titleField(page).inputValue())
      .toBe('{{ device.app_version | default: "you" }}');
    await page.getByLabel('If a value is missing').selectOption('Nothing is sent to the device');
    await iPhone(page).getByText('Hello you!').waitFor();
    await expectAccessible();
    await expectClean();
    expect(await writtenOn(page)).toMatchObject({ template: { on_missing: 'skip' } });
    await review(page);
    await page.getByText('A device that lacks one gets nothing').waitFor();
  });

  test('a template with a fault says so at its field', async () => {
    const { page, expectAccessible } = await open();
    await textField(page).fill('Hello {{ device.name }}');
    await page.locator('.fault').getByText('device has no attribute name').waitFor();
    expect(await textField(page).getAttribute('aria-invalid')).toBe('true');
    expect(await reviewButton(page).isDisabled()).toBe(true);
    await expectAccessible();
    await page.getByLabel('Put values of the device into the texts').uncheck();
    await faults(page).waitFor({ state: 'detached' });
    await iPhone(page).getByText('Hello {{ device.name }}').waitFor();
  });

  test('a template is shown as one device gets it, and why another one would get nothing', async () => {
    const { page, expectAccessible } = await open();
    await page.getByText('As one device gets it').click();
    const field = page.getByLabel('Id of the device');
    await field.fill('nobody');
    await page.locator('.fault').getByText('must be the id of a device').waitFor();
    await field.fill('00000000-0000-4000-8000-000000000000');
    await page.locator('.fault').getByText('There is no such device.').waitFor();
    await field.fill(await deviceId('Zoë'));
    await iPhone(page).getByText('Bonjour Zoë !').waitFor();
    await page.getByText('It gets French.').waitFor();
    await expectAccessible();
    await field.fill(await deviceId(undefined));
    await page.getByText('a template needs an attribute that it does not have').waitFor();
    expect(await iPhone(page).count()).toBe(0);
    await expectAccessible();
    await field.fill('');
    await iPhone(page).getByText('Hello !').waitFor();
  });

  test('a template shows the variant of a device where that is known', async () => {
    const compared = {
      to: '*',
      payload: { alert: 'A' },
      variants: [
        { name: 'a', weight: 1 },
        { name: 'b', weight: 1000, payload: { alert: 'Other' } },
      ],
    };
    const { page } = await open({ ...compared, experiment: 'x1' });
    await page.getByText('As one device gets it').click();
    await page.getByLabel('Id of the device').fill(await deviceId('Zoë'));
    await page.getByText('because the name of the experiment decides').waitFor();
    await page.getByLabel('Experiment').fill('');
    await page.getByText('decided only when the notification is created').waitFor();
    await cell(page, 'variant b').click();
    await page.getByText('Variant b is shown, as chosen in the form.').waitFor();
    await iPhone(page).getByText('Other').waitFor();
  });

  test.each([
    { texts: HOSTILE },
    { texts: ['__proto__'] }, // refused by itself, wherever it is
  ])('the page treats $texts as text, wherever they are written', async ({ texts }) => {
    const all = texts.join(' ');
    const titles = Object.fromEntries(texts.map((text) => [text, { title: text }]));
    const { page } = await open({
      to: '*',
      payload: { title: all, alert: all },
      localized: { ...titles, fr: { title: all, ...titles } },
      variants: texts.map((text) => ({
        name: text,
        weight: text,
        payload: { title: text },
        localized: { [text]: { alert: text } },
      })),
      hold_out: all,
      experiment: all,
      template: { on_missing: all },
      receipts: { sample: all },
    });
    await faults(page).waitFor();
    for (const button of await page.getByRole('grid', { name: 'Texts' }).getByRole('button').all()) {
      await button.click();
    }
    expect(await page.evaluate('globalThis.hacked')).toBeUndefined();
    expect(await page.locator('main :is(img, iframe, script)').count()).toBe(0);
  });
});
