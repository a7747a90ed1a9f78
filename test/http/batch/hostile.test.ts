/** Items that hurt only themselves, whatever is in them. */
import { expect, test } from 'vitest';
import { useApi } from '../api.ts';
import { item, JSON_TYPE, NDJSON, sendRaw } from './batch-call.ts';

const api = useApi();

const deep = `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
const inPayload = (value: string) => `{"notification":{"payload":{"a":${value}}}}`;
const long = JSON.stringify({ notification: { to: '*', payload: { own: 'x'.repeat(1024 * 1024) } } });

type Row = [what: string, sent: string | Buffer, status: number, says: string];

const lines: Row[] = [
  ['half a line', '{"notification":', 400, 'The line is not valid JSON: a value was expected at column 17.'],
  ['no JSON', 'hello', 400, 'at column 1.'],
  ['a key twice', '{"notification":{"to":"*","to":"*"}}', 400, '"to" twice'],
  ['no UTF-8', Buffer.from([0x22, 0xff, 0x22]), 400, 'The line is not valid UTF-8.'],
  ['nesting too deep', deep, 422, 'The line must nest at most 100 levels deep'],
  ['over 1 MiB', long, 413, 'The line is over the limit of 1 MiB.'],
  ['a number beyond all doubles', inPayload('1e309'), 422, 'notification.payload.a must'],
  ['a NUL', inPayload(String.raw`"\u0000"`), 422, 'notification.payload.a must'],
  ['half a surrogate pair', inPayload(String.raw`"\ud800"`), 422, 'half of a surrogate'],
  ['a prototype', '{"__proto__":{}}', 422, 'The line must not have a key named __proto__'],
  ['null', 'null', 422, 'The item must be an object'],
  ['a list', '[{}]', 422, 'The item must be an object'],
  ['a string', '"notification"', 422, 'The item must be an object'],
  ['an empty object', '{}', 422, 'notification is required'],
  ['an array in brackets of its own', '[', 400, 'The line is not valid JSON'],
];
const elements: Row[] = [
  ['nesting too deep', deep, 422, 'The element must nest at most 100 levels deep'],
  ['over 1 MiB', long, 413, 'The element is over the limit of 1 MiB.'],
  ['a number beyond all doubles', '{"a":1e309}', 422, 'a must be a number'],
  ['null', 'null', 422, 'The item must be an object'],
];

/** The error is the caller's, and the items before and after it are stored. */
async function expectRefusedAlone(mediaType: string, parts: (string | Buffer)[], [, , status, says]: Row) {
  const { entries } = await sendRaw(api, mediaType, Buffer.concat(parts.map((part) => Buffer.from(part))));
  expect(entries).toMatchObject([
    { line: 1, status: 201 },
    { line: 2, status, error: expect.stringContaining(says) },
    { line: 3, status: 201 },
  ]);
}

test.each(lines)('a bad line of a batch is refused alone: %s', async (...row) =>
  expectRefusedAlone(NDJSON, [item(), '\n', row[1], '\n', item()], row),
);
test.each(elements)('a bad element of a batch is refused alone: %s', async (...row) =>
  expectRefusedAlone(JSON_TYPE, ['[', item(), ',', row[1], ',', item(), ']'], row),
);

test.each([NDJSON, JSON_TYPE])('numbers keep all of their digits in %s', async (mediaType) => {
  const payload = '{"alert":"x","id":9223372036854775807,"fine":0.570000000000000001,"tiny":1e-400}';
  const line = `{"notification":{"to":"*","payload":${payload}}}`;
  const { entries } = await sendRaw(api, mediaType, mediaType === NDJSON ? line : `[${line}]`);
  const stored = await api.db
    .selectFrom('notifications')
    .select('body')
    .where('id', '=', entries[0]?.id ?? '')
    .executeTakeFirstOrThrow();
  expect(stored.body).toContain(payload);
});

test('1,000 items with a hundred faults each are all reported', async () => {
  const notification = { to: '*', payload: Object.fromEntries(many(110, (index) => [`gcm${index}`, 1])) };
  const { entries } = await sendRaw(api, NDJSON, many(1_000, () => item(notification)).join('\n'));
  expect(entries).toHaveLength(1_000);
  expect(entries.every(({ status, details }) => status === 422 && details?.length === 100)).toBe(true);
});

function many<Value>(count: number, make: (index: number) => Value): Value[] {
  return Array.from({ length: count }, (_, index) => make(index));
}
