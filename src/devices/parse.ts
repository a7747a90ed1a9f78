/** Reads what a caller sent by a schema, and tells every fault at once, each with its path. */
import { z } from 'zod';
import { type FaultDetail, invalidRequest } from '../errors.ts';
import { numberText } from '../json.ts';

/** @throws {ApiError} `invalid_request` with every fault, at paths such as `device.tags[0]` */
export function parseBy<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw invalidRequest(result.error.issues.flatMap(faultsOf));
}

/** Text of at most that many characters, counted as people (and JSON Schema) do: an emoji is one. */
export function text(charactersMax: number, charactersMin = 0): z.ZodType<string, string> {
  const rule =
    charactersMin === 0
      ? `must be text of at most ${charactersMax} characters`
      : `must be text of ${charactersMin} to ${charactersMax} characters`;
  return z
    .string(rule)
    .refine((value) => isWithin(value, charactersMin, charactersMax), rule)
    .meta({ minLength: charactersMin, maxLength: charactersMax });
}

/** A number as a double, also where it was sent with more digits than a double holds (`52.520006599999998`). */
export function double(schema: z.ZodNumber): z.ZodType<number> {
  return z.preprocess((value) => (JSON.isRawJSON(value) ? Number(numberText(value)) : value), schema);
}

export function isWithin(value: string, charactersMin: number, charactersMax: number): boolean {
  if (value.length < charactersMin) return false;
  // Characters outside the basic plane are two units long.
  if (value.length <= charactersMax) return true;
  return value.length <= 2 * charactersMax && Array.from(value).length <= charactersMax;
}

function faultsOf(issue: z.core.$ZodIssue): FaultDetail[] {
  const path = pathText(issue.path);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: joined(path, key), message: 'is not known here' }));
  }
  if (issue.code === 'invalid_key') return issue.issues.map(({ message }) => ({ path, message }));
  return [{ path, message: issue.message }];
}

function pathText(steps: readonly PropertyKey[]): string {
  return steps.reduce<string>(
    (path, step) => (typeof step === 'number' ? `${path}[${step}]` : joined(path, String(step))),
    '',
  );
}

function joined(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}
