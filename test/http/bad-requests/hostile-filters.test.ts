import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { hostileTexts } from '../../filters/hostile-texts.ts';
import { useApi } from '../api.ts';
import { runs } from '../../support/runs.ts';

const TEXTS = hostileTexts(runs(50));
const DATE = '2026-11-21T10:00:00.000Z';
/** Columns whose values are any text; the others have a form of their own, which no hostile text has. */
const COLUMNS = [
  'os_name',
  'os_version',
  'app_version',
  'sdk_version',
  'country',
  'marketing_name',
  'user_id',
  'user_email',
];
const custom = (text: string) => ({
  [`s${text}`]: { type: 'string', value: text },
  [`l${text}`]: { type: 'string', value: [text, `${text}.`] },
  [`i${text}`]: { type: 'integer', value: 7 },
  [`f${text}`]: { type: 'float', value: 0.5 },
  [`d${text}`]: { type: 'date', value: DATE },
  [`b${text}`]: { type: 'boolean', value: true },
});
/** Each of them selects the one device that was registered with the text. */
const selecting = (text: string): { name: string; criteria: unknown[]; not_filter?: boolean }[] => [
  ...COLUMNS.map((name) => ({ name, criteria: [text] })),
  { name: 'tags', criteria: [text] },
  { name: `custom.string.s${text}`, criteria: [text] },
  { name: `custom.string.l${text}`, criteria: [`${text}.`] },
  { name: `custom.integer.i${text}`, criteria: [7] },
  { name: `custom.float.f${text}`, criteria: [{ gt: 0 }] },
  { name: `custom.date.d${text}`, criteria: [DATE] },
  { name: `custom.boolean.b${text}`, criteria: [true] },
  { name: `events.${text}`, criteria: [true] },
  { name: `events.${text}.name`, criteria: [{ gte: 1 }] },
];
/** Kinds that take no text of this sort: not as a value, nor as a bound. */
const REFUSING = [
  'notifications_allowed',
  'created_at',
  'registered_at',
  'badge',
  'development',
  'location',
  'sdk_location',
  'custom.integer.a',
  'custom.float.a',
  'custom.date.a',
  'custom.boolean.a',
  'events.a',
];

const api = useApi();

const count = async (filters: readonly unknown[]): Promise<unknown> =>
  (await api.call('POST /v6/audiences/count', { body: { filters } })).body;

describe('hostile texts, as names and as values', () => {
  beforeAll(async () => {
    for (const text of TEXTS) {
      const device = {
        platform: 'Android',
        push_token: randomUUID(),
        ...Object.fromEntries(COLUMNS.map((name) => [name, text])),
        tags: [text],
        custom: custom(text),
      };
      const registered = await api.call('POST /v6/devices', { body: { device } });
      expect(registered.status, text).toBe(201);
      const { id } = z.object({ device: z.object({ id: z.string() }) }).parse(registered.body).device;
      // Of the SDK, and of a server: only a key with `write` may name a source.
      for (const [key, event] of [
        [api.app.keys.register, { name: text, source: null }],
        [api.app.keys.write, { name: 'name', source: text }],
      ] as const) {
        const reported = await api.call(`POST /v6/devices/${id}/events`, { key, body: { events: [event] } });
        expect(reported.status, text).toBe(202);
      }
    }
  });

  test('hostile texts select the device that has them, by every attribute', async () => {
    for (const text of TEXTS) {
      expect(await count(selecting(text)), text).toMatchObject({ device_count: 1 });
    }
  });

  test('hostile texts select no other device, by any attribute', async () => {
    for (const text of TEXTS) {
      const none = selecting(text);
      for (const filter of none) filter.not_filter = true;
      expect(await count(none), text).toMatchObject({ device_count: TEXTS.length - 1 });
    }
  });

  test('hostile texts match nothing if the attribute has another form', async () => {
    for (const text of TEXTS) {
      for (const name of ['locale', 'device_id', 'time_zone']) {
        expect(await count([{ name, criteria: [text] }]), text).toMatchObject({ device_count: 0 });
      }
    }
  });

  test('hostile texts are refused, each with its path, if the attribute takes no text', async () => {
    for (const text of TEXTS) {
      const values = REFUSING.map((name) => ({ name, criteria: [text] }));
      const bounds = REFUSING.map((name) => ({ name, criteria: [{ gt: text }] }));
      const keys = REFUSING.map((name) => ({ name, criteria: [{ [`k${text}`]: 1 }] }));
      for (const filters of [values, bounds, keys]) {
        const reply = await api.call('POST /v6/audiences/count', { body: { filters } });
        expect(reply.status, text).toBe(422);
        const { details } = z.object({ details: z.array(z.object({ path: z.string() })) }).parse(reply.body);
        const places = new Set(details.map(({ path }) => /^filters\[\d+\]\.criteria\[0\]/.exec(path)?.[0]));
        expect(places, text).toEqual(
          new Set(filters.map((_filter, index) => `filters[${index}].criteria[0]`)),
        );
      }
    }
  });

  test('hostile texts are not accepted as names of attributes', async () => {
    for (const text of TEXTS) {
      const names = [`n${text}`, `custom.${text}`, `custom.n${text}.a`];
      const filters = names.map((name) => ({ name, criteria: ['a'] }));
      const reply = await api.call('POST /v6/audiences/count', { body: { filters } });
      expect(reply.status, text).toBe(422);
    }
  });
});
