/** Quiet hours of an app: who may set them, what is recorded, and which notifications get them. */
import { expect, test } from 'vitest';
import { auditListReply } from '../../src/audit/list.ts';
import { useApi } from './api.ts';

const api = useApi();
const NIGHT = { from: '22:00', to: '08:00', no_time_zone: 'Europe/Berlin' };

async function momentOf(keys: object): Promise<unknown> {
  const id = await api.newNotification({ deliver_at: new Date(Date.now() + 3_600_000), ...keys });
  const row = await api.db
    .selectFrom('notifications')
    .select('moment')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return row.moment;
}

test('the next notification has the quiet hours, although the key was used before', async () => {
  expect(await momentOf({})).toBeNull();
  await api.call('PUT /v6/app/quiet-hours', { body: { quiet_hours: NIGHT } });
  expect(await momentOf({})).toMatchObject({ quiet: NIGHT });
  await api.call('PUT /v6/app/quiet-hours', { body: { quiet_hours: null } });
  expect(await momentOf({})).toBeNull();
});

test('an administrator sets quiet hours, which is recorded, and new notifications get them', async () => {
  const set = await api.call('PUT /v6/app/quiet-hours', { body: { quiet_hours: NIGHT } });
  expect(set).toMatchObject({ status: 200, body: { quiet_hours: NIGHT } });
  expect((await api.call('GET /v6/app/quiet-hours')).body).toEqual({ quiet_hours: NIGHT });
  const { body } = await api.call('GET /v6/audit?per=1');
  expect(auditListReply.parse(body).entries).toMatchObject([
    { action: 'app.quiet_hours_set', before: { quiet_hours: null }, after: { quiet_hours: NIGHT } },
  ]);
  expect(await momentOf({})).toMatchObject({ quiet: NIGHT });
  expect(await momentOf({ quiet_hours: 'ignore' })).toBeNull();
  const own = { ...NIGHT, from: '20:00', action: 'drop' };
  expect(await momentOf({ quiet_hours: own })).toMatchObject({ quiet: own });
});

test.each([
  ['no time', { from: '24:00' }, 'quiet_hours.from'],
  ['no length', { to: '22:00' }, 'quiet_hours.to'],
  ['no days', { days: [] }, 'quiet_hours.days'],
  ['a POSIX zone', { no_time_zone: 'GMT+3' }, 'quiet_hours.no_time_zone'],
  ['too long a release', { release_over: 'P2D' }, 'quiet_hours.release_over'],
  ['an unknown key', { until: '08:00' }, 'quiet_hours.until'],
])('quiet hours with %s are refused', async (_what, change, path) => {
  const reply = await api.call('PUT /v6/app/quiet-hours', { body: { quiet_hours: { ...NIGHT, ...change } } });
  expect(reply).toMatchObject({ status: 422, body: { details: [{ path }] } });
});
