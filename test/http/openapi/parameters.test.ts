/** The parameters of each call, as the document has them and as the server takes them. */
import { expect, test } from 'vitest';
import { z } from 'zod';
import { useApi } from '../api.ts';
import { documentedCalls } from './document.ts';

const api = useApi();
const refusal = z.object({ details: z.array(z.object({ path: z.string() })).default([]) });

test('a parameter is documented as required exactly if a call without any is refused for it', async () => {
  const calls = documentedCalls
    .map(({ id, method, path, operation }) => ({
      id,
      method,
      path,
      query: operation.parameters.filter((parameter) => parameter.in === 'query'),
    }))
    .filter(({ query }) => query.length > 0);
  expect(calls.length).toBeGreaterThan(10);
  for (const { id, method, path, query } of calls) {
    const address = path.replaceAll(/\{\w+\}/g, '00000000-0000-4000-8000-000000000000');
    const { body } = await api.call(`${method.toUpperCase()} ${address}`);
    const missing = new Set(
      refusal
        .catch({ details: [] })
        .parse(body)
        .details.map((detail) => detail.path),
    );
    const required = query.filter((parameter) => parameter.required).map(({ name }) => name);
    expect([id, ...missing].sort()).toEqual([id, ...required].sort());
  }
});

test.each([
  [
    'id',
    ['a0cb688f', 'A0CB688F-', 'a0cb688f-908b-4799-94e8-72e8837799c2'],
    ['a0cb688', 'a0cb688f--', 'a0cb688f9', 'g0cb688f', 'a0cb688f-908b-4799-94e8-72e8837799c2a'],
  ],
])('%s in the query is judged alike by the document and the server', async (name, valid, invalid) => {
  const pattern = documentedCalls
    .find(({ id }) => id === 'listNotifications')
    ?.operation.parameters.find((parameter) => parameter.name === name)?.schema.pattern;
  for (const text of [...valid, ...invalid]) {
    const { status } = await api.call(`GET /v6/notifications?${name}=${text}`);
    expect([text, status]).toEqual([text, valid.includes(text) ? 200 : 422]);
    expect([text, new RegExp(pattern ?? '', 'u').test(text)]).toEqual([text, valid.includes(text)]);
  }
});

test.each(['0020-02-29', '1969-12-31T23:59:59Z'])(
  'a preview as of %s, before any push, is refused',
  async (at) => {
    const notification = { to: '*', payload: { alert: 'a' }, time_to_live: 3600 };
    const { status, body } = await api.call('POST /v6/notifications/preview', { body: { at, notification } });
    expect([status, refusal.parse(body).details]).toEqual([422, [{ path: 'at' }]]);
  },
);
