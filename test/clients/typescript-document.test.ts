/** The TypeScript client makes each call of a back end as the document has it: every parameter and field of the examples. */
import { describe, expect, it } from 'vitest';
import { Carillon } from '../../clients/typescript/src/index.ts';
import type { DocumentedCall } from '../http/openapi/document.ts';
import { calls } from './back-end-calls.ts';

type Method = (...words: unknown[]) => Promise<unknown> | AsyncIterable<unknown>;

/** What the client sends, and what it makes of the documented reply. */
async function made({ id, operation, replies }: DocumentedCall) {
  let sent: Request | undefined;
  const success = replies.find(({ status }) => status < 300);
  const [mediaType = '', content] = Object.entries(success?.reply.content ?? {})[0] ?? [];
  const example = content?.example;
  const text = typeof example === 'string' ? example : example === undefined ? null : JSON.stringify(example);
  const carillon = new Carillon({
    url: 'http://carillon.test/push',
    key: 'secret',
    fetch: async (request) => {
      sent = request.clone();
      return new Response(text, {
        status: success?.status ?? 0,
        headers: text === null ? {} : { 'content-type': mediaType },
      });
    },
  });
  const given = (place: string) => operation.parameters.filter((parameter) => parameter.in === place);
  const body = bodyOf(operation);
  const query = Object.fromEntries(given('query').map(({ name, example: value }) => [name, value]));
  const words = [
    ...given('path').map((parameter) => parameter.example),
    ...(body === undefined ? [] : [body]),
    ...(given('query').length > 0 ? [query] : []),
    ...(given('header').length > 0 ? [{ idempotencyKey: given('header')[0]?.example }] : []),
  ];
  const method: Method = Reflect.get(carillon, id).bind(carillon);
  const result = method(...words);
  const reply = result instanceof Promise ? await result : await Array.fromAsync(result);
  if (sent === undefined) throw new Error('nothing was sent');
  return { sent, body, reply, text, mediaType };
}

function bodyOf({ requestBody }: DocumentedCall['operation']): unknown {
  const [content] = Object.values(requestBody?.content ?? {});
  return typeof content?.example === 'string' ? linesIn(content.example) : content?.example;
}

function linesIn(text: string): unknown[] {
  const lines = text.split('\n').filter((line) => line.startsWith('{') || line.startsWith('data: '));
  return lines.map((line) => JSON.parse(line.replace('data: ', '')));
}

describe.each(calls)('$id of the client', (call) => {
  it('the client sends what the document has, and returns its reply', async () => {
    const { operation } = call;
    const { sent, body, reply, text, mediaType } = await made(call);
    const examples = new Map(operation.parameters.map(({ name, example }) => [name, String(example)]));
    const at = call.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(examples.get(name) ?? ''),
    );
    const url = new URL(sent.url);
    expect([sent.method, url.pathname]).toEqual([call.method.toUpperCase(), `/push${at}`]);
    const query = operation.parameters.filter((parameter) => parameter.in === 'query');
    expect(Object.fromEntries(url.searchParams)).toEqual(
      Object.fromEntries(query.map(({ name }) => [name, examples.get(name)])),
    );
    expect(sent.headers.get('idempotency-key') ?? undefined).toBe(examples.get('Idempotency-Key'));
    const isLines = sent.headers.get('content-type') === 'application/x-ndjson';
    const received = await sent.text();
    const isBatch = operation['x-carillon-repeat'] === 'keyed' && Array.isArray(body);
    const expected = isBatch ? body.map((item: object) => expect.objectContaining(item)) : (body ?? '');
    expect(isLines ? linesIn(received) : received === '' ? '' : JSON.parse(received)).toEqual(expected);
    const isStream = mediaType !== '' && mediaType !== 'application/json';
    const shown = text === null || text === '{}' ? undefined : isStream ? linesIn(text) : JSON.parse(text);
    expect(reply).toEqual(shown);
  });
});
