/** The client: typed calls by path, and the few that are more than one request and one reply. */
import createClient, { type Client, type MaybeOptionalInit, type Middleware } from 'openapi-fetch';
import type { PathsWithMethod, RequiredKeysOf } from 'openapi-typescript-helpers';
import { errorOf } from './errors.ts';
import { bodyOf, eventsOf, groupsOf, valuesOf } from './lines.ts';
import { isRepeatable, takesKey, withKeys } from './repeatable.ts';
import type { operations, paths } from './schema.ts';
import type { Schemas } from './schemas.ts';
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

type Json = 'application/json';
/** As `openapi-fetch` has it, which does not export it. */
type InitParam<Init> =
  RequiredKeysOf<Init> extends never
    ? [(Init & { [key: string]: unknown })?]
    : [Init & { [key: string]: unknown }];

/** The limits of a batch; with a margin for keys and line ends. */
const BATCH = { itemsMax: 1_000, bytesMax: 7 * 1024 * 1024 };
const PROGRESS_EVENTS: ReadonlySet<string> = new Set(['progress', 'end']);

export class Carillon {
  readonly #api: Client<paths, Json>;
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
    this.#api = createClient<paths, Json>({
      baseUrl: this.#url,
      headers: { authorization: this.#authorization },
      // No body of the API is a single text: a text is NDJSON.
      bodySerializer: (body: unknown) => (typeof body === 'string' ? body : JSON.stringify(withKeys(body))),
    });
    this.#api.use(this.#sending());
  }

  /**
   * `await carillon.get('/v6/notifications/{notification_id}', { params: { path: { notification_id: id } } })`
   * @returns the reply
   * @throws {ApiError} for any other reply than a success
   * @throws {NoReplyError} without a reply
   */
  async get<Path extends PathsWithMethod<paths, 'get'>, Init extends MaybeOptionalInit<paths[Path], 'get'>>(
    path: Path,
    ...init: InitParam<Init>
  ) {
    return dataOf(await this.#api.GET<Path, Init>(path, ...init));
  }

  /** As `get`. A notification, and each item of a batch, gets an idempotency key if it has none. */
  async post<
    Path extends PathsWithMethod<paths, 'post'>,
    Init extends MaybeOptionalInit<paths[Path], 'post'>,
  >(path: Path, ...init: InitParam<Init>) {
    return dataOf(await this.#api.POST<Path, Init>(path, ...init));
  }

  /** As `get`. */
  async put<Path extends PathsWithMethod<paths, 'put'>, Init extends MaybeOptionalInit<paths[Path], 'put'>>(
    path: Path,
    ...init: InitParam<Init>
  ) {
    return dataOf(await this.#api.PUT<Path, Init>(path, ...init));
  }

  /** As `get`. */
  async delete<
    Path extends PathsWithMethod<paths, 'delete'>,
    Init extends MaybeOptionalInit<paths[Path], 'delete'>,
  >(path: Path, ...init: InitParam<Init>) {
    return dataOf(await this.#api.DELETE<Path, Init>(path, ...init));
  }

  /**
   * Sends any number of notifications, in batches of up to 1,000.
   * @returns an entry for each, in their order, with its position from 1 as `line`; look at the `status` of each
   */
  async *sendMany(
    items: Iterable<Schemas['BatchItem']> | AsyncIterable<Schemas['BatchItem']>,
    { signal = null }: { signal?: AbortSignal | null } = {},
  ): AsyncGenerator<Schemas['BatchEntry'], void, undefined> {
    let before = 0;
    for await (const body of groupsOf(items, BATCH)) {
      const entries = await this.post('/v6/notifications/batch', { body, signal });
      for (const entry of entries) yield { ...entry, line: before + entry.line };
      before += body.length;
    }
  }

  /** Registers any number of devices in one request, which is made while the server reads it. It is sent once, without a limit of time. */
  async importDevices(
    devices: Iterable<Schemas['DeviceRegistration']> | AsyncIterable<Schemas['DeviceRegistration']>,
    { signal = null }: { signal?: AbortSignal | null } = {},
  ): Promise<Schemas['ImportResult']> {
    const init = {
      method: 'POST',
      headers: { authorization: this.#authorization, 'content-type': 'application/x-ndjson' },
      body: bodyOf(devices),
      duplex: 'half',
      signal,
    } as const;
    const request = new Request(`${this.#url}/v6/devices/import`, init);
    const response = await replyTo(request, this.#tries);
    if (!response.ok) throw await errorOf(response);
    const result: Schemas['ImportResult'] = JSON.parse(await response.text());
    return result;
  }

  /** Every device of a notification that fits the filters, as the reply comes. */
  async *exportDeliveries(
    notificationId: string,
    query: Omit<NonNullable<operations['exportDeliveries']['parameters']['query']>, 'format'> = {},
    { signal = null }: { signal?: AbortSignal | null } = {},
  ): AsyncGenerator<Schemas['FoundDelivery'], void, undefined> {
    const params = { path: { notification_id: notificationId }, query };
    const path = '/v6/notifications/{notification_id}/deliveries/export';
    const reply = await this.get(path, { params, parseAs: 'stream', signal });
    yield* valuesOf<Schemas['FoundDelivery']>(bodyIn(reply), signal);
  }

  /** Every entry of the audit log that fits the filters, as the reply comes. */
  async *exportAudit(
    query: NonNullable<operations['exportAudit']['parameters']['query']> = {},
    { signal = null }: { signal?: AbortSignal | null } = {},
  ): AsyncGenerator<Schemas['AuditEntry'], void, undefined> {
    const reply = await this.get('/v6/audit/export', { params: { query }, parseAs: 'stream', signal });
    yield* valuesOf<Schemas['AuditEntry']>(bodyIn(reply), signal);
  }

  /** The progress of a notification, whenever it changes, until it has ended. */
  async *watch(
    notificationId: string,
    { signal = null }: { signal?: AbortSignal | null } = {},
  ): AsyncGenerator<Schemas['NotificationProgress'], void, undefined> {
    const params = { path: { notification_id: notificationId } };
    const path = '/v6/notifications/{notification_id}/live';
    const reply = await this.get(path, { params, parseAs: 'stream', signal });
    yield* eventsOf<Schemas['NotificationProgress']>(bodyIn(reply), PROGRESS_EVENTS, signal);
  }

  #sending(): Middleware {
    return {
      onRequest: async ({ request, schemaPath, options }) => {
        if (takesKey(request, schemaPath) && !request.headers.has('idempotency-key')) {
          request.headers.set('idempotency-key', crypto.randomUUID());
        }
        const sending = {
          isRepeatable: isRepeatable(request, schemaPath),
          isStream: options.parseAs === 'stream',
        };
        const response = await send(request, sending, this.#tries);
        if (!response.ok) throw await errorOf(response);
        return response;
      },
    };
  }
}

/** The data of a success; `#sending` has thrown any other reply. */
function dataOf<T>(reply: { data: T; error?: never } | { data?: never; error: unknown }): T {
  if (reply.error !== undefined || !('data' in reply)) throw new Error('a failed reply was not thrown');
  return reply.data;
}

/** `openapi-fetch` returns nothing for a reply without content. */
function bodyIn(body: Response['body'] | undefined): ReadableStream<Uint8Array> {
  return body ?? new ReadableStream({ start: (controller) => controller.close() });
}
