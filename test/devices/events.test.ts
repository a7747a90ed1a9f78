import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { EventTallies } from '../../src/devices/device.ts';
import {
  parseEventsBody,
  recordDeviceEvents,
  type RecordOptions,
  recordUserEvents,
} from '../../src/devices/events/record-events.ts';
import { ApiError } from '../../src/api/errors.ts';
import { runs } from '../support/runs.ts';

import { noon, useDevices } from './devices-of-app.ts';

const { database, app, register, read } = useDevices();
const clock = () => noon;
const fromSdk = { defaultSource: null };
const fromApi = { defaultSource: 'Public Api' };

async function newDevice(userId?: string): Promise<string> {
  return (await register({ user_id: userId })).device.id;
}

function at(minutes: number): string {
  return new Date(noon.getTime() + minutes * 60_000).toISOString();
}

async function eventsOf(id: string): Promise<EventTallies> {
  return (await read(id)).events;
}

function record(id: string, events: object[], options: RecordOptions = fromSdk) {
  return recordDeviceEvents(database.db, app.id, id, parseEventsBody({ events }), options, clock);
}

function pathsOf(parse: () => unknown): string[] {
  try {
    parse();
  } catch (error) {
    if (error instanceof ApiError) return error.details.map((detail) => detail.path);
    throw error;
  }
  return [];
}

describe('the body of a report', () => {
  test.each([
    [{ events: [] }, ['events']],
    [{ events: Array.from({ length: 1001 }, () => ({ name: 'a' })) }, ['events']],
    [
      { events: [{ name: '' }, { name: 'a'.repeat(256) }, {}] },
      ['events[0].name', 'events[1].name', 'events[2].name'],
    ],
    [
      { events: [{ name: 'a', date: 'soon', source: '', count: 2 }] },
      ['events[0].date', 'events[0].source', 'events[0].count'],
    ],
    [{ events: { name: 'a' } }, ['events']],
    [{ event: [{ name: 'a' }] }, ['events', 'event']],
    [null, ['']],
  ])('the body %# of a report is refused', (body, paths) => {
    expect(pathsOf(() => parseEventsBody(body)).sort()).toEqual([...paths].sort());
  });

  test('a report may hold 1,000 events', () => {
    expect(parseEventsBody({ events: Array.from({ length: 1000 }, () => ({ name: 'a' })) })).toHaveLength(
      1000,
    );
  });
});

