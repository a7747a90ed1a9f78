/** Phones show what the gateways get: cut where they cut, in the direction of the letters, and never as markup. */
import { expect, test } from 'vitest';
import { findSuspects } from '../../../../packages/console/src/kit/hidden-characters/find.ts';
import { openDrawer } from '../support/browser.ts';
import { describeConsole } from '../support/console.ts';
import {
  android,
  boxOf,
  faults,
  iPhone,
  jsonField,
  reviewButton,
  showAndroid,
  showForm,
  showJson,
  titleField,
} from './compose-page.ts';

const LONG = 'Two parcels left our warehouse this morning and are on their way to you. '.repeat(12);

/** Texts that would run or load something if they were taken for markup, style, or an address. */
const HOSTILE = [
  '<img src="https://evil.example/x.png" onerror="globalThis.hacked=1">',
  '<script>globalThis.hacked=1</script>',
  '"><svg onload=globalThis.hacked=1>',
  "'-globalThis.hacked=1-'",
  '${globalThis.hacked=1}',
  'javascript:globalThis.hacked=1',
  'data:text/html,<script>globalThis.hacked=1</script>',
  '</textarea><iframe src="https://evil.example/"></iframe>',
  '<a href="javascript:globalThis.hacked=1">x</a>',
  '{{constructor.constructor("globalThis.hacked=1")()}}',
  'url(https://evil.example/style)',
  '\u202Eevil\u2066 rtl',
  'a\u0001b\u0085c',
  '&lt;b&gt;&amp;&#x27;',
];

/** Hidden characters are shown by their codes. */
function asShown(text: string): string {
  return findSuspects(text)
    .map((part) => (typeof part === 'string' ? part : 'code' in part ? part.code : part.text))
    .join('');
}

