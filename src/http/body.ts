/**
 * Reads bodies: their media types, and their bytes as JSON, without loss of digits. Refuses invalid UTF-8, deep nesting and
 * too many values.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError, invalidRequest } from '../api/errors.ts';
import { sizeFault } from '../json/size.ts';
import { BadJson, parseSentJson } from '../json/strict.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * @param bytes the whole body, within the server's limit
 * @returns the value, with exact numbers; undefined if the body is empty
 * @throws {ApiError} `invalid_json` if it is not UTF-8 (RFC 8259, 8.1) or not JSON, or has a key twice in one
 * object; `invalid_request` if it nests too deeply or has too many values
 * @throws {UnusableJson} see `parseSentJson`
 */
export function parseBody(bytes: Uint8Array): unknown {
  if (bytes.length === 0) return undefined;
  const text = decode(bytes, 'The body');
  try {
    return parseText(text, 'The body');
  } catch (error) {
    throw error instanceof BadJson ? invalidJson(error) : error;
  }
}

/**
 * @param what the subject of an error's sentence, such as `The body`
 * @throws {BadJson} see `parseSentJson`
 * @throws {UnusableJson} see `parseSentJson`
 * @throws {ApiError} `invalid_request` if it nests too deeply or has too many values (`sizeFault`)
 */
export function parseText(text: string, what: string): unknown {
  const fault = sizeFault(text);
  if (fault === undefined) return parseSentJson(text);
  throw invalidRequest([{ path: '', message: fault }], what);
}

/** The error for a body with that fault. */
export function invalidJson({ message, line, column }: BadJson): ApiError {
  return new ApiError('invalid_json', { message: `The body ${message} at line ${line}, column ${column}.` });
}

/** @throws {ApiError} `invalid_json` if the body is empty */
export function requiredBody(request: { body: unknown }): unknown {
  if (request.body === undefined) throw new ApiError('invalid_json', { message: 'The body is empty.' });
  return request.body;
}

/** The `bodyLimit` of routes that stream their body: nothing of it is kept. */
export const UNLIMITED = Number.MAX_SAFE_INTEGER;

/** Adds routes that stream their body. They get a scope of their own, because the server parses all other bodies. */
export function acceptUnreadBody(server: FastifyInstance, addRoutes: (scope: FastifyInstance) => void): void {
  void server.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _body, done) => done(null));
    addRoutes(scope);
  });
}

/** Adds routes whose body is a buffer, in a scope of their own. */
export function acceptBytes(server: FastifyInstance, addRoutes: (scope: FastifyInstance) => void): void {
  void server.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) =>
      done(null, body.length === 0 ? undefined : body),
    );
    addRoutes(scope);
  });
}

/** A hook for `onRequest` that refuses other media types and compressed bodies with 415. */
export function requireMediaType(...expected: readonly string[]): (request: FastifyRequest) => Promise<void> {
  const sentence = `The body must be sent as "Content-Type: ${expected.join('" or "')}".`;
  return async (request) => {
    if (!expected.includes(mediaTypeOf(request))) {
      throw new ApiError('unsupported_media_type', { message: sentence });
    }
    refuseEncoded(request);
  };
}

/** @returns the media type in lower case, without its parameters; '' if there is none */
export function mediaTypeOf({ headers }: { headers: IncomingHttpHeaders }): string {
  const [mediaType = ''] = (headers['content-type'] ?? '').split(';');
  return mediaType.trim().toLowerCase();
}

/** A compressed body would circumvent the size limit, and no call needs one. */
export function refuseEncoded(request: { headers: IncomingHttpHeaders }): void {
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() === 'identity') return;
  throw new ApiError('unsupported_media_type', {
    message: 'The body must be sent without Content-Encoding.',
  });
}

/**
 * @param what the subject of the error's sentence, such as `The body`
 * @throws {ApiError} `invalid_json` if they are not UTF-8
 */
export function decode(bytes: Uint8Array, what: string): string {
  try {
    return utf8.decode(bytes);
  } catch (error) {
    throw new ApiError('invalid_json', { message: `${what} is not valid UTF-8.`, cause: error });
  }
}
