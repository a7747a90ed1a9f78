/** Sends the calls of `generated/calls.ts`: address, key, limits of time, repetition, errors, lines. */
import { errorOf } from './errors.ts';
import { parseJson, stringifyJson } from './json.ts';
import { bodyOf, eventsOf, type Items, valuesOf } from './lines.ts';
import { type Repeat, withKeys } from './keys.ts';
import { pause, replyTo, send, type Tries } from './send.ts';

export interface Settings {
  /** The address of the server: `https://push.example.com`. A path in it is that of a proxy. */
  url: string;
  /** An API key. One that users can get at should have the permission `register` alone. */
  key: string;
  /** The time for one try; 30 seconds by default. The server counts an audience for 20 at most. */
  timeoutMs?: number;
  /** The time for a call with its repetitions; 2 minutes by default. */
  callTimeoutMs?: number;
  /** How often a call is repeated; 4 times by default, 0 for never. */
  retries?: number;
  /** The longest wait before the first repetition, in which no `Retry-After` says more; 250 ms by default, and then twice as long each time. */
  backoffMs?: number;
  /** In place of the global one, such as one with a proxy. */
  fetch?: Tries['fetch'];
}

export interface CallOptions {
  /** Ends the call, which then throws the reason of the signal. */
  signal?: AbortSignal | null | undefined;
}

export interface KeyedOptions extends CallOptions {
  /** In place of the one that the client makes: `order-4711-shipped`. */
  idempotencyKey?: string | undefined;
}

export type Query = Readonly<Record<string, string | number | undefined>>;

interface Parts {
  query?: object | undefined;
  body?: unknown;
  options?: KeyedOptions | undefined;
}

const PROGRESS_EVENTS: ReadonlySet<string> = new Set(['progress', 'end']);

export class Transport {
  readonly #tries: Tries;
  readonly #url: string;
  readonly #authorization: string;

  constructor({ url, key, ...settings }: Settings) {
    this.#url = url.replace(/\/+$/, '');
    this.#authorization = `Basic ${btoa(`:${key}`)}`;
    this.#tries = {
      timeoutMs: 30_000,
      callTimeoutMs: 120_000,
      retries: 4,
      backoffMs: 250,
      fetch: async (request, init) => fetch(request, init),
      pause,
      random: Math.random,
      ...settings,
    };
  }

  /**
   * Makes any call of the API, such as one for which the client has no method: `call('GET', '/v6/keys')`.
   * @returns the reply; text that is not JSON as a string
   */
  async call(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    { query, body, ...options }: { query?: Query; body?: unknown } & CallOptions = {},
  ): Promise<unknown> {
    return this.json(method, path, method === 'GET' ? 'reads' : 'only-after-429', { query, body, options });
  }

  /** @throws {ApiError | NoReplyError} */
  protected async json<Reply>(method: string, path: string, repeat: Repeat, parts: Parts): Promise<Reply> {
    const response = await this.#reply(method, path, repeat, parts, false);
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') === true;
    const reply: Reply = parseJson(isJson ? text : JSON.stringify(text === '' ? null : text));
    return reply;
  }

  protected async *lines<Line>(path: string, parts: Parts): AsyncGenerator<Line, void, undefined> {
    const { body } = await this.#reply('GET', path, 'reads', parts, true);
    yield* valuesOf<Line>(body, parts.options?.signal);
  }

  protected async *events<Event>(path: string, parts: Parts): AsyncGenerator<Event, void, undefined> {
    const { body } = await this.#reply('GET', path, 'reads', parts, true);
    yield* eventsOf<Event>(body, PROGRESS_EVENTS, parts.options?.signal);
  }

  /** Sends lines that are made while the server reads them: once, and without a limit of time. */
  protected async upload<Reply>(path: string, items: Items<unknown>, options?: CallOptions): Promise<Reply> {
    const init = {
      method: 'POST',
      headers: { authorization: this.#authorization, 'content-type': 'application/x-ndjson' },
      body: bodyOf(items),
      duplex: 'half',
      signal: options?.signal ?? null,
    } as const;
    const response = await replyTo(new Request(this.#url + path, init), this.#tries);
    if (!response.ok) throw await errorOf(response);
    const reply: Reply = parseJson(await response.text());
    return reply;
  }

  async #reply(
    method: string,
    path: string,
    repeat: Repeat,
    { query, body, options }: Parts,
    isStream: boolean,
  ): Promise<Response> {
    const headers = new Headers({ authorization: this.#authorization });
    if (body !== undefined) headers.set('content-type', 'application/json');
    if (repeat === 'keyed' && !Array.isArray(body)) {
      headers.set('idempotency-key', options?.idempotencyKey ?? crypto.randomUUID());
    }
    const request = new Request(this.#url + path + queryOf(query), {
      method,
      headers,
      signal: options?.signal ?? null,
      ...(body !== undefined && { body: stringifyJson(withKeys(repeat, body)) }),
    });
    const response = await send(
      request,
      { isRepeatable: repeat !== 'only-after-429', isStream },
      this.#tries,
    );
    if (!response.ok) throw await errorOf(response);
    return response;
  }
}

function queryOf(query: object = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  const text = String(
    new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)])),
  );
  return text === '' ? '' : `?${text}`;
}

/** A part of a path. @throws {TypeError} for the two that would lead to another call */
export function segment(value: string): string {
  if (value === '.' || value === '..') throw new TypeError(`${value} is no id`);
  return encodeURIComponent(value);
}
