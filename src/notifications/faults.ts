/** Turns what zod found into the faults that a caller reads, each with its path in the request. */
import { z } from 'zod';
import type { FaultDetail } from '../errors.ts';

/** Either the value, or everything that is wrong with it. */
export type Parsed<Value> = { value: Value; faults?: never } | { value?: never; faults: FaultDetail[] };

/** A JSON object: neither an array nor a number that was kept raw (see `json.ts`), which is an object too. */
export const jsonObject = z.custom<Record<string, unknown>>(isJsonObject, {
  error: (issue) => (issue.input === undefined ? 'is required' : 'must be an object'),
});

export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value);
}

/** Every issue as a fault; `path` leads to the value that was parsed, '' where it is the body itself. */
export function faultsOf(error: z.ZodError, path: string): FaultDetail[] {
  return error.issues.flatMap((issue) => {
    const place = issue.path.reduce<string>(joinPath, path);
    if (issue.code !== 'unrecognized_keys') return [{ path: place, message: issue.message }];
    return issue.keys.map((key) => ({ path: joinPath(place, key), message: 'is not a key known here' }));
  });
}

function joinPath(path: string, key: PropertyKey): string {
  if (typeof key === 'number') return `${path}[${key}]`;
  return path === '' ? String(key) : `${path}.${String(key)}`;
}
