import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { packOutcomes } from '../../../src/delivery/outcomes/packed.ts';
import { storeUniqueIds } from '../../../src/delivery/outcomes/unique-ids.ts';
import { testLooks, openDrawer } from './support/browser.ts';
import { describeConsole } from './support/console.ts';
import { insertNotification } from './support/sending.ts';

describeConsole('how far a notification got', (console) => {
  interface Counts {
    accepted: number;
    asked: number;
    received: number;
    shown: number;
  }

  /** A notification with the counts of its receipts, as the job leaves them. */
  async function insert(sample: number | undefined, { accepted, ...counts }: Counts): Promise<string> {
    const now = new Date();
    const values = { started_at: now, ended_at: now, devices: accepted, accepted };
    const options = sample === undefined ? {} : { receipts: { sample } };
    const id = await insertNotification(console, { title: 'Summer sale' }, values, options);
    if (counts.asked === 0) return id;
    await console.db
      .insertInto('receipt_counts')
      .values({ app_id: console.app.id, notification_id: id, ...counts, complete: true })
      .execute();
    return id;
  }

  testLooks('the funnel is shown with its sampling error, and is accessible', async (look) => {
    const id = await insert(0.1, { accepted: 230_000, asked: 23_000, received: 20_700, shown: 18_400 });
    const watched = await console.openAs('viewer', `notifications/${id}`, look);
    const { page, expectClean, expectAccessible } = watched;
    const steps = page.getByRole('region', { name: 'How far it got' });
    const received = steps.getByRole('row').filter({ hasText: 'Received' });
    await received.getByText('about 207,000').waitFor();
    await received.getByText('89.6% to 90.4%').waitFor();
    await steps.getByText(/Estimated from 23,000 devices, a sample of 10%/).waitFor();
    await expectAccessible();
    await expectClean();
  });

  test('a funnel that asks every device has no error; without receipts only opens are shown', async () => {
    const everyone = await insert(1, { accepted: 40, asked: 40, received: 30, shown: 20 });
    const { page } = await console.openAs('viewer', `notifications/${everyone}`);
    const steps = page.getByRole('region', { name: 'How far it got' });
    await steps.getByText('Every device is asked.').waitFor();
    const words = await steps.innerText();
    expect(words).not.toContain('about');
    expect(words).not.toContain(' to ');

    const silent = await insert(undefined, { accepted: 40, asked: 0, received: 0, shown: 0 });
    await page.goto(console.addressOf(`notifications/${silent}`));
    await page.getByRole('heading', { name: /of 40 reachable devices accepted$/ }).waitFor();
    await page.getByRole('heading', { name: 'As phones show it' }).waitFor();
    expect(await steps.count()).toBe(0);
  });

  test('the page of a development device has the id of the push at Apple', async () => {
    const id = await insert(undefined, { accepted: 1, asked: 0, received: 0, shown: 0 });
    const deviceId = randomUUID();
    const now = new Date();
    await console.db
      .insertInto('devices')
      .values({
        app_id: console.app.id,
        id: deviceId,
        platform: 'iOS',
        development: true,
        created_at: now,
        registered_at: now,
      })
      .execute();
    const accepted = { kind: 'accepted', reason: null, atMs: now.getTime() } as const;
    await console.db
      .updateTable('notifications')
      .set({ outcomes: packOutcomes(new Map([[deviceId, accepted]])) })
      .where('id', '=', id)
      .execute();
    const uniqueId = randomUUID();
    await storeUniqueIds(console.db, { appId: console.app.id, notificationId: id }, [{ deviceId, uniqueId }]);
    const { page } = await console.openAs('viewer', `devices/${deviceId}?why=${id}`);
    await openDrawer(page);
    await page.getByRole('button', { name: `Copy ${uniqueId}` }).waitFor();
  });
});
