import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { useApi } from './api.ts';

const api = useApi();
const requestBody = z.object({ body: z.string() });
const preview = z.object({ compiled: z.object({ apns: requestBody, fcm: requestBody }) });
const appleBody = z.object({ aps: z.record(z.string(), z.unknown()), _rcpt: z.number() });
const googleBody = z.object({ message: z.object({ data: z.record(z.string(), z.string()) }) });
const PATH = 'POST /v6/receipts';

const receipt = (changes: object = {}): object => ({
  notification: randomUUID(),
  device: randomUUID(),
  ...changes,
});

const many = (count: number): object[] => Array.from({ length: count }, () => receipt());

async function stored(): Promise<number> {
  const { rows } = await sql<{ all: number }>`
    select coalesce(sum(length(receipts)), 0)::bigint / 17 as all from receipts_uncounted`.execute(api.db);
  return rows[0]?.all ?? 0;
}

test('faults are reported by line, and the other receipts are stored', async () => {
  const before = await stored();
  const lines = [
    JSON.stringify(receipt({ shown: true })),
    '',
    JSON.stringify(receipt({ device: 'phone' })),
    '{',
    JSON.stringify(receipt({ shown: 'yes', seen: true })),
    JSON.stringify(receipt({ opened: true, notification: randomUUID().toUpperCase() })),
  ];
  const reply = await api.call(PATH, {
    key: api.app.keys.register,
    raw: lines.join('\n'),
    headers: { 'content-type': 'application/x-ndjson' },
  });
  expect(reply).toMatchObject({
    status: 202,
    body: {
      accepted: 2,
      rejected: [
        { line: 3, error: 'device must be the id of a device' },
        { line: 4, error: expect.stringMatching(/^The line/) },
        { line: 5, error: 'shown must be true or false; seen is not a known key' },
      ],
    },
  });
  expect(await stored()).toBe(before + 2);
});

test('a call without a valid receipt stores nothing', async () => {
  const before = await stored();
  const reply = await api.call(PATH, { body: [{}, null, 7] });
  expect(reply).toMatchObject({
    status: 202,
    body: {
      accepted: 0,
      rejected: [
        {
          line: 1,
          error: 'notification must be the id of a notification; device must be the id of a device',
        },
        { line: 2 },
        { line: 3 },
      ],
    },
  });
  expect(await stored()).toBe(before);
});

test('1,000 receipts are accepted, 1,001 and an empty list refused whole', async () => {
  const before = await stored();
  expect(await api.call(PATH, { body: many(1_000) })).toMatchObject({
    status: 202,
    body: { accepted: 1_000 },
  });
  expect(await api.call(PATH, { body: many(1_001) })).toMatchObject({ status: 422 });
  expect(await api.call(PATH, { body: [] })).toMatchObject({ status: 422 });
  expect(await stored()).toBe(before + 1_000);
});

test.each([
  [{ sample: 0 }, 'receipts.sample must be a number above 0 and at most 1'],
  [{ sample: 1.5 }, 'receipts.sample must be a number above 0 and at most 1'],
  [{ sample: '10%' }, 'receipts.sample must be a number above 0 and at most 1'],
  [{ share: 0.1 }, 'receipts.share is not a known key'],
])('a notification with receipts %j is refused', async (receipts, fault) => {
  const notification = { to: '*', payload: { alert: 'Hi' }, receipts };
  expect(await api.call('POST /v6/notifications', { body: { notification } })).toMatchObject({
    status: 422,
    body: { error: `notification.${fault}` },
  });
});

test('the payload may have the key _rcpt only without receipts', async () => {
  const payload = { alert: 'Hi', _rcpt: 1 };
  const create = async (options: object) =>
    api.call('POST /v6/notifications', { body: { notification: { to: '*', payload, ...options } } });
  expect(await create({})).toMatchObject({ status: 201 });
  expect(await create({ receipts: {} })).toMatchObject({
    status: 422,
    body: { error: 'notification.payload._rcpt is a reserved key if receipts is set' },
  });
});

test.each([
  [{ alert: 'Hi' }, { 'mutable-content': 1 }],
  [{ alert: 'Hi', mutable_content: false }, {}],
  [{ content_available: true }, {}],
])('the preview of %j has the key, and lets the app of an iPhone report', async (payload, aps) => {
  const notification = { to: '*', payload, receipts: { sample: 0.5 } };
  const { body } = await api.call('POST /v6/notifications/preview', { body: { notification } });
  const { compiled } = preview.parse(body);
  const ofApple = appleBody.parse(JSON.parse(compiled.apns.body));
  expect(ofApple['_rcpt']).toBe(2 ** 31);
  expect('mutable-content' in ofApple.aps).toBe('mutable-content' in aps);
  const ofGoogle = googleBody.parse(JSON.parse(compiled.fcm.body));
  expect(ofGoogle.message.data['_rcpt']).toBe(String(2 ** 31));
});
