/**
 * All errors of the API: each code has an HTTP status and a sentence.
 * A feature throws an `ApiError` with a code; only `http/error-reply` turns it into a reply.
 */

/**
 * A fault in a request, such as `{path: 'device.badge', message: 'must not be negative'}`: path and message together
 * form a sentence. The path is '' when the fault concerns the whole body.
 */
export interface FaultDetail {
  path: string;
  message: string;
}

/** Every code with its status and its sentence; docs/errors.md says when each occurs and how to react. */
export const catalogue = {
  invalid_http: { status: 400, sentence: 'The request is not valid HTTP/1.1.' },
  invalid_json: { status: 400, sentence: 'The body is not valid JSON.' },
  invalid_header: { status: 400, sentence: 'A request header is malformed.' },
  unauthorized: { status: 401, sentence: 'unauthorized' },
  forbidden: { status: 403, sentence: 'The API key lacks the permission that this call needs.' },
  user_not_verified: {
    status: 403,
    sentence: 'This app demands proof of the user that a call names; send a user token of your back end.',
  },
  not_found: { status: 404, sentence: 'Nothing exists at this address or with this id.' },
  method_not_allowed: { status: 405, sentence: 'This address does not support that method.' },
  request_timeout: { status: 408, sentence: 'The request took too long to arrive.' },
  idempotency_key_reused: {
    status: 409,
    sentence: 'This Idempotency-Key was used with a different body; use a new key for a new notification.',
  },
  audience_in_use: {
    status: 409,
    sentence:
      'A notification to this audience is scheduled or being sent; cancel it, or wait until it has ended.',
  },
  audience_built_in: {
    status: 409,
    sentence: 'This is the built-in audience of all devices, which cannot be changed or deleted.',
  },
  audience_not_named: {
    status: 409,
    sentence:
      'This audience was made by a notification and is the audience of everyone who sends these filters; name one with POST /v6/audiences.',
  },
  audience_changed: {
    status: 409,
    sentence: 'Somebody else has changed this audience since you read it; read it again.',
  },
  already_ended: { status: 409, sentence: 'The notification has already ended and cannot be canceled.' },
  channel_differs: {
    status: 409,
    sentence: 'A channel with this key exists and differs from the one in the request.',
  },
  channel_limit: {
    status: 409,
    sentence:
      'The app has as many channels in this environment as Apple allows; delete some that have ended.',
  },
  channel_not_open: {
    status: 409,
    sentence: 'The channel takes no more broadcasts: it has ended, or is being deleted.',
  },
  broadcast_outdated: {
    status: 409,
    sentence: 'The channel has a broadcast with a later timestamp.',
  },
  last_admin: {
    status: 409,
    sentence: 'This user is the only admin of the app; make someone else admin first.',
  },
  user_elsewhere: {
    status: 409,
    sentence:
      'This user has a role in another app, or signs in through OpenID; ask the operator to run "carillon console invite".',
  },
  body_too_large: { status: 413, sentence: 'The body is over the limit of 1 MiB (8 MiB for a batch).' },
  unsupported_media_type: {
    status: 415,
    sentence: 'The body must be sent as "Content-Type: application/json".',
  },
  invalid_request: { status: 422, sentence: 'The request breaks a rule; see details.' },
  credentials_refused: {
    status: 422,
    sentence: 'The gateway refuses these credentials; nothing was stored.',
  },
  gateway_refused: { status: 422, sentence: 'Apple refuses this; nothing was done.' },
  payload_too_large: { status: 422, sentence: 'The payload is too large for a gateway.' },
  rate_limited: { status: 429, sentence: 'Too many requests; wait and try again.' },
  headers_too_large: { status: 431, sentence: 'The headers of the request are over the limit of 16 KiB.' },
  device_erased: {
    status: 451,
    sentence: 'This device was erased; register it again with POST /v6/devices to get a new id.',
  },
  internal: {
    status: 500,
    sentence: 'The server failed; the cause is in its log, under this request id.',
  },
  unavailable: {
    status: 503,
    sentence: 'A part of the service is unavailable; nothing was done; try again shortly.',
  },
} as const satisfies Record<string, { status: number; sentence: string }>;

export type ErrorCode = keyof typeof catalogue;

export interface ApiErrorOptions {
  /** Replaces the catalogue's sentence. It says what the caller can do, and contains no personal data. */
  message?: string;
  details?: readonly FaultDetail[];
  /** Sent as `Retry-After`. */
  retryAfterSeconds?: number;
  cause?: unknown;
}

/** Thrown to refuse a request with a code of the catalogue. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ErrorCode;
  readonly status: number;
  readonly details: readonly FaultDetail[];
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, options: ApiErrorOptions = {}) {
    super(options.message ?? catalogue[code].sentence, { cause: options.cause });
    this.code = code;
    this.status = catalogue[code].status;
    this.details = options.details ?? [];
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** A body of 1 MiB can have tens of thousands of faults; nobody corrects more than 100 at a time. */
export const DETAILS_MAX = 100;

/**
 * The error for valid JSON that breaks rules: a 422 that lists the faults. The first fault becomes the sentence.
 * @param whole the subject of that sentence if the fault has no path
 */
export function invalidRequest(details: readonly FaultDetail[], whole = 'The body'): ApiError {
  const first = details[0];
  if (first === undefined) return new ApiError('invalid_request');
  const rest = details.length === 1 ? '' : ` (and ${details.length - 1} more; see details)`;
  const message = `${faultSentence(first, whole)}${rest}`;
  return new ApiError('invalid_request', { message, details: details.slice(0, DETAILS_MAX) });
}

/** @param whole the subject of the sentence when the fault has no path */
export function faultSentence({ path, message }: FaultDetail, whole: string): string {
  return `${path === '' ? whole : path} ${message}`;
}
