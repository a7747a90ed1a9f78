/** Failures of ours while a batch is stored: what the caller and the operator get. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useApi } from '../api.ts';
import { countStored } from '../stored.ts';
import { hello, item, JSON_TYPE, NDJSON, sendRaw } from './batch-call.ts';

const api = useApi();

beforeAll(async () => {
  await sql`create function fail() returns trigger language plpgsql as
    $$ begin raise exception 'the disk is full' using errcode = '53100'; end $$`.execute(api.db);
  await sql`create trigger fail before insert on notifications execute function fail()`.execute(api.db);
});
afterAll(async () => {
  await sql`drop trigger fail on notifications`.execute(api.db);
});

describe('While nothing can be stored', () => {
  test.each([NDJSON, JSON_TYPE])('a batch is unavailable as a whole (%s)', async (mediaType) => {
    const requestId = randomUUID();
    const before = await countStored(api.db);
    const items = Array.from({ length: 100 }, () => item(hello, randomUUID()));
    const body = mediaType === NDJSON ? items.join('\n') : `[${items.join(',')}]`;
    const reply = await sendRaw(api, mediaType, body, { headers: { 'x-request-id': requestId } });
    expect(reply).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
    expect(JSON.parse(reply.text)).toMatchObject({ code: 'unavailable' });
    expect(await countStored(api.db)).toEqual(before);
    expect(reported(requestId)).toEqual(['batch_handled', 'request_failed', 'request_handled']);
    const counts = { stored: 0, refused: 0, failed: 100 };
    expect(api.observations).toContainEqual({ kind: 'batch_handled', requestId, ...counts });
  });

  test('items with faults of their own are refused, and the others fail alone; the cause is logged once', async () => {
    const requestId = randomUUID();
    const reply = await sendRaw(api, NDJSON, [item(), '{}', item()].join('\n'), {
      headers: { 'x-request-id': requestId },
    });
    expect(reply.entries).toMatchObject([
      { line: 1, status: 503, code: 'unavailable' },
      { line: 2, status: 422, code: 'invalid_request' },
      { line: 3, status: 503, code: 'unavailable' },
    ]);
    expect(reply.text).not.toContain('disk');
    expect(reported(requestId)).toEqual(['batch_handled', 'request_failed', 'request_handled']);
  });
});

function reported(requestId: string): string[] {
  return api.observations
    .filter((observation) => 'requestId' in observation && observation.requestId === requestId)
    .map(({ kind }) => kind)
    .sort();
}
