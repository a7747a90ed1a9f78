/** The pages of devices and users answer what support staff are asked, from the first row, however much other traffic there was since. */
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { buildServer } from '../../../src/http/server.ts';
import { observeNothing } from '../../../src/observe.ts';
import { openPushApp } from '../../results/pushes/push-app.ts';
import { type Asked, NOON, prepareSupportCases, supportCases } from '../../results/pushes/support-cases.ts';
import { openTestDatabase } from '../../support/database.ts';
import { testSecret } from '../../support/secret.ts';
import { type Look, testLooks, type WatchedPage } from './support/browser.ts';
import { describeInBrowser, usePages } from './support/console.ts';

/** The server's own test of these cases makes 10,000. */
const OTHERS = 300;

const labels: Readonly<Record<string, string>> = {
  nobody: 'Nobody to send to',
  unregistered: 'Unregistered',
  rejected: 'Rejected',
  dropped: 'Dropped',
  held: 'Held',
  capped: 'Capped',
  planned: 'Planned',
};

const firstRow = (page: Page): Locator => page.locator('.devices-pushes > li').first();

describeInBrowser('the pages of devices and users', () => {
  const pages = usePages(async (closing) => {
    const { db } = closing.keep(await openTestDatabase());
    const pushes = await openPushApp(db, NOON);
    const { clock, appId: id } = pushes;
    const { bundle_id: bundleId } = await db
      .selectFrom('apps')
      .select('bundle_id')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    const asked = await prepareSupportCases(pushes, db);
    await pushes.createOthers(OTHERS);
    const queue = { add: async () => undefined, ping: async () => undefined };
    const server = buildServer({ db, queue, clock, secret: testSecret, observe: observeNothing });
    return { db, pushes, clock, asked, server, app: { id, bundleId } };
  });
  const open = async (screen: string, look?: Look) => pages.openAs('viewer', screen, look);

  /** The one answer of a page, after at most two clicks. */
  async function answerOn(of: Asked): Promise<{ watched: WatchedPage; answer: Locator }> {
    if ('user' in of) {
      const watched = await open('devices');
      await watched.page.getByLabel(/^Device id, user id/).fill(of.user);
      await watched.page.getByRole('button', { name: 'Look up' }).click();
      return { watched, answer: firstRow(watched.page) };
    }
    const watched = await open(`devices/${of.device}`);
    if (!('notification' in of)) return { watched, answer: firstRow(watched.page) };
    await watched.page.getByLabel('Id of the notification').fill(of.notification);
    await watched.page.getByRole('button', { name: 'Ask', exact: true }).click();
    return { watched, answer: watched.page.locator('.devices-answer') };
  }

  test.each(supportCases)(`after ${OTHERS} other pushes, a page says that $name`, async (one) => {
    const of = pages.asked.get(one.name);
    if (of === undefined) throw new Error(`${one.name} was not prepared`);
    const { watched, answer } = await answerOn(of);
    await answer
      .getByText(one.sentence)
      .or(answer.filter({ hasText: one.sentence }))
      .first()
      .waitFor();
    if ('notification' in of) {
      await watched.page.locator(`.devices-answer[data-cause="${one.says}"]`).waitFor();
    } else {
      await answer.getByText(labels[one.says] ?? one.says, { exact: true }).waitFor();
      if (one.at !== undefined) await answer.locator(`time[datetime="${one.at}"]`).first().waitFor();
    }
    if ('device' in of && !('notification' in of)) {
      await answer.getByRole('link', { name: /^Why/ }).click();
      await watched.page.getByRole('heading', { name: 'What happened to this notification' }).waitFor();
      await watched.page.locator('.devices-answer').waitFor();
      await watched.page.locator('#why:focus').waitFor();
    }
  });

  test('a device lists what is to come first, the next one on top, and older pushes on demand', async () => {
    const device = await pages.pushes.addDevice({ user_id: 'reader of many' });
    const titles = Array.from({ length: 25 }, (_, index) => `Past ${index + 1}`);
    const late = { payload: { title: 'Late' }, deliver_at: '2026-11-23T12:00:00Z' };
    await pages.pushes.create(
      { device_id: device },
      { ...late, deliver_at: '2026-11-22T12:00:00Z', payload: { title: 'Soon' } },
    );
    await pages.pushes.create({ device_id: device }, late);
    for (const title of titles) {
      pages.pushes.setTime(new Date(pages.pushes.clock().getTime() + 1_000));
      await pages.pushes.send({ device_id: device }, { payload: { title, alert: 'Text' } });
    }
    await pages.pushes.create({ user_id: 'reader of many' }, late);
    const { page } = await open(`devices/${device}`);
    const shown = async (name: string) =>
      page.getByRole('list', { name, exact: true }).locator('.devices-text a').allTextContents();
    await page.getByRole('button', { name: 'Show older ones' }).click();
    await page.getByRole('link', { name: 'Past 1', exact: true }).waitFor();
    expect(await shown('To come')).toEqual(['Soon', 'Late', 'Late']);
    expect(await shown('Past')).toEqual(titles.toReversed());
  });

  test('the page of a user leads from each push to why a device did not get it', async () => {
    const phone = await pages.pushes.addDevice({ user_id: 'grace', marketing_name: 'Pixel 10' });
    await pages.pushes.addDevice({ user_id: 'grace', marketing_name: 'Tablet', push_token: null });
    await pages.pushes.send({ user_id: 'grace' }, { payload: { title: 'Your code' } });
    const { page } = await open(`devices/${phone}`);
    await page.getByRole('link', { name: 'grace', exact: true }).click();
    await page.getByRole('heading', { name: 'User grace' }).waitFor();
    expect(page.url()).toBe(pages.addressOf('devices/users/grace'));
    const row = page.getByRole('listitem').filter({ hasText: 'Your code' });
    await row.getByText('Accepted', { exact: true }).waitFor();
    await row.getByText('No token', { exact: true }).waitFor();
    await row.getByRole('link', { name: 'Why: Your code, Tablet' }).click();
    await page.locator('.devices-answer[data-cause="no_token"]').waitFor();
  });

  test('a push to an e-mail address is found by the address, which is in no address of a page', async () => {
    const email = 'nobody.yet@example.com';
    await pages.pushes.send([{ name: 'user_email', criteria: [email] }]);
    const { page } = await open('devices');
    const addresses: string[] = [];
    page.on('request', (request) => addresses.push(request.url()));
    page.on('framenavigated', (frame) => addresses.push(frame.url()));
    await page.getByLabel(/^Device id, user id/).fill(email);
    await page.getByRole('button', { name: 'Look up' }).click();
    await firstRow(page).getByText('no device is registered with this e-mail address').waitFor();
    expect(addresses.filter((address) => decodeURIComponent(address).includes(email))).toEqual([]);
  });

  test('a user whom nothing names is said to be unknown', async () => {
    const { page } = await open('devices/users/no%20one');
    await page.getByText('Nobody is known by this user id').waitFor();
  });

  testLooks('the page of a user is accessible', async (look) => {
    for (const screen of ['devices?q=ghost', 'devices/users/night%20owl', 'devices/users/ghost']) {
      const { page, expectAccessible } = await open(screen, look);
      await firstRow(page).waitFor();
      await expectAccessible();
    }
  });
});
