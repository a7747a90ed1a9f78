/** The limits in docs/reference.md: as many as documented are accepted, one more is refused. */
import { expect, it } from 'vitest';
import { parseEventsBody } from '../../src/devices/events/record-events.ts';
import { parseRegistration } from '../../src/devices/device-schema.ts';
import { bulkShare } from '../../src/scheduling/event-loop-share.ts';
import { parseBody } from '../../src/http/body.ts';
import { RECEIPTS_MAX } from '../../src/http/calls/notifications/receipts.ts';
import { readList } from '../../src/http/list-body.ts';
import { BATCH_MAX } from '../../src/notifications/create-batch.ts';
import { parseRequest } from '../../src/notifications/request.ts';
import { readPage, tableAfter } from './markdown.ts';

const NOW = new Date('2026-11-21T09:30:00Z');
const DAY_MS = 24 * 60 * 60_000;

function many<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

function notify(fields: object): void {
  parseRequest({ notification: { to: '*', payload: { alert: 'Hello' }, ...fields } }, NOW);
}

function register(fields: object): void {
  parseRegistration({ platform: 'Android', push_token: 'a-token', ...fields });
}

const point = (index: number) => ({ latitude: index / 100, longitude: (index % 7) / 10 });

/** Makes a request with that many; throws where it is refused. */
const asks: Record<string, (count: number) => void | Promise<void>> = {
  'filters of a target': (count) =>
    notify({ to: many(count, (index) => ({ name: 'tags', criteria: [`tag ${index}`] })) }),
  'criteria of a filter': (count) => notify({ to: [{ name: 'badge', criteria: many(count, Number) }] }),
  'points of a polygon': (count) =>
    notify({ to: [{ name: 'location', criteria: [{ polygon: many(count, point) }] }] }),
  'steps of a math-date': (count) =>
    notify({ to: [{ name: 'created_at', criteria: [{ gt: `now${'-1d'.repeat(count)}` }] }] }),
  'values in a body, or in an item of a batch': (count) =>
    void parseBody(Buffer.from(`[${many(count - 1, String).join()}]`)),
  'keys in one object': (count) =>
    void parseBody(Buffer.from(`{${many(count, (index) => `"${index}":0`).join()}}`)),
  'days from now to `deliver_at`': (count) =>
    notify({ deliver_at: new Date(NOW.getTime() + count * DAY_MS).toISOString() }),
  'days of `spread_over`': (count) => notify({ spread_over: `P${count}D` }),
  'seconds of `time_to_live`': (count) => notify({ time_to_live: count }),
  'custom attributes of a device': (count) =>
    register({
      custom: Object.fromEntries(many(count, (index) => [`a${index}`, { type: 'integer', value: index }])),
    }),
  'tags of a device': (count) => register({ tags: many(count, String) }),
  'events in a call': (count) =>
    void parseEventsBody({ events: many(count, (index) => ({ name: `event ${index}` })) }),
  'notifications in a batch': async (count) => {
    const bytes = Buffer.from(JSON.stringify(many(count, () => ({}))));
    await readList({ isNdjson: false, bytes }, BATCH_MAX, bulkShare);
  },
  'receipts in a call': async (count) => {
    const bytes = Buffer.from(JSON.stringify(many(count, () => ({}))));
    await readList({ isNdjson: false, bytes }, RECEIPTS_MAX, bulkShare);
  },
  'variants of a notification': (count) =>
    notify({ variants: many(count, (index) => ({ name: `v${index}`, weight: 1 })) }),
};

const limits = tableAfter(readPage('docs/reference.md'), '<!-- limits -->').map(([what = '', most = '']) => ({
  what,
  most: Number(most.replaceAll(',', '')),
}));

it.each(limits)('the API allows $most $what and no more', async ({ what, most }) => {
  const ask = asks[what] ?? expect.unreachable(`nothing asks for ${what}`);
  await ask(most);
  const more = async (): Promise<void> => ask(most + 1);
  await expect(more()).rejects.toThrow(expect.objectContaining({ code: 'invalid_request' }));
});
