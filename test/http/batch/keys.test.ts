/** Idempotency keys of batches: within a call, across calls, and together with single calls. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { useApi } from '../api.ts';
import { countStored } from '../stored.ts';
import { hello, item, sendArray, sendLines } from './batch-call.ts';

const api = useApi();
const other = { to: '*', payload: { alert: 'other' } };

async function storedBy(work: () => Promise<unknown>): Promise<number> {
  const before = await countStored(api.db);
  await work();
  return (await countStored(api.db)).notifications - before.notifications;
}

describe('An idempotency key', () => {
  test('a key used twice in a batch stores one notification, and the second item gets the first reply', async () => {
    const key = randomUUID();
    const stored = await storedBy(async () => {
      const { entries } = await sendLines(api, [item(hello, key), item(), item(hello, key)]);
      const [first, , again] = entries;
      expect(first).toMatchObject({ line: 1, status: 201 });
      expect(again).toEqual({ ...first, line: 3 });
    });
    expect(stored).toBe(2);
  });

  test('a key used again with another body is refused, always the later item', async () => {
    const key = randomUUID();
    const { entries } = await sendLines(api, [item(hello, key), item(other, key), item(other, key)]);
    const reused = { status: 409, code: 'idempotency_key_reused' };
    expect(entries).toMatchObject([{ status: 201 }, reused, reused]);
  });

  test('the key of a refused item is free for the next one', async () => {
    const key = randomUUID();
    const { entries } = await sendLines(api, [item({ to: '*' }, key), item(hello, key)]);
    expect(entries.map(({ status }) => status)).toEqual([422, 201]);
  });

  test('a whole batch with keys is safe to repeat, in either form', async () => {
    const items = Array.from({ length: 200 }, () => item(hello, randomUUID()));
    const first = await sendLines(api, items);
    const stored = await storedBy(async () => {
      const again = await sendArray(
        api,
        items.map((line): unknown => JSON.parse(line)),
      );
      expect(again.entries).toEqual(first.entries);
    });
    expect(stored).toBe(0);
  });

  test('a key of two batches at once stores each notification once', async () => {
    const items = Array.from({ length: 200 }, () => item(hello, randomUUID()));
    const stored = await storedBy(async () => {
      const [one, two] = await Promise.all([sendLines(api, items), sendLines(api, items.toReversed())]);
      expect(one.entries.map(({ id }) => id)).toEqual(two.entries.map(({ id }) => id).toReversed());
    });
    expect(stored).toBe(200);
  });

  test('the key of an item is the same as that of the header of a single call', async () => {
    const key = randomUUID();
    const headers = { 'idempotency-key': key };
    const { entries } = await sendLines(api, [item(hello, key)]);
    const single = await api.call('POST /v6/notifications', { body: { notification: hello }, headers });
    expect(single).toMatchObject({ status: 201, body: { id: entries[0]?.id } });
    const reused = await sendLines(api, [item(other, key)]);
    expect(reused.entries).toMatchObject([{ status: 409, code: 'idempotency_key_reused' }]);
  });

  test.each([null, '', 'two words', 'x'.repeat(256), 7, ['a'], 'é'])(
    'the key %j is refused, with all other faults of the item',
    async (key) => {
      const { entries } = await sendLines(api, [
        JSON.stringify({ notification: { to: '*' }, idempotency_key: key }),
        JSON.stringify({ notification: hello, idempotency_key: key }),
      ]);
      const keyFault = { path: 'idempotency_key', message: expect.stringContaining('visible ASCII') };
      expect(entries).toMatchObject([
        { status: 422, details: [keyFault, { path: 'notification.payload' }] },
        { status: 422, details: [keyFault] },
      ]);
    },
  );
});
