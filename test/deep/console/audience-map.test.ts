import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { describeConsole } from './support/console.ts';
import { canonical, CIRCLE, filtersOf, openLine, untilFilters, withFilters } from './support/filters.ts';

const point = z.object({ latitude: z.number(), longitude: z.number() });
const circles = z.tuple([
  z.object({ criteria: z.array(z.object({ point, distance: z.number(), unit: z.string() })) }),
]);
const polygons = z.tuple([z.object({ criteria: z.array(z.object({ polygon: z.array(point) })) })]);

async function untilCircle(
  page: Page,
  check: (circle: z.infer<typeof circles>[0]['criteria'][number] | undefined, filters: unknown) => void,
): Promise<void> {
  await untilFilters(page, (filters) => check(circles.parse(filters)[0].criteria[0], filters));
}

async function untilPolygon(
  page: Page,
  check: (polygon: readonly z.infer<typeof point>[], filters: unknown) => void,
): Promise<void> {
  await untilFilters(page, (filters) =>
    check(polygons.parse(filters)[0].criteria[0]?.polygon ?? [], filters),
  );
}

async function dragBy(page: Page, handle: Locator, dx: number, dy: number): Promise<void> {
  await handle.scrollIntoViewIfNeeded();
  const box = await handle.boundingBox();
  if (box === null) throw new Error('the handle is not in the page');
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + dx / 2, y + dy / 2);
  await page.mouse.move(x + dx, y + dy);
  await page.mouse.up();
}

