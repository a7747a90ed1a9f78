/** Which calls are recorded in the audit log, and who may read it. */
import { z } from 'zod';
import { expect, test } from 'vitest';
import { auditListReply } from '../../src/audit/list.ts';
import { basic, idIn, useApi } from './api.ts';

const api = useApi();

async function newestEntries(count: number) {
  const { body } = await api.call(`GET /v6/audit?per=${count}`);
  return auditListReply.parse(body).entries;
}

test('a cancel is recorded with its key, address and request', async () => {
  const id = await api.newNotification({ deliver_at: new Date(Date.now() + 60_000) });
  const { headers } = await api.call(`POST /v6/notifications/${id}/cancel`, { key: api.app.keys.write });
  expect(await newestEntries(1)).toMatchObject([
    {
      by: { kind: 'key', id: expect.stringMatching(/^[0-9a-f-]{36}$/), name: null },
      action: 'notification.canceled',
      object_id: id,
      before: { state: 'scheduled' },
      after: { state: 'canceled', accepted: 0 },
      address: '127.0.0.1',
      request_id: headers['x-request-id'],
    },
  ]);
});

test('a refused change leaves no entry', async () => {
  const before = await newestEntries(1);
  const none = '7c1d6a3e-0c5b-4a7e-9f64-0b1f53f3c111';
  await api.call(`POST /v6/notifications/${none}/cancel`);
  await api.call(`DELETE /v6/audiences/${none}`);
  await api.call(`DELETE /v6/webhooks/${none}`);
  await api.call(`DELETE /v6/devices/${none}`);
  expect(await newestEntries(1)).toEqual(before);
});

test('an erased device is recorded once, without its data', async () => {
  const id = await api.newDevice();
  const { id: mark = '' } = (await newestEntries(1))[0] ?? {};
  await api.call(`DELETE /v6/devices/${id}`);
  await api.call(`DELETE /v6/devices/${id}`);
  const [entry, previous] = await newestEntries(2);
  expect(entry).toMatchObject({ action: 'device.erased', object_id: id, before: null, after: null });
  expect(previous?.id ?? '').toBe(mark);
});

test('an address of a webhook is recorded without its path, which may hold a secret', async () => {
  const webhook = { url: 'https://example.com/hooks/s3cret?token=abc', events: ['notification.sent'] };
  const id = idIn(await api.call('POST /v6/webhooks', { body: { webhook } }));
  await api.call(`DELETE /v6/webhooks/${id}`);
  const facts = { url: 'https://example.com', events: ['notification.sent'] };
  expect(await newestEntries(2)).toMatchObject([
    { action: 'webhook.removed', object_id: id, before: facts, after: null },
    { action: 'webhook.created', object_id: id, before: null, after: facts },
  ]);
});

test('deleted audiences and imports are recorded', async () => {
  const id = await api.newAudience([{ name: 'locale', criteria: ['en_GB'] }], 'Britons');
  await api.call(`DELETE /v6/audiences/${id}`);
  await api.call('POST /v6/devices/import', {
    raw: '{"platform":"Android","push_token":"imported"}\n{}\n',
    headers: { 'content-type': 'application/x-ndjson' },
  });
  expect(await newestEntries(2)).toMatchObject([
    { action: 'devices.imported', after: { imported: 1, updated: 0, unchanged: 0, rejected_count: 1 } },
    { action: 'audience.deleted', object_id: id, before: { name: 'Britons' } },
  ]);
});

test('registrations, events and pushes by keys are not recorded', async () => {
  const before = await newestEntries(1);
  const id = await api.newDevice();
  await api.call(`PUT /v6/devices/${id}`, { body: { device: { tags: ['news'] } } });
  await api.call(`POST /v6/devices/${id}/events`, { body: { events: [{ name: 'purchase' }] } });
  await api.newNotification({ to: { device_id: id } });
  expect(await newestEntries(1)).toEqual(before);
});

test('the export is a download of lines', async () => {
  await api.call(`DELETE /v6/devices/${await api.newDevice()}`);
  const response = await api.server.inject({
    url: '/v6/audit/export?action=device.erased',
    headers: { authorization: basic('', api.app.keys.admin) },
  });
  expect(response.headers['content-type']).toBe('application/x-ndjson');
  expect(response.headers['content-disposition']).toBe('attachment; filename="audit.ndjson"');
  const lines = response.body.trimEnd().split('\n');
  expect(lines.map((line) => z.object({ action: z.string() }).parse(JSON.parse(line)).action)).toEqual(
    lines.map(() => 'device.erased'),
  );
});

test.each([
  ['action=key.eaten', 'action'],
  ['from=yesterday', 'from'],
  ['to=2026-02-30', 'to'],
  ['per=0', 'per'],
  ['by=', 'by'],
  ['object=%00', 'object'],
  ['cursor=x', 'cursor'],
])('the query %s of the audit log is refused', async (query, path) => {
  const { status, body } = await api.call(`GET /v6/audit?${query}`);
  expect(status).toBe(422);
  expect(body).toMatchObject({ details: [{ path }] });
});