describe('recording events of a device', () => {
  test('an event is named by its source, else by the default of the key', async () => {
    const id = await newDevice();
    const events = [
      { name: 'opened' },
      { name: 'opened', source: 'Analytics' },
      { name: 'opened', source: null },
    ];
    await record(id, events, fromSdk);
    await record(id, events, fromApi);
    const counts = Object.entries(await eventsOf(id)).map(([name, { count }]) => [name, count]);
    expect(Object.fromEntries(counts)).toEqual({ opened: 2, 'Analytics.opened': 2, 'Public Api.opened': 2 });
  });

  test('events are counted with their first and last time, in any order and over any number of calls', async () => {
    const minute = fc.integer({ min: -10_000, max: 1_439 });
    const event = fc.record({ name: fc.constantFrom('a', 'b', "it's {odd}"), minute });
    const calls = fc.array(fc.array(event, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(calls, async (reported) => {
        const id = await newDevice();
        for (const events of reported) {
          await record(
            id,
            events.map((one) => ({ name: one.name, date: at(one.minute) })),
          );
        }
        const expected = Object.entries(Object.groupBy(reported.flat(), (one) => one.name)).map(
          ([name, all]) => {
            const minutes = all.map((one) => one.minute);
            const [first, last] = [at(Math.min(...minutes)), at(Math.max(...minutes))];
            return [name, { count: all.length, first_happened_at: first, last_happened_at: last }];
          },
        );
        expect(await eventsOf(id)).toEqual(Object.fromEntries(expected));
      }),
      { numRuns: runs(12) },
    );
  });

  test('no event of twenty concurrent calls is lost', async () => {
    const id = await newDevice();
    const names = ['a', 'b', 'c'];
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        record(
          id,
          names.map((_name, offset) => ({ name: names[(index + offset) % names.length] })),
        ),
      ),
    );
    expect(Object.values(await eventsOf(id)).map((event) => event.count)).toEqual([20, 20, 20]);
  });

  test('an event may have the earliest possible date', async () => {
    const id = await newDevice();
    await record(id, [
      { name: 'a', date: '0001-01-01' },
      { name: 'a', date: '2026-01-01T00:00:00+02:00' },
    ]);
    expect(await eventsOf(id)).toEqual({
      a: {
        count: 2,
        first_happened_at: '0001-01-01T00:00:00.000Z',
        last_happened_at: '2025-12-31T22:00:00.000Z',
      },
    });
  });

  test('an event may have a date up to a day ahead, and a later one refuses the whole report', async () => {
    const id = await newDevice();
    await record(id, [{ name: 'ahead', date: '2026-11-22T12:00:00Z' }]);
    const beyond = [{ name: 'fine' }, { name: 'ahead', date: '2026-11-22T12:00:00.001Z' }];
    await expect(record(id, beyond)).rejects.toMatchObject({
      code: 'invalid_request',
      details: [{ path: 'events[1].date' }],
    });
    expect(Object.keys(await eventsOf(id))).toEqual(['ahead']);
  });

  test('a device keeps at most 1,000 names of events', async () => {
    const id = await newDevice();
    await record(
      id,
      Array.from({ length: 1000 }, (_, index) => ({ name: `event ${index}` })),
    );
    await record(id, [{ name: 'event 7' }]);
    await expect(record(id, [{ name: 'event 8' }, { name: 'one more' }])).rejects.toMatchObject({
      code: 'invalid_request',
    });
    const events = await eventsOf(id);
    expect(Object.keys(events)).toHaveLength(1000);
    expect([events['event 7']?.count, events['event 8']?.count]).toEqual([2, 1]);
  });

  test.each(['no-id', '00000000-0000-4000-8000-000000000000'])(
    'a report finds no device at %j',
    async (id) => {
      await expect(record(id, [{ name: 'a' }])).rejects.toMatchObject({ code: 'not_found' });
    },
  );
});

describe('recording events of a user', () => {
  test('a report for a user reaches every device of that user in that app, and no other', async () => {
    const mine = [await newDevice('ada'), await newDevice('ada')];
    const others = [await newDevice('bob'), await newDevice()];
    const events = parseEventsBody({ events: [{ name: 'paid' }, { name: 'paid' }] });
    await recordUserEvents(database.db, app.id, 'ada', events, fromApi, clock);
    for (const id of mine) expect(await eventsOf(id)).toMatchObject({ 'Public Api.paid': { count: 2 } });
    for (const id of others) expect(await eventsOf(id)).toEqual({});
  });

  test.each(['nobody', '', '\0', '\ud800'])('a report finds nobody named %j', async (userId) => {
    const report = recordUserEvents(database.db, app.id, userId, [{ name: 'a' }], fromApi, clock);
    await expect(report).rejects.toMatchObject({ code: 'not_found' });
  });

  test('a report for a user and reports for the devices deadlock nowhere and lose nothing', async () => {
    const ids = [await newDevice('eve'), await newDevice('eve'), await newDevice('eve')];
    const events = [{ name: 'a' }, { name: 'b' }];
    await Promise.all(
      Array.from({ length: 10 }, (_, index) => [
        recordUserEvents(database.db, app.id, 'eve', events.toReversed(), fromSdk, clock),
        record(ids[index % ids.length] ?? '', events),
      ]).flat(),
    );
    const counts = await Promise.all(ids.map(async (id) => (await eventsOf(id))['a']?.count ?? 0));
    expect(counts.reduce((sum, count) => sum + count)).toBe(10 * ids.length + 10);
  });
});
