/** The filters in the address of a page, for the tests of their builder and its map. */
import type { Locator, Page } from 'playwright-core';
import { expect, vi } from 'vitest';
import { canonicalFilters } from '../../../../src/filters/canonical.ts';
import { parseFilters } from '../../../../src/filters/filter-schema.ts';
import { parseJson, stringifyJson } from '../../../../src/json/lossless.ts';

export const CIRCLE = { point: { latitude: 48.8566, longitude: 2.3522 }, distance: 100, unit: 'km' };

/** The screen of the builder with these filters. */
export function withFilters(filters: unknown): string {
  return `audiences/new?filters=${encodeURIComponent(stringifyJson(filters))}`;
}

export function filtersOf(page: Page): unknown {
  return parseJson(new URL(page.url()).searchParams.get('filters') ?? '[]');
}

/** @returns the canonical form as JSON; fails if the language refuses the filters */
export function canonical(filters: unknown): string {
  const parsed = parseFilters(filters, 'filters');
  expect(parsed, stringifyJson(filters)).toMatchObject({ ok: true });
  return parsed.ok ? stringifyJson(canonicalFilters(parsed.filters)) : '';
}

/** Waits until the filters in the address pass the check. */
export async function untilFilters(page: Page, check: (filters: unknown) => void): Promise<void> {
  await vi.waitFor(() => check(filtersOf(page)), { timeout: 30_000 });
}

/** The line of a filter, from 1, with its editor while it is open. */
export function lineOf(page: Page, number: number): Locator {
  return page.locator('.filter').nth(number - 1);
}

/** Opens the line of a filter, from 1, by the keyboard. */
export async function openLine(page: Page, number = 1): Promise<Locator> {
  const line = lineOf(page, number);
  await line.locator('.filter-sentence').press('Enter');
  await line.locator('.filter-editor').waitFor();
  return line;
}

/** Adds a filter by what is typed: its first suggestion, or the one with this label. */
export async function addFilter(page: Page, typed: string, label?: string): Promise<void> {
  await page.locator('.filter-add > button').click();
  await page.keyboard.type(typed);
  if (label === undefined) await page.keyboard.press('Enter');
  else await page.getByRole('option', { name: label }).click();
}

/** Waits until the filters of the page are counted. */
export async function untilCounted(page: Page): Promise<void> {
  await page.locator('.audience-count[aria-busy=false] .display').waitFor();
}
