/**
 * Checks the query of an address. An unknown parameter is refused, like an unknown key in a body: a caller must not
 * believe that `?dry_run=true` had an effect.
 */
import type { z } from 'zod';
import { type FaultDetail, invalidRequest } from '../api/errors.ts';
import { memberPath } from '../json/lossless.ts';
import { nearestOf } from '../api/nearest.ts';
import { isJsonObject } from '../api/parse.ts';

/** `a, b and c` */
const enumeration = new Intl.ListFormat('en-GB');

/** @throws {ApiError} `invalid_request` with every parameter that the call does not know */
export function refuseUnknownParameters(schema: z.ZodObject | undefined, query: unknown): void {
  const names = isJsonObject(query) ? Object.keys(query) : [];
  if (names.length === 0) return;
  const known = Object.keys(schema?.shape ?? {});
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) throw invalidRequest(unknown.map((name) => faultOf(name, known)));
}

function faultOf(name: string, known: readonly string[]): FaultDetail {
  const nearest = nearestOf(name, known);
  const hint =
    nearest === undefined
      ? `this call takes ${known.length === 0 ? 'none' : enumeration.format(known)}`
      : `did you mean ${nearest}?`;
  return { path: memberPath('', name), message: `is not a query parameter of this call: ${hint}` };
}
