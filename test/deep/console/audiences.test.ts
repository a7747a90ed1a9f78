import { randomUUID } from 'node:crypto';
import * as fc from 'fast-check';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { parseJson, stringifyJson } from '../../../src/json/lossless.ts';
import { readPage, tableAfter } from '../../docs/markdown.ts';
import { filterLists } from '../../targeting/arbitraries.ts';
import { byRun } from '../../support/runs.ts';
import { attributes } from '../../../packages/console/src/filter-builder/language.ts';
import { openDrawer } from './support/browser.ts';
import { describeConsole } from './support/console.ts';
import {
  addFilter,
  canonical,
  CIRCLE,
  filtersOf,
  lineOf,
  openLine,
  untilCounted,
  untilFilters,
  withFilters,
} from './support/filters.ts';

/** What the builder calls custom attributes and events, with the names of their filters. */
const NAMED = {
  'custom text': 'custom.string.a.b "c"',
  'custom whole number': 'custom.integer.a.b "c"',
  'custom number': 'custom.float.a.b "c"',
  'custom date': 'custom.date.a.b "c"',
  'custom true or false': 'custom.boolean.a.b "c"',
  event: 'events.Public Api.purchase',
};

/** The attributes of the language, as its document lists them. */
const documented = tableAfter(readPage('docs/filters.md'), '## Attributes').map(([cell = '']) =>
  cell.replaceAll('`', ''),
);

const prefixOf = (url: string): string => new URL(url).searchParams.get('prefix') ?? '';

