/** Parses the bytes of a body as JSON, without loss of digits. Refuses invalid UTF-8 and deep nesting. */
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError, invalidRequest } from '../errors.ts';
import { LEVELS_MAX, nestsTooDeep } from '../json/lossless.ts';
import { BadJson, parseSentJson } from '../json/strict.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * @param bytes the whole body, within the server's limit
 * @returns the value, with exact numbers; undefined if the body is empty
 * @throws {ApiError} `invalid_json` if it is not UTF-8 (RFC 8259, 8.1) or not JSON, or has a key twice in one
 * object; `invalid_request` if it nests too deeply
 * @throws {UnusableJson} see `parseSentJson`
 */
export function parseBody(bytes: Uint8Array): unknown {
  if (bytes.length === 0) return undefined;
  const text = decode(bytes);
  if (nestsTooDeep(text)) {
    throw invalidRequest([{ path: '', message: `must nest at most ${LEVELS_MAX} levels deep` }]);
  }
  try {
    return parseSentJson(text);
  } catch (error) {
    if (!(error instanceof BadJson)) throw error;
    const { message, line, column } = error;
    throw new ApiError('invalid_json', { message: `The body ${message} at line ${line}, column ${column}.` });
  }
}

/** @throws {ApiError} `invalid_json` if the body is empty */
export function requiredBody(request: { body: unknown }): unknown {
  if (request.body === undefined) throw new ApiError('invalid_json', { message: 'The body is empty.' });
  return request.body;
}

/** Adds routes that stream their body. They get a scope of their own, because the server parses all other bodies. */
export function acceptUnreadBody(server: FastifyInstance, addRoutes: (scope: FastifyInstance) => void): void {
  void server.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _body, done) => done(null));
    addRoutes(scope);
  });
}

/** A hook for `onRequest` that refuses other media types and compressed bodies with 415. */
export function requireMediaType(expected: string): (request: FastifyRequest) => Promise<void> {
  return async (request) => {
    const [mediaType = ''] = (request.headers['content-type'] ?? '').split(';');
    if (mediaType.trim().toLowerCase() !== expected) {
      throw new ApiError('unsupported_media_type', {
        message: `The body must be sent as "Content-Type: ${expected}".`,
      });
    }
    refuseEncoded(request);
  };
}

/** A compressed body would circumvent the size limit, and no call needs one. */
export function refuseEncoded(request: { headers: IncomingHttpHeaders }): void {
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() === 'identity') return;
  throw new ApiError('unsupported_media_type', {
    message: 'The body must be sent without Content-Encoding.',
  });
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch (error) {
    throw new ApiError('invalid_json', { message: 'The body is not valid UTF-8.', cause: error });
  }
}
