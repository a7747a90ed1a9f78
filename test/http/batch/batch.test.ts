import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { basic, useApi } from '../api.ts';
import { countStored, digestOfEverything } from '../stored.ts';
import { BATCH, hello, item, JSON_TYPE, NDJSON, sendArray, sendLines, sendRaw } from './batch-call.ts';

const api = useApi();

const to = (user: string): object => ({
  to: [{ name: 'user_id', criteria: [user] }],
  payload: { alert: user },
});
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const times = <Value>(count: number, make: (index: number) => Value): Value[] =>
  Array.from({ length: count }, (_, index) => make(index));

describe('POST /v6/notifications/batch', () => {
  const users = ['anna', 'bert', 'carl'];

  test.each([
    [NDJSON, users.map((user) => item(to(user))).join('\n')],
    [JSON_TYPE, `[${users.map((user) => item(to(user))).join(' , ')}]`],
  ])('a batch stores a notification per item and replies in order, as %s', async (mediaType, body) => {
    const reply = await sendRaw(api, mediaType, body);
    expect(reply).toMatchObject({ status: 200, mediaType });
    expect(reply.entries).toEqual(
      users.map((_user, index) => ({
        line: index + 1,
        status: 201,
        id: expect.stringMatching(UUID),
        state: 'scheduled',
        created_at: expect.stringMatching(/Z$/),
        to: { id: expect.stringMatching(UUID), type: expect.any(String) },
      })),
    );
    for (const [index, { id }] of reply.entries.entries()) {
      const { body: stored } = await api.call(`GET /v6/notifications/${id}`);
      expect(stored).toMatchObject({ id, notification: to(users[index] ?? ''), state: 'scheduled' });
    }
  });

  test('a batch replies to an item as to a single call, without the notification', async () => {
    const { body } = await api.call('POST /v6/notifications', { body: { notification: hello } });
    const { entries } = await sendArray(api, [{ notification: hello }]);
    const single = new Set(Object.keys(body ?? {}));
    single.delete('notification');
    expect(new Set(Object.keys(entries[0] ?? {}))).toEqual(new Set([...single, 'line', 'status']));
  });

  test('a batch refuses single items, each with the error of a single call, and stores the others', async () => {
    const faulty: [object, number, string][] = [
      [{ notification: { to: '*', payload: { badge: -1, from: 'x' } } }, 422, 'invalid_request'],
      [{ notification: hello, other: 1 }, 422, 'invalid_request'],
      [{ notification: { to: randomUUID(), payload: { alert: 'x' } } }, 404, 'not_found'],
      [{ notification: { to: '*', payload: { alert: 'x'.repeat(5_000) } } }, 422, 'payload_too_large'],
    ];
    const items = faulty.flatMap(([body]) => [body, { notification: hello }]);
    const before = await countStored(api.db);
    const { status, entries } = await sendArray(api, items);
    expect(status).toBe(200);
    expect(entries.map(({ line }) => line)).toEqual(items.map((_item, index) => index + 1));
    expect(entries.map((entry) => entry.status)).toEqual(faulty.flatMap(([, refusal]) => [refusal, 201]));
    for (const [index, [body, refusal, code]] of faulty.entries()) {
      const single = await api.call('POST /v6/notifications', { body });
      expect(single).toMatchObject({ status: refusal, body: { code } });
      expect(entries[2 * index]).toEqual({
        line: 2 * index + 1,
        status: refusal,
        ...z.looseObject({}).parse(single.body),
      });
    }
    const after = await countStored(api.db);
    expect(after.notifications - before.notifications).toBe(faulty.length);
  });

  test('a batch numbers lines as an editor does, and leaves out empty ones', async () => {
    const body = `\n${item()}\r\n  \n\n[]\n${item()}`;
    const { entries } = await sendRaw(api, NDJSON, body);
    expect(entries).toMatchObject([
      { line: 2, status: 201 },
      { line: 5, status: 422, error: 'The item must be an object' },
      { line: 6, status: 201 },
    ]);
  });

  test('a batch takes 1,000 items in both forms', async () => {
    const items = times(1_000, (index) => item(to(`user ${index}`)));
    for (const reply of [
      await sendLines(api, items),
      await sendRaw(api, JSON_TYPE, `[${items.join(',')}]`),
    ]) {
      expect(reply.status).toBe(200);
      expect(reply.entries.map(({ line }) => line)).toEqual(items.map((_item, index) => index + 1));
      expect(new Set(reply.entries.map(({ id }) => id)).size).toBe(1_000);
      expect(new Set(reply.entries.map(({ status }) => status))).toEqual(new Set([201]));
    }
  });

  test('a batch stores the id of the call with each notification', async () => {
    const requestId = randomUUID();
    const { entries } = await sendRaw(api, NDJSON, `${item()}\n${item()}`, {
      headers: { 'x-request-id': requestId },
    });
    const rows = await api.db
      .selectFrom('notifications')
      .select('id')
      .where('request_id', '=', requestId)
      .execute();
    expect(new Set(rows.map(({ id }) => id))).toEqual(new Set(entries.map(({ id }) => id)));
  });

  test('a batch counts the results for the metrics and the log', async () => {
    const requestId = randomUUID();
    await sendRaw(api, NDJSON, `${item()}\n{}\n${item()}`, { headers: { 'x-request-id': requestId } });
    expect(api.observations).toContainEqual({
      kind: 'batch_handled',
      requestId,
      stored: 2,
      refused: 1,
      failed: 0,
    });
  });

  test('a batch wakes a worker', async () => {
    await sendLines(api, [item()]);
    expect(await api.queue.depth()).toMatchObject({ direct: 1 });
  });
});