describeConsole('the map', (fixture) => {
  // Before any page asks, because the server keeps what it has read of the devices for a minute.
  beforeAll(async () => {
    const { db, app } = fixture;
    await db.updateTable('devices').set({ time_zone: 'Europe/Paris' }).where('app_id', '=', app.id).execute();
  });

  test('a circle is changed by dragging its centre and its radius, and by its numbers', async () => {
    const { page } = await fixture.openAs('viewer', withFilters([{ name: 'location', criteria: [CIRCLE] }]));
    await openLine(page);
    await page.locator('.place-land').first().waitFor();
    await page.locator('.place-names text').filter({ hasText: 'Paris' }).waitFor();
    await dragBy(page, page.getByRole('button', { name: /^Centre of circle 1/ }), 40, 0);
    await untilCircle(page, (circle) => {
      expect(circle?.point.longitude).toBeGreaterThan(2.6);
      expect(circle?.point.latitude).toBeCloseTo(48.8566, 1);
      expect(circle?.distance).toBe(100);
    });
    await dragBy(page, page.getByRole('button', { name: /^Radius of circle 1/ }), 60, 0);
    await untilCircle(page, (circle, filters) => {
      expect(circle?.distance).toBeGreaterThan(120);
      canonical(filters);
    });
    await page.getByRole('textbox', { name: 'Radius' }).fill('12.5');
    await page.getByRole('textbox', { name: 'Latitude' }).fill('-33.25');
    await page.getByLabel('Unit').selectOption('mi');
    await untilCircle(page, (circle) => {
      expect(circle).toMatchObject({ distance: 12.5, unit: 'mi', point: { latitude: -33.25 } });
    });
  });

  test('a circle is changed by the keyboard alone', async () => {
    const { page } = await fixture.openAs('viewer', withFilters([{ name: 'location', criteria: [CIRCLE] }]));
    await openLine(page);
    const centre = page.getByRole('button', { name: /^Centre of circle 1/ });
    await centre.focus();
    await page.keyboard.press('ArrowUp');
    await untilCircle(page, (circle) => {
      expect(circle?.point.latitude).toBeGreaterThan(48.86);
    });
    await page.getByRole('button', { name: /^Radius of circle 1/ }).focus();
    await page.keyboard.press('ArrowLeft');
    await untilCircle(page, (circle) => {
      expect(circle?.distance).toBeLessThan(99);
    });
  });

  test('a polygon is drawn by clicks, and its corners are moved, added and removed', async () => {
    const { page } = await fixture.openAs('viewer', withFilters([{ name: 'sdk_location', criteria: [] }]));
    await page.getByRole('button', { name: 'Polygon', exact: true }).click();
    const map = page.getByRole('group', { name: /^Map/ });
    const corners = [
      [100, 60],
      [300, 60],
      [300, 200],
      [100, 200],
    ] as const;
    for (const [x, y] of corners) await map.click({ position: { x, y } });
    await page.getByRole('button', { name: 'Finish the polygon' }).click();
    await untilPolygon(page, (polygon, filters) => {
      expect(polygon).toHaveLength(4);
      canonical(filters);
    });
    const before = polygons.parse(filtersOf(page))[0].criteria[0]?.polygon[0];
    await dragBy(page, page.getByRole('button', { name: /^Corner 1 of polygon 1/ }), 30, 20);
    await untilPolygon(page, ([corner]) => {
      expect(corner?.longitude).toBeGreaterThan(before?.longitude ?? 0);
      expect(corner?.latitude).toBeLessThan(before?.latitude ?? 0);
    });
    await dragBy(
      page,
      page.getByRole('button', { name: /^Add a corner after corner 1 of polygon 1/ }),
      0,
      -30,
    );
    await untilPolygon(page, (polygon) => expect(polygon).toHaveLength(5));
    await page.getByRole('button', { name: /^Corner 2 of polygon 1/ }).press('Delete');
    await untilPolygon(page, (polygon) => expect(polygon).toHaveLength(4));
  });

  test('a polygon is drawn by the keyboard alone', async () => {
    const { page } = await fixture.openAs('viewer', withFilters([{ name: 'location', criteria: [] }]));
    await page.getByRole('button', { name: 'Polygon', exact: true }).press('Enter');
    const map = page.getByRole('group', { name: /^Map/ });
    await map.press('+');
    await map.press('+');
    for (const key of ['ArrowRight', 'ArrowDown', 'ArrowLeft']) {
      await map.press('Enter');
      await map.press(key);
    }
    await page.getByRole('button', { name: 'Finish the polygon' }).press('Enter');
    await untilPolygon(page, (polygon, filters) => {
      expect(polygon).toHaveLength(3);
      canonical(filters);
    });
  });

  test('a place that is found by its name moves the map there, and a circle begins around it in a size that fits', async () => {
    const { page, expectAccessible } = await fixture.openAs(
      'viewer',
      withFilters([{ name: 'location', criteria: [] }]),
    );
    // It begins where the devices are.
    await nameOnMap(page, 'Paris').waitFor();
    const search = page.getByRole('combobox', { name: 'Find a town' });
    await search.fill('lyo');
    await page.getByRole('option', { name: 'Lyon Rhône-Alpes, France', selected: true }).waitFor();
    await expectAccessible();
    await search.press('Enter');
    await page.getByRole('button', { name: 'Circle around Lyon' }).press('Enter');
    await untilCircle(page, (circle, filters) => {
      expect(circle?.point.latitude).toBeCloseTo(45.77, 1);
      expect(circle?.point.longitude).toBeCloseTo(4.83, 1);
      expect([circle?.distance, circle?.unit]).toEqual([5, 'km']);
      canonical(filters);
    });
    await page.getByRole('button', { name: 'location is within 5 km of Lyon' }).waitFor();
  });

  test('the names on the map never overlap, and each zoom has some of them or says where it is', async () => {
    const { page } = await fixture.openAs('viewer', withFilters([{ name: 'location', criteria: [CIRCLE] }]));
    await openLine(page);
    const map = page.getByRole('group', { name: /^Map/ });
    const texts = page.locator('.place-names text');
    const seen = new Set<string>();
    for (const key of [...Array.from({ length: 10 }, () => '+'), ...Array.from({ length: 22 }, () => '-')]) {
      await map.press(key);
      await expect.poll(() => texts.count()).toBeGreaterThan(0);
      const boxes = await texts.evaluateAll((elements) =>
        elements.map((element) => ({
          name: element.textContent,
          box: element.getBoundingClientRect().toJSON(),
        })),
      );
      expect(overlapping(boxSchema.parse(boxes))).toEqual([]);
      for (const { name } of boxes) seen.add(name ?? '');
    }
    expect([...seen]).toEqual(expect.arrayContaining(['Paris', 'London', 'Versailles']));
    await page.getByRole('button', { name: 'location is within 100 km of Paris' }).waitFor();
  });
});

function nameOnMap(page: Page, name: string): Locator {
  return page.locator('.place-names text').getByText(name, { exact: true });
}

const boxSchema = z.array(
  z.object({
    name: z.string(),
    box: z.object({ left: z.number(), right: z.number(), top: z.number(), bottom: z.number() }),
  }),
);

/** @returns pairs of names whose boxes share more than a pixel */
function overlapping(labels: z.output<typeof boxSchema>): string[] {
  return labels.flatMap(({ name, box }, index) =>
    labels
      .slice(index + 1)
      .filter(
        ({ box: other }) =>
          box.left < other.right - 1 &&
          box.right > other.left + 1 &&
          box.top < other.bottom - 1 &&
          box.bottom > other.top + 1,
      )
      .map((other) => `${name} and ${other.name}`),
  );
}
