/** The entries by which pushes are found: written when a notification is stored, added for earlier ones, and removed again. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { fillRecipients } from '../../src/delivery/upkeep/fill-recipients.ts';
import { addEarlier, findMissing } from '../../src/delivery/upkeep/recipient-store.ts';
import { prune } from '../../src/delivery/upkeep/prune.ts';
import { eraseDevice } from '../../src/devices/erase.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { openPushApp, type PushApp } from '../results/pushes/push-app.ts';

const NOW = '2026-11-21T12:00:00.000Z';
const LATER = '2026-11-21T12:30:00.000Z';
const DAY_MS = 24 * 60 * 60_000;
const stop = new AbortController().signal;

let database: TestDatabase;
let app: PushApp;

beforeEach(async () => {
  database = await openTestDatabase();
  onTestFinished(async () => database.close());
  app = await openPushApp(database.db, NOW);
});

const after = (days: number) => (): Date => new Date(Date.parse(NOW) + days * DAY_MS);

/** @returns which of the recipients lead to the notification */
async function leadingTo(notificationId: string, recipients: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ recipient: string }>`
    select recipient from unnest(${recipients}::text[]) with ordinality as named (recipient, position)
    where exists (
      select from notifications_by_recipient as r
      where r.notification_id = ${notificationId}
        and r.recipient_day = recipient_day(recipient_number(${app.appId}::uuid, recipient), day_number(r.created_at))
    )
    order by position`.execute(database.db);
  return rows.map(({ recipient }) => recipient);
}

/** @returns the number of apps whose earlier entries are missing */
async function countMissing(): Promise<number> {
  const { rows } = await sql`select from recipients_missing`.execute(database.db);
  return rows.length;
}

async function countEntries(): Promise<number> {
  const { rows } = await sql<{ entries: number }>`
    select count(*) as entries from notifications_by_recipient`.execute(database.db);
  return rows[0]?.entries ?? 0;
}

const DEVICE = randomUUID();
const others = [randomUUID(), randomUUID()];
const filter = (name: string, criteria: readonly string[], rest: object = {}) => ({
  name,
  criteria,
  ...rest,
});

const targets: [to: unknown, recipients: readonly string[]][] = [
  ['*', ['many']],
  [{ device_id: DEVICE.toUpperCase() }, [`device ${DEVICE}`]],
  [{ device_id: 'no id' }, ['many']],
  [{ user_id: 'Ada "the first" \\ 1' }, ['user Ada "the first" \\ 1']],
  [[filter('device_id', others)], others.map((id) => `device ${id}`)],
  [
    [filter('user_email', ['ada@example.com']), filter('user_id', ['ada'])],
    ['user ada', 'email ada@example.com'],
  ],
  [[filter('user_id', ['ada']), filter('locale', ['fr_FR'])], ['user ada']],
  [[filter('user_id', ['ada'], { not_filter: true })], ['many']],
  [
    [
      filter(
        'user_id',
        Array.from({ length: 101 }, (_, n) => `user-${n}`),
      ),
    ],
    ['many'],
  ],
  [[filter('locale', ['fr_FR'])], ['many']],
];

test.each(
  targets.map(
    ([to, recipients]) => [recipients.join(', '), JSON.stringify(to).slice(0, 60), to, recipients] as const,
  ),
)('a notification is found by %s if it goes to %s', async (_names, _target, to, recipients) => {
  const id = await app.create(to);
  expect(await leadingTo(id, [...recipients, 'many', 'user user-1'])).toEqual(
    expect.arrayContaining([...recipients]),
  );
  expect(await countEntries()).toBe(recipients.length);
});

test('the entries of earlier notifications are the same as those of new ones, and are added newest first', async () => {
  const ids = new Map<string, readonly string[]>();
  for (const [to, recipients] of targets) ids.set(await app.create(to), recipients);
  await sql`delete from notifications_by_recipient`.execute(database.db);
  await sql`insert into recipients_missing (app_id, before) values (${app.appId}, ${LATER})`.execute(
    database.db,
  );

  await fillRecipients(database.db, app.clock, stop, { perStep: 3, pauseMs: 0 });
  expect(await countEntries()).toBe(0); // a process of the release before may still store some
  expect(await countMissing()).toBe(1);

  app.setTime(LATER);
  await fillRecipients(database.db, app.clock, stop, { perStep: 3, pauseMs: 0 });
  for (const [id, recipients] of ids) expect(await leadingTo(id, recipients)).toEqual(recipients);
  expect(await countEntries()).toBe(targets.reduce((sum, [, recipients]) => sum + recipients.length, 0));
  expect(await countMissing()).toBe(0);
});

test('a stopped fill continues where it was, and entries that exist stay', async () => {
  for (let minute = 0; minute < 5; minute++) {
    app.setTime(new Date(Date.parse(NOW) + minute * 60_000));
    await app.create('*');
  }
  app.setTime(LATER);
  await sql`delete from notifications_by_recipient where created_at < ${new Date(Date.parse(NOW) + 240_000)}`.execute(
    database.db,
  );
  await sql`insert into recipients_missing (app_id, before) values (${app.appId}, ${LATER})`.execute(
    database.db,
  );
  const missing = await findMissing(database.db, app.clock());
  if (missing === undefined) throw new Error('nothing is missing');
  await addEarlier(database.db, missing, 2);
  expect(await countEntries()).toBe(2);
  await fillRecipients(database.db, app.clock, stop, { perStep: 2, pauseMs: 0 });
  expect(await countEntries()).toBe(5);
});

test('pruning removes entries when no notification of their day can have outcomes any more', async () => {
  await app.create('*');
  const keepDays = 90;
  await prune({ db: database.db, clock: after(keepDays + 60), keepDays }, stop);
  expect(await countEntries()).toBe(1);
  await prune({ db: database.db, clock: after(keepDays + 63), keepDays }, stop);
  expect(await countEntries()).toBe(0);
});

test('erasing a device removes its entries, and those of its user and address with the last of their devices', async () => {
  const of = { user_id: 'ada', user_email: 'ada@example.com' };
  const [first, last] = [await app.addDevice(of), await app.addDevice(of)];
  await app.create({ device_id: first });
  await app.create({ device_id: last });
  await app.create({ user_id: 'ada' });
  await app.create([filter('user_email', ['ada@example.com'])]);
  await app.create({ user_id: 'ben' });
  await app.update(last, { user_id: 'eve' });
  await app.update(last, { user_id: 'ada' });

  await eraseDevice(database.db, app.appId, first, app.clock);
  expect(await countEntries()).toBe(4);
  await eraseDevice(database.db, app.appId, last, app.clock);
  expect(await countEntries()).toBe(1);
  const { rows } = await sql`select from device_earlier_recipients`.execute(database.db);
  expect(rows).toEqual([]);
});
