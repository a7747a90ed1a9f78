/** Sending at the local time of each device: written by the form, shown before it is sent, and followed while it is. */
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import {
  goToStep,
  jsonField,
  review,
  showForm,
  showJson,
  textField,
  toEveryone,
} from './compose/compose-page.ts';
import { testLooks } from './support/browser.ts';
import { describeConsole } from './support/console.ts';

const ZONES = ['Pacific/Kiritimati', 'Asia/Tokyo', 'Asia/Kolkata', 'Europe/Berlin', 'America/New_York', null];
const wavesOf = z.object({ waves: z.array(z.object({ state: z.string() })).default([]) });

describeConsole('waves', (fixture) => {
  beforeAll(async () => {
    await sql`
      update devices set time_zone = (${ZONES}::text[])[1 + numbered.n % 6]
      from (select id, row_number() over (order by id) as n from devices) as numbered
      where devices.id = numbered.id`.execute(fixture.db);
  });
  const waveStates = async (id: string): Promise<unknown[]> => {
    const { body } = await fixture.backend.call('GET', `/v6/notifications/${id}`);
    return wavesOf.parse(body).waves.map(({ state }) => state);
  };

  test.each(['light', 'dark'] as const)(
    'a local time is chosen, reviewed and scheduled (%s)',
    async (colorScheme) => {
      const day = dayAhead(3);
      const { page, expectClean, expectAccessible } = await fixture.openAs('sender', 'compose', {
        colorScheme,
      });
      await toEveryone(page);
      await textField(page).fill('Good morning');
      await goToStep(page, 'When');
      await page.getByLabel('At the local time of each device').check();
      await page.getByRole('textbox', { name: 'Local time' }).fill(`${day}T09:00`);
      const zone = page.getByLabel('For devices without a time zone');
      expect(await zone.inputValue()).toBe('Europe/Paris');
      // A zone that is in no list is shown as it is written.
      await showJson(page);
      const text = await jsonField(page).inputValue();
      await jsonField(page).fill(text.replace('Europe/Paris', 'GMT+3'));
      await showForm(page);
      expect(await zone.inputValue()).toBe('GMT+3');
      await page.getByText('Etc/GMT-3 for UTC+3').first().waitFor();
      await zone.selectOption('Leave them out');
      await page.getByText('Spread, quiet hours').click();
      await page.getByLabel('Spread it').selectOption('Within 30 minutes');
      await page.getByLabel('Quiet hours').selectOption('The notification’s own hours');
      await page.getByLabel('Quiet to').fill('07:00');
      await expectAccessible();
      await review(page);
      await page.getByRole('heading', { name: 'When it is sent' }).waitFor();
      await page.getByRole('table', { name: 'Waves' }).getByText('Asia/Tokyo').waitFor();
      await page.getByText('not sent: no time zone').waitFor();
      await expectAccessible();
      await expectClean();
      await page.getByRole('button', { name: 'Schedule for 40 devices' }).click();
      await page.getByRole('heading', { name: 'Good morning' }).waitFor();
      const [row] = await fixture.db.selectFrom('notifications').select(['moment', 'state']).execute();
      expect(row).toMatchObject({
        state: 'scheduled',
        moment: { local: { time: `${day}T09:00:00`, noTimeZone: null }, spreadMs: 1_800_000 },
      });
    },
  );

  test('a switch back to one moment leaves nothing of the local time', async () => {
    const { page } = await fixture.openAs('sender', 'compose');
    await goToStep(page, 'When');
    await page.getByLabel('At the local time of each device').check();
    await page.getByLabel('Later').check();
    await showJson(page);
    expect(await jsonField(page).inputValue()).toMatch(/^(?!.*deliver_at_local).*"deliver_at"/s);
  });

  testLooks('the page of a notification shows its waves', async (look) => {
    const time = `${new Date().toISOString().slice(0, 16)}:00`;
    const { id } = await fixture.backend.notify('*', {
      deliver_at_local: { time, no_time_zone: 'Etc/GMT+9' },
    });
    // The page reads the waves once, when it is opened.
    await expect.poll(async () => waveStates(id)).toEqual(expect.arrayContaining(['done', 'waiting']));
    const { page, expectClean, expectAccessible } = await fixture.openAs(
      'viewer',
      `notifications/${id}`,
      look,
    );
    const table = page.getByRole('table', { name: 'Waves' });
    await table.getByText('America/New_York').waitFor();
    expect(await table.getByText('Waiting').count()).toBeGreaterThanOrEqual(1);
    expect(await table.getByText('Done').count()).toBeGreaterThanOrEqual(1);
    await expectAccessible();
    await expectClean();
  });

  test('the page of a scheduled notification counts the waves that it would have', async () => {
    const { id } = await fixture.backend.notify('*', {
      deliver_at_local: { time: `${dayAhead(5)}T09:00:00`, no_time_zone: 'Etc/GMT+9' },
    });
    expect((await fixture.backend.readNotification(id)).state).toBe('scheduled');
    const { page } = await fixture.openAs('viewer', `notifications/${id}`);
    await page.getByRole('heading', { name: 'When it is sent' }).waitFor();
    await page.getByRole('table', { name: 'Waves' }).getByText('Asia/Tokyo').waitFor();
  });
});

/** `2026-12-24` */
function dayAhead(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
}
