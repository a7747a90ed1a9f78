/** The filters in the address of a page, for the tests of their builder and its map. */
import type { Page } from 'playwright-core';
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