describeConsole('the builder of audiences', (fixture) => {
  // Before any page asks, because the server keeps what it has read of the devices for a minute.
  beforeAll(async () => {
    const { db, app, devices } = fixture;
    const ids = devices.slice(30, 33).map(({ id }) => id);
    await db
      .updateTable('devices')
      .set({ tags: ['quartz'], locale: 'fr_CA' })
      .where('app_id', '=', app.id)
      .where('id', 'in', ids)
      .execute();
  });

  test('the builder offers every attribute of the language, and a filter of each is built by the keyboard and right', async () => {
    const { page } = await fixture.openAs('viewer', 'audiences/new');
    expect(attributes.map(({ name }) => name).toSorted()).toEqual(documented.toSorted());
    for (const { name, label, kind } of attributes) {
      await addFilter(page, label);
      if (kind === 'text') await page.keyboard.type('fr_FR\n');
      if (kind === 'place') await page.getByRole('button', { name: 'Circle', exact: true }).press('Enter');
      await untilFilters(page, (filters) => expect(JSON.stringify(filters)).toContain(`"name":"${name}"`));
    }
    for (const [label, name] of Object.entries(NAMED)) {
      const own = name.replace(/^(?:custom\.[a-z]+|events)\./, '');
      await addFilter(page, own, `${label} “${own}”`);
      if (label === 'custom text') await page.keyboard.type('gold\n');
    }
    await untilFilters(page, (filters) => {
      const names = z.array(z.looseObject({ name: z.string() })).parse(filters);
      const expected = [...attributes.map(({ name }) => name), ...Object.values(NAMED)];
      expect(names.map(({ name }) => name)).toEqual(expected);
      canonical(filters);
    });
    await untilCounted(page);
  });

  test('the builder adds a filter only when one is chosen, opens its line, and closes it again', async () => {
    const { page } = await fixture.openAs('viewer', 'audiences/new');
    const add = page.getByRole('button', { name: 'Add a filter' });
    await add.press('Enter');
    const field = page.getByRole('combobox', { name: 'Attribute' });
    expect(await field.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
    await field.press('Enter');
    await field.press('Enter');
    await field.press('Escape');
    await add.waitFor();
    expect(filtersOf(page)).toEqual([]);
    await add.press('Enter');
    await page.keyboard.type('mod');
    await page.getByRole('option', { name: 'model', selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.type('Pixel 10\n\n');
    await untilFilters(page, (filters) =>
      expect(filters).toEqual([{ name: 'marketing_name', criteria: ['Pixel 10'] }]),
    );
    const sentence = page.getByRole('button', { name: 'model is Pixel 10' });
    expect(await sentence.getAttribute('aria-expanded')).toBe('false');
    await sentence.click();
    await page.getByRole('checkbox', { name: 'Leave these devices out' }).check();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'model is not Pixel 10' }).waitFor();
    expect(await page.locator('.filter-editor').count()).toBe(0);
  });

  test('the builder suggests the names and values of the app, and works without an answer', async () => {
    const { page, takeFailedRequests, expectAccessible } = await fixture.openAs('viewer', 'audiences/new');
    await page.getByRole('button', { name: 'Add a filter' }).click();
    await page.keyboard.type('qua');
    await page.getByRole('option', { name: 'quartz tag · 3' }).click();
    await untilFilters(page, (filters) => expect(filters).toEqual([{ name: 'tags', criteria: ['quartz'] }]));
    await addFilter(page, 'locale');
    const value = page.getByRole('combobox', { name: 'One of' });
    await value.fill('FR_');
    await page.getByRole('option', { name: 'fr_CA Canadian French · 3' }).waitFor();
    await expectAccessible();
    await value.press('ArrowDown');
    await value.press('Enter');
    await untilFilters(page, (filters) =>
      expect(filters).toContainEqual({ name: 'locale', criteria: ['fr_CA'] }),
    );
    await page.route('**/v6/filters/**', async (route) => route.fulfill({ status: 500, body: '{}' }));
    await value.fill('de_DE');
    await value.press('Enter');
    await untilFilters(page, (filters) =>
      expect(filters).toContainEqual({ name: 'locale', criteria: ['fr_CA', 'de_DE'] }),
    );
    takeFailedRequests();
  });

  test('the builder aborts a request for suggestions once another text is typed', async () => {
    const { page } = await fixture.openAs('viewer', withFilters([{ name: 'country', criteria: [] }]));
    const asked: string[] = [];
    const failed: string[] = [];
    page.on('requestfailed', (request) => failed.push(prefixOf(request.url())));
    await page.route('**/v6/filters/values?*', (route) => {
      asked.push(prefixOf(route.request().url())); // and is never answered
    });
    const value = page.getByRole('combobox', { name: 'One of' });
    await value.fill('F');
    await expect.poll(() => asked).toContain('F');
    await value.fill('FR');
    await expect.poll(() => asked).toContain('FR');
    await expect.poll(() => failed).toContain('F');
    expect(failed).not.toContain('FR');
  });

  test.each([
    ['badge', 1],
    ['app_version', '1'],
    ['created_at', { gte: 'now-1d/d' }],
    ['custom.float.x', 1],
    ['custom.date.x', { gte: 'now-1d/d' }],
    ['events.x', { gte: 'now-1d/d' }],
  ])('the builder makes a right criterion of every comparison of %s', async (name, criterion) => {
    const { page } = await fixture.openAs('viewer', withFilters([{ name, criteria: [criterion] }]));
    await openLine(page);
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
  });

  test('the builder keeps every list of filters as it is, in its lines, its JSON and its address', async () => {
    const lists = fc.sample(filterLists, { numRuns: byRun({ change: 10, night: 50 }), seed: 7 });
    const { page } = await fixture.openAs('viewer', 'audiences/new');
    await openDrawer(page);
    for (const list of lists) {
      const filters = stringifyJson(list);
      await page.goto(fixture.addressOf(`audiences/new?filters=${encodeURIComponent(filters)}`));
      await expect.poll(() => page.locator('.filter').count()).toBe(list.length);
      const text = await page.getByRole('textbox', { name: 'Filters as JSON' }).inputValue();
      expect(canonical(parseJson(text))).toBe(canonical(parseJson(filters)));
      expect(canonical(filtersOf(page))).toBe(canonical(parseJson(filters)));
    }
  });

  test('the builder takes JSON, shows it as filters, and shows its faults where they are', async () => {
    const { page } = await fixture.openAs('viewer', 'audiences/new');
    await openDrawer(page);
    await page
      .getByRole('textbox', { name: 'Filters as JSON' })
      .fill(
        '[{"name": "badge", "criteria": [9223372036854775807]}, {"name": "os_version", "criteria": [{"gte": "1.x"}]}]',
      );
    const badge = await openLine(page, 1);
    expect(await badge.getByLabel('Value').inputValue()).toBe('9223372036854775807');
    await lineOf(page, 2)
      .getByText(/must be a version/)
      .waitFor();
    await page.getByText('A filter is not valid yet').waitFor();
    const version = await openLine(page, 2);
    await version.getByLabel('Value').fill('1.2');
    await untilCounted(page);
    expect(stringifyJson(filtersOf(page))).toContain('9223372036854775807');
  });

  test('the builder counts after a pause, and aborts the count of filters that have changed', async () => {
    const { page } = await fixture.openAs('viewer', withFilters([{ name: 'events.slow', criteria: [true] }]));
    // The counts of each filter come last: without them, nothing of the first filters can be aborted below.
    await lineOf(page, 1).getByText('0 alone').waitFor();
    const line = await openLine(page);
    const waiting = async (): Promise<number> => {
      const { rows } = await sql<{ counts: number }>`
        select count(*) as counts from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%device_events%'`.execute(
        fixture.db,
      );
      return rows[0]?.counts ?? 0;
    };
    const failed: string[] = [];
    page.on('requestfailed', (request) => {
      const { pathname } = new URL(request.url());
      if (pathname.startsWith('/v6/audiences'))
        failed.push(`${pathname} ${request.failure()?.errorText ?? ''}`);
    });
    await fixture.db.transaction().execute(async (transaction) => {
      await sql`lock table device_events in access exclusive mode`.execute(transaction);
      await line.getByLabel('Comparison 1').selectOption({ label: 'happened at least' });
      await expect.poll(waiting).toBe(1);
      await page.getByRole('button', { name: 'Remove filter 1' }).click();
      await addFilter(page, 'development');
      // The database has ended the old count, although the lock is still held.
      await expect.poll(waiting).toBe(0);
      await untilCounted(page);
    });
    expect(failed).toEqual(['/v6/audiences/count net::ERR_ABORTED']);
  });

  test('the builder shows the count of each filter, alone and together with those above it', async () => {
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
    await lineOf(page, 1).getByText('2 alone').waitFor();
    await lineOf(page, 2).getByText('39 alone').waitFor();
    await lineOf(page, 2).getByText('1 together').waitFor();
    expect(await page.locator('.audience-count .display').textContent()).toBe('1');
    await page.getByRole('button', { name: 'Show 10 devices' }).click();
    await page.getByRole('button', { name: `Why is device ${second?.id} in this audience?` }).click();
    await page.getByText('is in: every filter selects it').waitFor();
    expect(new URL(page.url()).searchParams.get('device')).toBe(second?.id);
  });

  test('eight filters of the builder fit on one screen, each on a line', async () => {
    const filters = [
      { name: 'os_name', criteria: ['iOS'] },
      { name: 'locale', criteria: ['fr_FR', 'ar_EG'] },
      { name: 'app_version', criteria: [{ gte: '2.0', lt: '3' }] },
      { name: 'created_at', criteria: [{ gte: 'now-7d/d' }] },
      { name: 'tags', criteria: ['beta'], not_filter: true },
      { name: 'custom.integer.visits', criteria: [{ gt: 40 }] },
      { name: 'events.Public Api.purchase', criteria: [{ gte: 'now-30d' }] },
      { name: 'location', criteria: [CIRCLE] },
    ];
    const { page } = await fixture.openAs('viewer', withFilters(filters));
    await lineOf(page, 8).getByText('together').waitFor();
    const box = await page.locator('.filter-lines').boundingBox();
    expect(box?.height).toBeLessThan(450);
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThan(page.viewportSize()?.height ?? 0);
  });
});
