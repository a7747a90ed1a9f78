import { once } from 'node:events';
import { type ClientRequest } from 'node:http';
import { gzipSync } from 'node:zlib';
import { sql } from 'kysely';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { lineOf } from '../devices/import/lines.ts';
import { type Call, useApi } from './api.ts';
import { openLines, replyTo } from './raw-request.ts';
import { portOf } from '../support/ports.ts';
import { newToken } from '../support/push-token.ts';

const NDJSON = 'application/x-ndjson';
const api = useApi();

function importBy(call: Call) {
  return api.call('POST /v6/devices/import', {
    key: api.app.keys.admin,
    ...call,
    headers: { 'content-type': NDJSON, ...call.headers },
  });
}

async function storedCount(appId: string): Promise<number> {
  const row = await api.db
    .selectFrom('devices')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('app_id', '=', appId)
    .executeTakeFirstOrThrow();
  return row.count;
}

describe('POST /v6/devices/import', () => {
  test('an import reports the result of the lines', async () => {
    const known = lineOf({ badge: 1 });
    await importBy({ raw: known });
    const changed = JSON.stringify({ ...JSON.parse(known), badge: 2 });
    const reply = await importBy({
      raw: `${known}\r\n\r\n{"platform":"Symbian"}\n${changed}\n${lineOf({})}`,
    });
    expect(reply).toMatchObject({ status: 200, headers: { 'content-type': /^application\/json/ } });
    expect(reply.body).toEqual({
      imported: 1,
      updated: 1,
      unchanged: 1,
      rejected: [{ line: 3, error: 'platform must be iOS, Android or Web' }],
      rejected_count: 1,
    });
  });

  test('an import is aborted after 10,000 rejected lines in a row, and keeps the stored lines', async () => {
    const before = await storedCount(api.app.id);
    const reply = await importBy({ raw: `${lineOf({})}\n${'[]\n'.repeat(10_001)}` });
    expect(reply).toMatchObject({
      status: 422,
      body: { code: 'invalid_request', error: expect.stringContaining('line 10001') },
    });
    expect(await storedCount(api.app.id)).toBe(before + 1);
  });

  test('an import creates devices that the other calls find', async () => {
    const push_token = newToken();
    await importBy({ raw: lineOf({ push_token, locale: 'en_GB' }) });
    const body = { device: { platform: 'iOS', push_token, badge: 1 } };
    expect(await api.call('POST /v6/devices', { body })).toMatchObject({
      status: 200,
      body: { device: { locale: 'en_GB', badge: 1 } },
    });
  });

  test('an import accepts an empty body', async () => {
    expect(await importBy({ raw: '' })).toMatchObject({ status: 200, body: { imported: 0, rejected: [] } });
  });

  test.each(['APPLICATION/X-NDJSON', 'application/x-ndjson; charset=utf-8'])(
    'an import accepts the type %s',
    async (type) => {
      const reply = await importBy({ raw: lineOf({}), headers: { 'content-type': type } });
      expect(reply).toMatchObject({ status: 200, body: { imported: 1 } });
    },
  );

  test.each([
    'application/json',
    'text/plain',
    'application/x-ndjson-seq',
    'multipart/form-data; boundary=x',
    '',
  ])('an import refuses the type %j, naming the right one', async (type) => {
    const reply = await importBy({ raw: lineOf({}), headers: { 'content-type': type } });
    expect(reply).toMatchObject({
      status: 415,
      body: { code: 'unsupported_media_type', error: expect.stringContaining(NDJSON) },
    });
  });

  test('an import refuses a compressed body', async () => {
    const headers = { 'content-encoding': 'gzip' };
    expect(await importBy({ raw: gzipSync(lineOf({})), headers })).toMatchObject({ status: 415 });
  });

  test('no other call than the import accepts its type', async () => {
    const headers = { 'content-type': NDJSON };
    expect((await api.call('POST /v6/devices', { raw: '{}', headers })).status).toBe(415);
  });
});

describe('An import on a real socket', () => {
  let port = 0;
  beforeAll(async () => {
    await api.server.listen({ host: '127.0.0.1', port: 0 });
    port = portOf(api.server.server);
  });

  function open(to = port, key = api.app.keys.admin): ClientRequest {
    return openLines(to, '/v6/devices/import', key);
  }

  test(
    'an import holds no more of a body than it takes to store it: 100 MB in 50,000 lines',
    { timeout: 120_000 },
    async () => {
      const filler = 'x'.repeat(2_000);
      const request = open(port, api.otherApp.keys.admin);
      const reply = replyTo(request);
      let furthest = 0;
      for (let sent = 0; sent < 50_000; sent += 1_000) {
        furthest = Math.max(furthest, sent - (await storedCount(api.otherApp.id)));
        const lines = Array.from({ length: 1_000 }, () => `${lineOf({ events: filler })}\n`);
        await write(request, lines.join(''));
      }
      request.end();
      expect(await reply).toMatchObject({ status: 200, body: { imported: 50_000, rejected_count: 0 } });
      // The memory of sockets and pages in flight; a server that buffers the body would need all of it.
      expect(furthest).toBeLessThan(25_000);
    },
  );

  test('an import may take longer to arrive than other requests', async () => {
    const server = api.openServer({ limits: { requestTimeoutMs: 100 } });
    await server.listen({ host: '127.0.0.1', port: 0 });
    const request = open(portOf(server.server));
    const overdue = once(server.server, 'clientError');
    request.write(`${lineOf({})}\n`);
    const [error] = await overdue;
    expect(error).toMatchObject({ code: 'ERR_HTTP_REQUEST_TIMEOUT' });
    request.end(lineOf({}));
    expect(await replyTo(request)).toMatchObject({ status: 200, body: { imported: 2 } });
  });

  test('an import keeps the stored lines when the client disconnects, and the server goes on', async () => {
    const before = await storedCount(api.app.id);
    const request = open();
    // Two pages and a half; the last line is cut.
    const lines = Array.from({ length: 2_500 }, () => lineOf({})).join('\n');
    request.write(lines.slice(0, -1));
    await vi.waitFor(async () => expect(await storedCount(api.app.id)).toBe(before + 2_000), {
      timeout: 30_000,
    });
    request.destroy();
    expect((await importBy({ raw: lines })).body).toMatchObject({ imported: 500, unchanged: 2_000 });
    expect(api.observations.filter(({ kind }) => kind === 'request_failed')).toEqual([]);
  });

  test('an import is answered with 503 when the database goes away while the client still sends', async () => {
    const request = open();
    const reply = replyTo(request);
    const answered = new AbortController();
    void reply.finally(() => answered.abort());
    const sending = (async () => {
      while (!answered.signal.aborted) {
        const lines = Array.from({ length: 500 }, () => `${lineOf({})}\n`).join('');
        await Promise.race([write(request, lines), reply]);
      }
    })();
    while (!answered.signal.aborted) {
      await sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and query like 'copy devices %' and pid <> pg_backend_pid()`
        .execute(api.db)
        .catch(() => undefined);
    }
    await sending;
    request.destroy();
    expect(await reply).toMatchObject({
      status: 503,
      body: { code: 'unavailable', error: expect.stringContaining('was aborted') },
    });
  });
});

/** Writes the text, and waits where the server is slower. */
async function write(request: ClientRequest, text: string): Promise<void> {
  if (!request.write(text)) await once(request, 'drain');
}
