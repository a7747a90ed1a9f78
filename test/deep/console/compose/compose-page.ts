/** The fields and buttons of the screen that writes notifications. */
import type { Locator, Page } from 'playwright-core';
import { z } from 'zod';
import type { Look, WatchedPage } from '../support/browser.ts';
import type { ConsoleFixture } from '../support/console.ts';

/** The screen with a notification as its draft, in the form. */
export async function openDraft(
  console: ConsoleFixture,
  notification: unknown,
  look: Look = {},
): Promise<WatchedPage> {
  const watched = await console.openAs('sender', 'compose?view=json&step=what', look);
  await jsonField(watched.page).fill(JSON.stringify(notification));
  await showForm(watched.page);
  return watched;
}

export const titleField = (page: Page): Locator => page.getByLabel('Title', { exact: true });
export const textField = (page: Page): Locator => page.getByLabel('Text', { exact: true });
export const jsonField = (page: Page): Locator => page.getByLabel('The notification, as JSON');

export async function showJson(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'JSON', exact: true }).click();
}

export async function showForm(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Form', exact: true }).click();
}

export async function goToStep(page: Page, name: 'Whom' | 'What' | 'When'): Promise<void> {
  await page.getByRole('navigation', { name: 'Steps' }).getByRole('link', { name }).click();
}

/** Chooses everyone, and goes on to the texts. */
export async function toEveryone(page: Page): Promise<void> {
  await page.getByLabel('Everyone').check();
  await goToStep(page, 'What');
}

/** Opens the dialog in which the draft can be tried. */
export async function openTest(page: Page): Promise<Locator> {
  await page.getByRole('button', { name: 'Test', exact: true }).click();
  return page.getByRole('dialog', { name: 'Test' });
}

/** One phone is shown at a time. */
export async function showAndroid(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Android', exact: true }).click();
}

export const reviewButton = (page: Page): Locator =>
  page.getByRole('button', { name: 'Review', exact: true });

export async function review(page: Page): Promise<void> {
  await reviewButton(page).click();
  await page.getByRole('heading', { name: 'Send this?' }).waitFor();
}

export const iPhone = (page: Page): Locator => page.getByRole('region', { name: 'On iPhone' });
export const android = (page: Page): Locator => page.getByRole('region', { name: 'On Android' });
export const meter = (page: Page, gateway: 'Apple' | 'Google'): Locator =>
  page.getByRole('meter', { name: `Bytes for ${gateway}` });

const box = z.object({
  shown: z.number(),
  needed: z.number(),
  line: z.number(),
  direction: z.string(),
  scheme: z.string(),
});

/** @param selector of an element in a tray: `.tray-ios .tray-body`. Sizes are in CSS pixels */
export async function boxOf(page: Page, selector: string): Promise<z.output<typeof box>> {
  const measured = await page.evaluate(`((element) => ({
    shown: element.clientHeight,
    needed: element.scrollHeight,
    line: parseFloat(getComputedStyle(element).lineHeight),
    direction: getComputedStyle(element).direction,
    scheme: getComputedStyle(element).colorScheme,
  }))(document.querySelector('${selector}'))`);
  return box.parse(measured);
}

/** Presses Tab until the control with that name has the focus. */
export async function focusBy(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 60; presses++) {
    const focused: unknown = await page.evaluate(`(() => {
      const element = document.activeElement;
      return element?.ariaLabel ?? (element?.labels?.[0] ?? element)?.textContent?.trim();
    })()`);
    if (focused === name) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`the focus does not reach ${name}`);
}

export const faults = (page: Page): Locator => page.getByRole('status', { name: 'Faults' });

/** Unfolds those after the first. */
export async function showAllFaults(page: Page): Promise<Locator> {
  await faults(page)
    .getByRole('button', { name: /^and \d+ more$/ })
    .click();
  return faults(page);
}

/** A cell of the matrix, by the words of its section: 'the default', 'French', 'variant half', 'French of variant half'. */
export const cell = (page: Page, section: string): Locator =>
  page.getByRole('grid', { name: 'Texts' }).getByRole('button', { name: new RegExp(`^${section}: `) });

export async function addLanguage(page: Page, tag: string): Promise<void> {
  await page.getByRole('button', { name: 'Add a language' }).click();
  await page.getByLabel('Language tag').fill(tag);
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
}

/** The notification that is being written, read from its JSON view. The form is shown again afterwards. */
export async function writtenOn(page: Page): Promise<unknown> {
  await showJson(page);
  const text = await jsonField(page).inputValue();
  await showForm(page);
  return JSON.parse(text);
}
