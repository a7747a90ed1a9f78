/** Calls the API that customers use, as the user who has signed in. */
import { root } from './router.ts';

/** A call, for sending and for showing as curl. */
export interface ApiCall {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** The path with its parameters encoded (`encodeURIComponent`) and its query: `/v6/notifications?limit=50`. */
  path: string;
  /** Sent as JSON. A string is JSON already, with every digit of its numbers. */
  body?: unknown;
  /** Sent as `Idempotency-Key`: however often the call is sent, it takes effect once. */
  idempotencyKey?: string;
}

/** A fault in a request, which has a position in it. */
interface Detail {
  path: string;
  message: string;
}

/** A refusal by the server, or no answer. `message` is the server's sentence. */
export class ApiFailure extends Error {
  override readonly name = 'ApiFailure';
  /** 0: there was no answer. */
  readonly status: number;
  readonly code: string;
  readonly details: readonly Detail[];
  readonly requestId: string | undefined;

  constructor(status: number, message: string, code = 'unknown', details: Detail[] = [], requestId?: string) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = details;
    this.requestId = requestId;
  }
}

/** @returns the fault at that position of the request, in the server's words; undefined if there is none */
export function faultAt(error: unknown, path: string): string | undefined {
  return error instanceof ApiFailure
    ? error.details.find((detail) => detail.path === path)?.message
    : undefined;
}

const TIMEOUT_MS = 30_000;

const READ_FROM = 'carillon-read-from';
/** A read replica of the server may lack what was just written, so calls ask for the primary for this long. */
const OWN_WRITE_MS = 10_000;
let wroteAtMs = -Infinity;

/** The app that calls are for. The frame sets it before a screen is shown. */
let appId: string | undefined;
let onSignedOut = (): void => {};

export function setApp(id: string | undefined): void {
  appId = id;
}

/** @param react called when the server no longer knows the session */
export function whenSignedOut(react: () => void): void {
  onSignedOut = react;
}

/** @returns the full address of a call, for `fetch` and for curl */
export function urlOf(path: string): string {
  return new URL(`..${path}`, root).href;
}

export function bodyOf(body: unknown): string {
  return typeof body === 'string' ? body : JSON.stringify(body);
}

/** @returns the reply's JSON with exact numbers (`parseExact`), undefined without a body. @throws {ApiFailure} unless it is 2xx */
export async function call<Reply>(request: ApiCall, signal?: AbortSignal): Promise<Reply> {
  const response = await open(request, signal, TIMEOUT_MS);
  const text = await response.text();
  try {
    const reply: Reply = parseExact(text);
    return reply;
  } catch {
    throw new ApiFailure(response.status, 'The answer is not JSON; a proxy may be in between.');
  }
}

/** Sends a call and hands over the response unread, for streams, which have no timeout. @throws {ApiFailure} unless it is 2xx */
export async function open(request: ApiCall, signal?: AbortSignal, timeoutMs?: number): Promise<Response> {
  const timeout = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
  const response = await fetch(urlOf(request.path), {
    method: request.method,
    headers: {
      accept: 'application/json',
      ...(appId !== undefined && request.path.startsWith('/v6/') && { 'carillon-app': appId }),
      ...(request.body !== undefined && { 'content-type': 'application/json' }),
      ...(request.idempotencyKey !== undefined && { 'idempotency-key': request.idempotencyKey }),
      ...(performance.now() - wroteAtMs < OWN_WRITE_MS && { [READ_FROM]: 'primary' }),
    },
    credentials: 'same-origin',
    cache: 'no-store',
    signal: AbortSignal.any([signal, timeout].filter((one) => one !== undefined)),
    ...(request.body !== undefined && { body: bodyOf(request.body) }),
  }).catch((error: unknown) => {
    if (signal?.aborted === true) throw error;
    throw new ApiFailure(0, unreachable(error), 'unreachable');
  });
  // For each call that only reads, a server with a replica says which database it read.
  if (request.method !== 'GET' && !response.headers.has(READ_FROM)) wroteAtMs = performance.now();
  if (response.ok) return response;
  const failure = await failureOf(response);
  if (failure.status === 401 && request.path !== '/console/session') onSignedOut();
  throw failure;
}

function unreachable(error: unknown): string {
  return error instanceof DOMException && error.name === 'TimeoutError'
    ? 'The server did not answer within 30 seconds.'
    : 'The server cannot be reached.';
}

async function failureOf(response: Response): Promise<ApiFailure> {
  const requestId = response.headers.get('x-request-id') ?? undefined;
  const { status } = response;
  const text = await response.text().catch(() => '');
  try {
    const said: { error: string; code: string; details?: Detail[] } = JSON.parse(text);
    if (typeof said.error === 'string') {
      return new ApiFailure(status, said.error, said.code, said.details, requestId);
    }
  } catch {
    // Something between the browser and the server has answered, in another form.
  }
  return new ApiFailure(status, `The server answered ${status}.`, 'unknown', [], requestId);
}

/**
 * Parses JSON. A number that JavaScript would change (4611686018427387905) becomes raw JSON (`JSON.rawJSON`):
 * `JSON.stringify` writes it with the same digits. Browsers that lack `JSON.rawJSON` get JavaScript's number.
 */
export function parseExact(text: string) {
  if (text === '') return undefined;
  return JSON.parse(text, (_name: string, value: unknown, context?: { source?: string }) => {
    const source = context?.source;
    if (typeof value !== 'number' || source === undefined || String(value) === source) return value;
    // `1.0` and `1e3` are written differently, but mean the same; only numbers with many digits lose some.
    const isRounded = source.replaceAll(/[^0-9]/g, '').length > 15;
    return isRounded && 'rawJSON' in JSON && typeof JSON.rawJSON === 'function'
      ? JSON.rawJSON(source)
      : value;
  });
}
