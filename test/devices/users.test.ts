import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { parseUserBody, updateUser } from '../../src/devices/users.ts';

import { later, noon, useDevices } from './devices-of-app.ts';

const { database, app, register, read } = useDevices();
const gold = { type: 'string', value: 'gold' };

async function newDevice(userId: string, custom: object): Promise<string> {
  return (await register({ user_id: userId, custom })).device.id;
}

function update(userId: string, custom: object): Promise<{ devices: number }> {
  return updateUser(database.db, app.id, userId, parseUserBody({ user: { custom } }), () => later);
}

async function customOf(id: string): Promise<unknown> {
  return (await read(id)).custom;
}

test('an update of a user merges into every device of that user, and into no other', async () => {
  const phone = await newDevice('ada', { plan: { type: 'string', value: 'free' }, old: gold });
  const tablet = await newDevice('ada', { size: { type: 'integer', value: 12 } });
  const other = await newDevice('bob', {});
  expect(await update('ada', { plan: gold, old: null })).toEqual({ devices: 2 });
  expect(await customOf(phone)).toEqual({ plan: gold });
  expect(await customOf(tablet)).toEqual({ plan: gold, size: { type: 'integer', value: 12 } });
  expect(await customOf(other)).toEqual({});
  expect((await read(phone)).registered_at).toBe(later.toISOString());
});

test('an update of a user changes no device if one of them would have more than 50 attributes', async () => {
  const fifty = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`a${index}`, gold]));
  const full = await newDevice('ada', fifty);
  const empty = await newDevice('ada', {});
  await expect(update('ada', { plan: gold })).rejects.toMatchObject({
    code: 'invalid_request',
    details: [{ path: 'user.custom' }],
  });
  expect(await customOf(full)).toEqual(fifty);
  expect(await customOf(empty)).toEqual({});
});

test('the attributes of each of twenty concurrent updates of a user are kept', async () => {
  const ids = [await newDevice('ada', {}), await newDevice('ada', {}), await newDevice('ada', {})];
  const names = Array.from({ length: 20 }, (_, index) => `name ${index}`);
  await Promise.all(names.map((name) => update('ada', { [name]: gold })));
  for (const id of ids) {
    expect(await customOf(id)).toEqual(Object.fromEntries(names.map((name) => [name, gold])));
  }
});

test('an update of a user refuses an id that more than 1,000 devices share', async () => {
  await sql`
    insert into devices (app_id, id, platform, created_at, registered_at, user_id)
    select ${app.id}::uuid, gen_random_uuid(), 'iOS', ${noon}, ${noon}, 'guest'
    from generate_series(1, 1001)`.execute(database.db);
  await expect(update('guest', { plan: gold })).rejects.toMatchObject({ code: 'invalid_request' });
});

test.each(['nobody', '', '\0', '\ud800', randomUUID()])(
  'an update of a user finds nobody named %j',
  async (userId) => {
    await expect(update(userId, { plan: gold })).rejects.toMatchObject({ code: 'not_found' });
  },
);

test.each([
  [{ user: { custom: { plan: { type: 'string', value: 1 } } } }, 'user.custom.plan.value'],
  [{ user: { custom: {}, name: 'Ada' } }, 'user.name'],
  [{ user: {} }, 'user.custom'],
  [{ user: { custom: null } }, 'user.custom'],
  [{}, 'user'],
])('an update of a user with the body %j is refused at %s', (body, path) => {
  expect(() => parseUserBody(body)).toThrow(
    expect.objectContaining({ details: [{ path, message: expect.any(String) }] }),
  );
});