describeConsole('the tray', (fixture) => {
  const show = async (payload: object, more: object = {}) => {
    const watched = await fixture.openAs('sender', 'compose?view=json&step=what');
    await jsonField(watched.page).fill(JSON.stringify({ to: '*', payload, ...more }));
    await watched.page.getByRole('group', { name: 'How the phones are shown' }).waitFor();
    return watched;
  };
  test('the tray cuts long texts after four lines on iOS and one on Android, and shows more of them expanded', async () => {
    const { page } = await show({ title: LONG, alert: LONG });
    const lines = async (selector: string): Promise<number> => {
      const { shown, line } = await boxOf(page, selector);
      return Math.round(shown / line);
    };
    expect(await lines('.tray-ios .tray-title')).toBe(1);
    expect(await lines('.tray-ios .tray-body')).toBe(4);
    expect((await boxOf(page, '.tray-ios .tray-body')).needed).toBeGreaterThan(100);
    await page.getByRole('button', { name: 'Expanded' }).click();
    const ios = await boxOf(page, '.tray-ios .tray-body');
    expect(ios.shown).toBe(ios.needed);
    await page.getByRole('button', { name: 'Expanded' }).click();
    await showAndroid(page);
    expect(await iPhone(page).count()).toBe(0);
    expect(await lines('.tray-android .tray-title')).toBe(1);
    expect(await lines('.tray-android .tray-body')).toBe(1);
    await page.getByRole('button', { name: 'Expanded' }).click();
    expect(await lines('.tray-android .tray-body')).toBe(13);
  });

  test('the tray draws a browser’s notification with its site and two buttons, and none for a push without a text', async () => {
    const actions = ['Track', 'Get help', 'Third'].map((title) => ({ action: title, title }));
    const { page, expectAccessible } = await show({
      title: 'Order 4711',
      alert: 'It is on its way.',
      url: 'https://shop.example.com/orders/4711',
      image: 'https://pictures.example.com/van.jpg',
      actions,
    });
    await page.getByRole('button', { name: 'Browser', exact: true }).click();
    const browser = page.getByRole('region', { name: 'In a browser' });
    for (const text of ['Order 4711', 'It is on its way.', 'shop.example.com', 'Track', 'Get help']) {
      await browser.getByText(text, { exact: true }).waitFor();
    }
    await browser.getByLabel('Picture from pictures.example.com').waitFor();
    expect(await browser.getByText('Third').count()).toBe(0);
    await expectAccessible();
    await jsonField(page).fill(JSON.stringify({ to: '*', payload: { content_available: true } }));
    await browser.waitFor({ state: 'detached' });
    await page.getByRole('region', { name: 'On iPhone' }).waitFor();
  });

  test('the tray writes right-to-left texts from right to left, and others next to them from left to right', async () => {
    const { page, expectAccessible } = await show({ title: 'הזמנה 4711', alert: 'On its way' });
    expect((await boxOf(page, '.tray-ios .tray-title')).direction).toBe('rtl');
    expect((await boxOf(page, '.tray-ios .tray-body')).direction).toBe('ltr');
    await showAndroid(page);
    expect((await boxOf(page, '.tray-android .tray-title')).direction).toBe('rtl');
    await expectAccessible();
  });

  test('the tray shows a frame for a picture, and asks no other server for it', async () => {
    const image = 'https://images.example.com/a.png';
    const { page, foreign, expectAccessible } = await show({
      alert: 'Hi',
      image,
      mutable_content: true,
    });
    await page.getByRole('button', { name: 'Expanded' }).click();
    await iPhone(page).getByRole('img', { name: 'Picture from images.example.com' }).waitFor();
    await showAndroid(page);
    await android(page).getByRole('img', { name: 'Picture from images.example.com' }).waitFor();
    expect(await page.locator('img, image, iframe, object, embed').count()).toBe(0);
    expect(foreign).toEqual([]);
    await expectAccessible();
  });

  test('the tray shows no picture on iOS without mutable_content, which a button mends', async () => {
    const { page } = await show({ alert: 'Hi', image: 'https://images.example.com/a.png' });
    await iPhone(page).getByText('Shows no picture').waitFor();
    expect(await iPhone(page).getByRole('img').count()).toBe(0);
    await showAndroid(page);
    expect(await android(page).getByRole('img').count()).toBe(1);
    await page.getByRole('button', { name: 'iPhone', exact: true }).click();
    await faults(page).getByText('No iPhone shows the picture until the app may load it.').waitFor();
    expect(await reviewButton(page).isEnabled()).toBe(true);
    await faults(page).getByRole('button', { name: 'Let the app load it' }).click();
    await iPhone(page).getByRole('img').waitFor();
    await faults(page).waitFor({ state: 'detached' });
  });

  test('the tray shows badge, level, buttons, replacement and what a Focus holds back', async () => {
    const active = { alert: 'Hi', badge: 12, category: 'ORDER', collapse_key: 'order' };
    const { page, expectAccessible } = await show(active);
    await iPhone(page).getByRole('img', { name: 'Badge 12' }).waitFor();
    await iPhone(page).getByText('replaces an earlier push').waitFor();
    await showAndroid(page);
    await android(page).getByText('replaces an earlier push').waitFor();
    await page.getByRole('button', { name: 'iPhone', exact: true }).click();
    await page.getByRole('button', { name: 'Focus is on' }).click();
    await iPhone(page).getByText('Held back until the Focus ends').waitFor();
    await jsonField(page).fill(
      JSON.stringify({ to: '*', payload: { ...active, interruption_level: 'time-sensitive', badge: 0 } }),
    );
    await iPhone(page).getByText('Time Sensitive', { exact: true }).waitFor();
    await iPhone(page).getByText('Removes the badge.').waitFor();
    expect(await iPhone(page).getByText('Held back').count()).toBe(0);
    await page.getByRole('button', { name: 'Expanded' }).click();
    await iPhone(page).getByText('Buttons of “ORDER”').waitFor();
    await expectAccessible();
  });

  test('the tray has a light and a dark look, whatever the page has', async () => {
    const { page, expectAccessible } = await show({ alert: 'Hi' });
    const scheme = async (): Promise<string> => (await boxOf(page, '.tray-screen')).scheme;
    expect(await scheme()).toBe('light');
    await page.getByRole('button', { name: 'Dark' }).click();
    expect(await scheme()).toBe('dark');
    await expectAccessible();
  });

  test('the tray shows nothing for a push that only wakes the app, and the last look of a faulty one', async () => {
    const { page } = await show({ content_available: true, x: 1 });
    await iPhone(page).getByText('Nothing is shown.').waitFor();
    await showAndroid(page);
    await android(page).getByText('the app gets the data').waitFor();
    await page.getByRole('button', { name: 'iPhone', exact: true }).click();
    await jsonField(page).fill('{"to":"*","payload":{"alert":"Seen"}}');
    await iPhone(page).getByText('Seen', { exact: true }).waitFor();
    await jsonField(page).fill('{"to":"*","payload":{"alert":"Unseen","badge":-1}}');
    await page.locator('.trays.outdated').waitFor();
    await iPhone(page).getByText('Seen', { exact: true }).waitFor();
  });

  test('the tray names who draws on Android, and how long the gateways keep the push', async () => {
    const { page } = await show({ alert: 'Hi' }, { android_presentation: 'system', time_to_live: 0 });
    await iPhone(page).getByText('Apple tries once').waitFor();
    await showAndroid(page);
    await android(page).getByText('Google tries once').waitFor();
    expect(await android(page).getByText('The app draws it').count()).toBe(0);
  });

  test('the tray treats hostile texts as text', async () => {
    const { page, expectClean } = await fixture.openAs('sender', 'compose?view=json&step=what');
    for (const text of HOSTILE) {
      const payload = {
        title: text,
        subtitle: text,
        alert: text,
        image: text,
        sound: text,
        category: text,
        _channel_id: text,
        collapse_key: text.slice(0, 20),
        mutable_content: true,
        [text]: text,
      };
      await jsonField(page).fill(JSON.stringify({ to: '*', payload }));
      await expect
        .poll(async () => iPhone(page).locator('.tray-body').textContent(), { message: text })
        .toBe(asShown(text));
      await page.getByRole('button', { name: 'Expanded' }).click();
      await openDrawer(page);
      await showForm(page);
      expect(await titleField(page).inputValue()).toBe(text);
      await reviewButton(page).click();
      await page.getByRole('button', { name: 'Send to 40 devices' }).waitFor();
      expect(await page.evaluate('globalThis.hacked'), text).toBeUndefined();
      await expectClean();
      await page.goBack();
      await showJson(page);
    }
  });
});