describe('A batch that is refused as a whole', () => {
  const tooMany = times(1_001, () => item());

  test.each<
    [what: string, mediaType: string, body: string | Buffer, status: number, code: string, says: string]
  >([
    ['no body', NDJSON, '', 400, 'invalid_json', 'empty'],
    ['no line', NDJSON, '\n \r\n', 422, 'invalid_request', '1 to 1000 lines'],
    ['no element', JSON_TYPE, '[ ]', 422, 'invalid_request', '1 to 1000 elements'],
    ['1,001 lines', NDJSON, tooMany.join('\n'), 422, 'invalid_request', 'at most 1000 lines'],
    ['1,001 elements', JSON_TYPE, `[${tooMany.join(',')}]`, 422, 'invalid_request', 'at most 1000 elements'],
    ['an object', JSON_TYPE, item(), 422, 'invalid_request', 'must be a list'],
    ['an array that is cut', JSON_TYPE, `[${item()},\n{"no`, 400, 'invalid_json', 'line 2, column 5'],
    [
      'an element that is not JSON',
      JSON_TYPE,
      `[${item()},\n {"a":tru}]`,
      400,
      'invalid_json',
      'line 2, column 7',
    ],
    ['a key twice', JSON_TYPE, `[${item()},{"a":1,"a":2}]`, 400, 'invalid_json', '"a" twice'],
    ['more than one array', JSON_TYPE, `[${item()}]\n[]`, 400, 'invalid_json', 'nothing more'],
    ['no UTF-8', JSON_TYPE, Buffer.from(`[${item()},"\xff"]`, 'latin1'), 400, 'invalid_json', 'UTF-8'],
    ['NDJSON as JSON', JSON_TYPE, `${item()}\n${item()}`, 422, 'invalid_request', 'must be a list'],
    ['another type', 'text/plain', item(), 415, 'unsupported_media_type', '"application/x-ndjson"'],
    ['a type like it', 'application/ndjson', item(), 415, 'unsupported_media_type', 'application/json'],
    ['over 8 MiB', NDJSON, Buffer.alloc(8 * 1024 * 1024 + 1, `${item()}\n`), 413, 'body_too_large', '8 MiB'],
  ])(
    'a batch is refused for %s (%s), and stores nothing',
    async (_what, mediaType, body, status, code, says) => {
      const before = await digestOfEverything(api.db);
      const reply = await sendRaw(api, mediaType, body);
      expect(reply.status).toBe(status);
      expect(JSON.parse(reply.text)).toMatchObject({ code, error: expect.stringContaining(says) });
      expect(await digestOfEverything(api.db)).toBe(before);
    },
  );

  test('a batch is refused for a header that it does not have, or an unknown query, and stores nothing', async () => {
    const before = await digestOfEverything(api.db);
    const key = await sendRaw(api, NDJSON, item(), { headers: { 'idempotency-key': 'a' } });
    expect([key.status, JSON.parse(key.text)]).toMatchObject([400, { code: 'invalid_header' }]);
    const gzip = await sendRaw(api, NDJSON, item(), { headers: { 'content-encoding': 'gzip' } });
    expect(gzip.status).toBe(415);
    const query = await api.call(`POST ${BATCH}?dry_run=true`, { body: [{ notification: hello }] });
    expect(query.status).toBe(422);
    expect(await digestOfEverything(api.db)).toBe(before);
  });

  test.each(['/v3', '/v5'])('a batch is refused under %s, which does not have the call', async (version) => {
    const { statusCode } = await api.server.inject({
      method: 'POST',
      url: BATCH.replace('/v6', version),
      headers: { authorization: basic('', api.app.keys.every), 'content-type': NDJSON },
      payload: item(),
    });
    expect(statusCode).toBe(404);
  });

  test('a batch by another method is refused, and the reply says what is allowed', async () => {
    const { statusCode, headers } = await api.server.inject({ method: 'PUT', url: BATCH });
    expect([statusCode, headers.allow]).toEqual([405, expect.stringContaining('POST')]);
  });
});
