/**
 * Turns any failure of a request into the same form, `{error, code, details?}`. The cause of an internal failure is not
 * sent to the caller; it is logged with the request id.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { withoutValues } from '../db/loggable-error.ts';
import { isUnavailable } from '../db/unavailable.ts';
import { ApiError, catalogue, type ErrorCode, invalidRequest } from '../api/errors.ts';
import { UnusableJson } from '../json/lossless.ts';

const faultReply = z
  .strictObject({
    path: z.string().describe('The position in the request, such as `notification.to[0].criteria`.'),
    message: z.string(),
  })
  .meta({ id: 'Fault' });

export const errorReply = z
  .strictObject({
    error: z.string().describe('One sentence for a person. It may change; do not compare it.'),
    code: z
      .enum(Object.keys(catalogue))
      .meta({ id: 'ErrorCode' })
      .describe('Identifies the kind of error, for programs.'),
    details: z.array(faultReply).optional().describe('All faults in the request that have a position.'),
  })
  .meta({ id: 'Error' });

const RETRY_AFTER_SECONDS = 5;

/** Fastify's own errors. An address that cannot be decoded or is far too long counts as unknown. */
const FASTIFY_CODES: Readonly<Record<string, ErrorCode>> = {
  FST_ERR_BAD_URL: 'not_found',
  FST_ERR_MAX_PARAM_LENGTH: 'not_found',
  FST_ERR_CTP_BODY_TOO_LARGE: 'body_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'invalid_header',
};

/** @returns the error as the caller may see it; the original is kept as its `cause` */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof UnusableJson) return invalidRequest([{ path: error.path, message: error.message }]);
  const refusal = FASTIFY_CODES[codeOf(error)];
  if (refusal !== undefined) return new ApiError(refusal, { cause: error });
  // Fastify's error for a body that was cut off; the client is gone.
  if (error instanceof Error && 'statusCode' in error && error.statusCode === 400) {
    return new ApiError('invalid_json', { message: 'The body ended early.', cause: error });
  }
  if (isUnavailable(error)) {
    return new ApiError('unavailable', { retryAfterSeconds: RETRY_AFTER_SECONDS, cause: error });
  }
  return new ApiError('internal', { cause: error });
}

/** The header with which the console names the app of a call. */
export const APP_HEADER = 'carillon-app';

export function sendError(reply: FastifyReply, error: ApiError): void {
  void reply.code(error.status);
  if (error.code === 'unauthorized') void reply.header('www-authenticate', challengeFor(reply.request));
  if (error.retryAfterSeconds !== undefined) void reply.header('retry-after', error.retryAfterSeconds);
  void reply.send(errorBody(error));
}

/** On `Basic`, a browser would ask for a name and a password itself. */
function challengeFor({ headers, url }: FastifyRequest): string {
  const isFromConsole = headers[APP_HEADER] !== undefined || url.startsWith('/console');
  return isFromConsole ? 'Session realm="carillon"' : 'Basic realm="carillon"';
}

export function errorBody({ message, code, details }: ApiError): object {
  return { error: message, code, ...(details.length > 0 && { details }) };
}

/** @returns the cause, or the error itself if it has none, without the values that Postgres quotes */
export function loggableError(error: ApiError): Error {
  return error.cause instanceof Error ? withoutValues(error.cause) : error;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
