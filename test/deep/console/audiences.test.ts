import { randomUUID } from 'node:crypto';
import * as fc from 'fast-check';
import { sql } from 'kysely';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { parseJson, stringifyJson } from '../../../src/json/lossless.ts';
import { readPage, tableAfter } from '../../docs/markdown.ts';
import { filterLists } from '../../targeting/arbitraries.ts';
import { byRun } from '../../support/runs.ts';
import { executablePath } from './support/browser.ts';
import { useConsole } from './support/console.ts';
import { canonical, filtersOf, untilFilters, withFilters } from './support/filters.ts';

const fixture = useConsole();
const CUSTOM_TYPES = ['string', 'integer', 'float', 'date', 'boolean'];

/** The attributes of the language, as its document lists them. */
const documented = tableAfter(readPage('docs/filters.md'), '## Attributes').map(([cell = '']) =>
  cell.replaceAll('`', ''),
);

const card = (page: Page, number: number): Locator => page.locator('.filter-card').nth(number - 1);

describe.skipIf(executablePath === undefined)('the builder of audiences', () => {
  test('the builder offers every attribute of the language, and a filter of each is built and right', async () => {
    const { page, expectClean } = await fixture.openAs('viewer', 'audiences/new');
    const wanted = [...documented, ...CUSTOM_TYPES.map((type) => `custom.${type}.`), 'events.'];
    for (const [index, name] of wanted.entries()) {
      await page.locator('.filter-add').click();
      const filter = card(page, index + 1);
      const attribute = filter.getByLabel('Attribute');
      if (index === 0) {
        const offered = await attribute
          .locator('option')
          .evaluateAll((options) => options.map((option) => String(Reflect.get(option, 'value'))));
        expect(offered.toSorted()).toEqual(wanted.toSorted());
      }
      await attribute.selectOption(name);
      if (name.startsWith('custom.')) await filter.getByLabel('Name').fill('a.b "c"');
      if (name === 'events.') await filter.getByLabel('Name of the event').fill('Public Api.purchase');
      const texts = filter.getByLabel('One of');
      if ((await texts.count()) > 0) {
        await texts.fill('fr_FR');
        await texts.press('Enter');
      }
      if (name.endsWith('location'))
        await filter.getByRole('button', { name: 'Circle', exact: true }).click();
    }
    const named = wanted.map((name) =>
      name.startsWith('custom.')
        ? `${name}a.b "c"`
        : name === 'events.'
          ? 'events.Public Api.purchase'
          : name,
    );
    await untilFilters(page, (filters) => {
      expect(
        z
          .array(z.looseObject({ name: z.string() }))
          .parse(filters)
          .map(({ name }) => name),
      ).toEqual(named);
      canonical(filters);
    });
    await page.getByText(/Counted in/).waitFor();
    await expectClean();
  });

  test.each(['badge', 'app_version', 'created_at', 'custom.float.x', 'custom.date.x', 'events.x'])(
    'the builder makes a right criterion of every comparison of %s',
    async (name) => {
      const { page } = await fixture.openAs(
        'viewer',
        withFilters(
          [{ name, criteria: [{ gte: 'now-1d/d' }] }].map((filter) =>
            name === 'badge' || name === 'custom.float.x'
              ? { name, criteria: [1] }
              : name === 'app_version'
                ? { name, criteria: ['1'] }
                : filter,
          ),
        ),
      );
      const comparison = page.getByLabel('Comparison 1');
      const labels = await comparison.locator('option').allTextContents();
      const seen = new Set<string>();
      for (const label of labels) {
        await comparison.selectOption({ label: label.trim() });
        await untilFilters(page, (filters) => {
          const text = canonical(filters);
          expect(seen.has(text), `${label} makes a criterion of its own`).toBe(false);
          seen.add(text);
        });
      }
      expect(seen.size).toBe(labels.length);
    },
  );

  test('the builder keeps every list of filters as it is, in its cards, its JSON and its address', async () => {
    const lists = fc.sample(filterLists, { numRuns: byRun({ change: 10, night: 50 }), seed: 7 });
    const { page, expectClean } = await fixture.openAs('viewer', 'audiences/new');
    for (const list of lists) {
      const filters = stringifyJson(list);
      const address = fixture.addressOf(`audiences/new?filters=${encodeURIComponent(filters)}`);
      await page.goto(address);
      await expect.poll(() => page.locator('.filter-card').count()).toBe(list.length);
      await page.getByRole('button', { name: 'JSON' }).click();
      const text = await page.getByLabel('Filters as JSON').inputValue();
      expect(canonical(parseJson(text))).toBe(canonical(parseJson(filters)));
      expect(canonical(filtersOf(page))).toBe(canonical(parseJson(filters)));
    }
    await expectClean();
  }, 180_000);

  test('the builder takes JSON, shows it as filters, and shows its faults where they are', async () => {
    const { page } = await fixture.openAs('viewer', `audiences/new?view=json`);
    await page
      .getByLabel('Filters as JSON')
      .fill(
        '[{"name": "badge", "criteria": [9223372036854775807]}, {"name": "os_version", "criteria": [{"gte": "1.x"}]}]',
      );
    await page.getByRole('button', { name: 'Form', exact: true }).click();
    expect(await card(page, 1).getByLabel('Value').inputValue()).toBe('9223372036854775807');
    await card(page, 2)
      .getByText(/must be a version/)
      .waitFor();
    await page.getByText('A filter is not valid yet').waitFor();
    await card(page, 2).getByLabel('Value').fill('1.2');
    await page.getByText(/Counted in/).waitFor();
    expect(stringifyJson(filtersOf(page))).toContain('9223372036854775807');
  });

  test('the builder counts after a pause, and aborts the count of filters that have changed', async () => {
    const { page } = await fixture.openAs('viewer', withFilters([{ name: 'events.slow', criteria: [true] }]));
    // The counts of each filter come last: without them, nothing of the first filters can be aborted below.
    await card(page, 1).getByText('0 alone').waitFor();
    const waiting = async (): Promise<number> => {
      const { rows } = await sql<{ counts: number }>`
        select count(*) as counts from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%device_events%'`.execute(
        fixture.db,
      );
      return rows[0]?.counts ?? 0;
    };
    const failed: string[] = [];
    page.on('requestfailed', (request) =>
      failed.push(`${new URL(request.url()).pathname} ${request.failure()?.errorText ?? ''}`),
    );
    await fixture.db.transaction().execute(async (transaction) => {
      await sql`lock table device_events in access exclusive mode`.execute(transaction);
      await page.getByLabel('Name of the event').fill('slower');
      await expect.poll(waiting).toBe(1);
      await page.getByLabel('Attribute').selectOption('development');
      // The database has ended the old count, although the lock is still held.
      await expect.poll(waiting).toBe(0);
      await page.getByText(/Counted in/).waitFor();
    });
    expect(failed).toEqual(['/v6/audiences/count net::ERR_ABORTED']);
  });

  test('the builder shows the count of each filter, alone and after those before it', async () => {
    const tag = randomUUID();
    const { db, app, devices } = fixture;
    const [first, second] = devices;
    await db
      .updateTable('devices')
      .set({ tags: [tag] })
      .where('app_id', '=', app.id)
      .where('id', 'in', [first?.id ?? '', second?.id ?? ''])
      .execute();
    const { page } = await fixture.openAs(
      'viewer',
      withFilters([
        { name: 'tags', criteria: [tag] },
        { name: 'device_id', criteria: [first?.id], not_filter: true },
      ]),
    );
    await card(page, 1).getByText('2 alone').waitFor();
    await card(page, 2).getByText('39 alone').waitFor();
    await card(page, 2).getByText('1 left').waitFor();
    expect(await page.locator('.audience-number').textContent()).toBe('1');
    await page.getByRole('button', { name: 'Show 10 devices' }).click();
    await page.getByRole('link', { name: second?.id ?? '' }).waitFor();
    await page.getByRole('button', { name: `Why is device ${second?.id} in this audience?` }).click();
    await page.getByText('is in: every filter selects it').waitFor();
    expect(new URL(page.url()).searchParams.get('device')).toBe(second?.id);
  });
});
