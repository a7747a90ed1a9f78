/**
 * What stands behind the `?` of an address. A name that a call does not know is refused as an unknown key of a body
 * is: whoever writes `?dry_run=true` must not have it ignored.
 */
import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import { type FaultDetail, invalidRequest } from '../errors.ts';
import { memberPath } from '../json/lossless.ts';
import { nearestOf } from '../nearest.ts';
import { isJsonObject } from '../parse.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The names that the call knows; none unless told. */
    query?: z.ZodObject;
  }
}

/** For the routes that are added after it. @throws {ApiError} `invalid_request`, after 401 and 403 */
export function refuseUnknownNames(server: FastifyInstance): void {
  server.addHook('preHandler', async ({ query, routeOptions }) => {
    const known = Object.keys(routeOptions.config.query?.shape ?? {});
    const names = isJsonObject(query) ? Object.keys(query) : [];
    const unknown = names.filter((name) => !known.includes(name));
    if (unknown.length > 0) throw invalidRequest(unknown.map((name) => faultOf(name, known)));
  });
}

function faultOf(name: string, known: readonly string[]): FaultDetail {
  const nearest = nearestOf(name, known);
  const hint =
    nearest === undefined
      ? `this call takes ${known.length === 0 ? 'none' : known.join(' and ')}`
      : `did you mean ${nearest}?`;
  return { path: memberPath('', name), message: `is no query parameter of this call: ${hint}` };
}
