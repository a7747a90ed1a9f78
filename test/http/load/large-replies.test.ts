/** Pages of things that are as large as they may be end early, so that one reply is not a hundred megabytes. */
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { useApi } from '../api.ts';

const api = useApi();

const LARGE = 'x'.repeat(250);
/** Nearly a megabyte each: four fill two pages. */
const COUNT = 4;
const REPLY_CHARACTERS_MAX = 2_100_000;

const targetOf = (index: number) => [
  {
    name: 'tags',
    criteria: Array.from({ length: 1_000 }, (_, tag) => `${LARGE.repeat(3)}${index} ${tag}`),
  },
];

describe('large notifications', () => {
  const listed = z.object({
    notifications: z.array(z.object({ id: z.string(), notification: z.object({ to: z.unknown() }) })),
    meta: z.object({ cursor: z.string().nullable(), searched_until: z.string().nullable() }),
  });
  let ids: string[];
  beforeAll(async () => {
    ids = [];
    for (let index = 0; index < COUNT; index++) {
      const payload = { alert: `Zebra ${index}` };
      ids.unshift(await api.newNotification({ to: targetOf(index), payload, dry_run: true }));
    }
  });

  test.each(['', '&text=zebra', '&state=scheduled&text=ZEBRA', '&state=scheduled'])(
    'large notifications are on pages that are not larger than a few of them: per=100%s',
    async (query) => {
      const seen: string[] = [];
      const sizes: number[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const address: string = `GET /v6/notifications?per=100${query}${cursor === '' ? '' : `&cursor=${cursor}`}`;
        const { status, body } = await api.call(address);
        expect(status).toBe(200);
        expect(JSON.stringify(body).length).toBeLessThan(REPLY_CHARACTERS_MAX);
        const { notifications, meta } = listed.parse(body);
        for (const { id, notification } of notifications) {
          expect(notification.to).toEqual(targetOf(COUNT - 1 - ids.indexOf(id)));
          seen.push(id);
        }
        sizes.push(notifications.length);
        cursor = meta.cursor;
      }
      expect(seen).toEqual(ids);
      expect(sizes).toEqual([2, 2]);
    },
  );

  test('large notifications are found by words of their texts only, and counted', async () => {
    expect(listed.parse((await api.call('GET /v6/notifications?text=xxx')).body).notifications).toEqual([]);
    const { body } = await api.call('GET /v6/notifications/newer?text=zebra%202');
    expect(body).toEqual({ count: 1, more: false });
  });
});

describe('large devices', () => {
  const user = randomUUID();
  const tag = randomUUID();
  const found = z.object({
    devices: z.array(z.object({ device: z.object({ id: z.string() }) })),
    more: z.boolean(),
  });
  const page = z.object({
    devices: z.array(z.object({ id: z.string() })),
    meta: z.object({ cursor: z.string().nullable() }).optional(),
  });
  const values = Array.from({ length: 75 }, (_, index) => `${LARGE}${index}`);
  const custom = Object.fromEntries(
    Array.from({ length: 50 }, (_, index) => [`a${index}`, { type: 'string', value: values }]),
  );
  let ids: string[];
  beforeAll(async () => {
    ids = [];
    for (let index = 0; index < COUNT; index++) {
      ids.push(await api.newDevice({ user_id: user, tags: [tag], custom }));
    }
    ids.sort();
  });

  test('large devices are on pages of an audience that end early, and none is left out', async () => {
    const audienceId = await api.newAudience([{ name: 'tags', criteria: [tag] }]);
    const seen: string[][] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const query: string = cursor === '' ? '' : `?cursor=${cursor}`;
      const { devices, meta } = page.parse(
        (await api.call(`GET /v6/audiences/${audienceId}/devices${query}`)).body,
      );
      seen.push(devices.map(({ id }) => id));
      cursor = meta?.cursor ?? null;
    }
    expect(seen).toEqual([ids.slice(0, 2), ids.slice(2), []]);
  });

  test('large devices are looked up as many as fit, and the reply says that there are more', async () => {
    const { body } = await api.call('POST /v6/devices/lookup', { body: { query: user } });
    expect(found.parse(body)).toMatchObject({ more: true, devices: [{}, {}] });
  });

  test('large devices are shown as many as fit in a sample', async () => {
    const filters = [{ name: 'tags', criteria: [tag] }];
    const { body } = await api.call('POST /v6/audiences/sample', { body: { filters } });
    expect(page.parse(body).devices).toHaveLength(2);
  });

  test('large devices with a thousand events count by those as well', async () => {
    const events = Array.from({ length: 1_000 }, (_, index) => ({ name: `${LARGE}${index}` }));
    const other = randomUUID();
    for (let index = 0; index < 8; index++) {
      await api.newDevice({ user_id: other });
    }
    const reported = await api.call(`POST /v6/users/${other}/events`, {
      key: api.app.keys.register,
      body: { events },
    });
    expect(reported.status).toBe(202);
    const { body } = await api.call('POST /v6/devices/lookup', { body: { query: other } });
    expect(found.parse(body)).toMatchObject({ more: true });
    expect(found.parse(body).devices).toHaveLength(5);
  });
});
