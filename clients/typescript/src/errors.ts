/** How a call can fail: the server refuses it (`ApiError`), or there is no reply (`NoReplyError`). */
import { secondsOf } from './retry-after.ts';
import type { ErrorCode, Fault } from './generated/types.ts';

export class CarillonError extends Error {
  override readonly name: string = 'CarillonError';
}

interface Refusal {
  status: number;
  code: ErrorCode;
  details: readonly Fault[];
  requestId: string | null;
  retryAfterSeconds: number | undefined;
}

/** A reply that is no success. Its message is a sentence for people, which may change; compare `code`. */
export class ApiError extends CarillonError {
  override readonly name = 'ApiError';
  readonly status: number;
  /** `unknown` if the reply does not have the form of an error of Carillon, such as that of a proxy. */
  readonly code: ErrorCode;
  /** The faults of the request that have a position. */
  readonly details: readonly Fault[];
  /** By which the log of the server finds the request. */
  readonly requestId: string | null;
  /** What the server asked for, with 429 and 503. */
  readonly retryAfterSeconds: number | undefined;

  constructor(message: string, refusal: Refusal) {
    super(message);
    this.status = refusal.status;
    this.code = refusal.code;
    this.details = refusal.details;
    this.requestId = refusal.requestId;
    this.retryAfterSeconds = refusal.retryAfterSeconds;
  }
}

/** No reply, or only a part of one: the server may have done what the call asked for, or not. */
export class NoReplyError extends CarillonError {
  override readonly name = 'NoReplyError';
}

export async function errorOf(response: Response): Promise<ApiError> {
  const text = await response.text();
  const {
    error,
    code,
    details = [],
  } = envelopeOf(text) ?? {
    error: `The reply has the status ${response.status} and is no error of Carillon.`,
    code: 'unknown',
  };
  return new ApiError(error, {
    status: response.status,
    code,
    details,
    requestId: response.headers.get('x-request-id'),
    retryAfterSeconds: secondsOf(response.headers.get('retry-after')),
  });
}

interface Envelope {
  error: string;
  code: ErrorCode;
  details?: Fault[];
}

function envelopeOf(text: string): Envelope | undefined {
  try {
    const value: Partial<Envelope> | null = JSON.parse(text);
    const { error, code, details } = value ?? {};
    if (typeof error !== 'string' || typeof code !== 'string') return undefined;
    return { error, code, ...(Array.isArray(details) && { details }) };
  } catch {
    return undefined;
  }
}
