/** The request of a documented call as its examples have it, with ids that exist for those of the samples. */
import type { InjectOptions } from 'fastify';
import { basic } from '../api.ts';
import type { DocumentedCall } from './document.ts';

/** Changes to the call as its examples have it. */
export interface Change {
  /** Ids for those of the samples, in the path, the query and the body. */
  ids?: Readonly<Record<string, string>>;
  /** Values of parameters, by name. */
  values?: Readonly<Record<string, string>>;
  query?: string;
  headers?: Readonly<Record<string, string>>;
  /** One of the documented types of the body; the first by default. */
  mediaType?: string;
  body?: string | Buffer;
}

/** @param key '' for none */
export function exampleRequest(
  { method, path, operation }: DocumentedCall,
  key: string,
  { ids = {}, values = {}, query, headers, mediaType, body: sent }: Change,
): InjectOptions {
  const real = (text: string): string =>
    Object.entries(ids).reduce((replaced, [sample, id]) => replaced.replaceAll(sample, id), text);
  const examplesIn = (place: string): [string, string][] =>
    operation.parameters
      .filter((one) => one.in === place)
      .map(({ name, example }) => [name, values[name] ?? String(example)]);
  const address = examplesIn('path').reduce(
    (filled, [name, example]) => filled.replace(`{${name}}`, encodeURIComponent(example)),
    path,
  );
  const search = query ?? new URLSearchParams(examplesIn('query')).toString();
  const bodies = Object.entries(operation.requestBody?.content ?? {});
  const body = bodies.find(([each]) => each === mediaType) ?? bodies[0];
  const example = body?.[1].example;
  const payload = sent ?? (typeof example === 'string' ? example : JSON.stringify(example));
  return {
    method: method === 'get' ? 'GET' : method === 'put' ? 'PUT' : method === 'post' ? 'POST' : 'DELETE',
    url: real(search === '' ? address : `${address}?${search}`),
    headers: {
      ...(key !== '' && { authorization: basic('', key) }),
      ...(body !== undefined && { 'content-type': body[0] }),
      ...Object.fromEntries(examplesIn('header').map(([name, value]) => [name.toLowerCase(), value])),
      ...headers,
    },
    ...(body !== undefined && { payload: typeof payload === 'string' ? real(payload) : payload }),
  };
}
