/** Validates input against a schema and reports every fault at once, each with its path. */
import { z } from 'zod';
import { type FaultDetail, invalidRequest } from './errors.ts';
import { memberPath, numberText } from '../json/lossless.ts';

/** Either the value or all faults. */
export type Parsed<Value> =
  { value: Value; faults?: never } | { value?: never; faults: readonly FaultDetail[] };

/** @throws {ApiError} `invalid_request` with every fault, at paths such as `device.tags[0]` */
export function parseBy<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = judge(schema, value);
  if (result.success) return result.data;
  throw invalidRequest(faultsOf(result.error, ''));
}

/**
 * For a body with a part that has a parser of its own, such as filters.
 * @param part undefined if the body has no place for it, which is a fault by the schema
 * @throws {ApiError} `invalid_request` with every fault of both
 */
export function parseWith<Schema extends z.ZodType, Part>(
  schema: Schema,
  body: unknown,
  part: Parsed<Part> | undefined,
): { whole: z.output<Schema>; part: Part } {
  const whole = judge(schema, body);
  if (whole.success && part?.value !== undefined) return { whole: whole.data, part: part.value };
  throw invalidRequest([
    ...(whole.error === undefined ? [] : faultsOf(whole.error, '')),
    ...(part?.faults ?? []),
  ]);
}

/** `safeParse`, with plain messages for schemas that have none of their own. */
export function judge<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): z.ZodSafeParseResult<z.output<Schema>> {
  return schema.safeParse(value, { error: plainMessage });
}

const KINDS: Readonly<Record<string, string>> = {
  object: 'an object',
  record: 'an object',
  array: 'a list',
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
};

function plainMessage(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code !== 'invalid_type') return undefined;
  return issue.input === undefined ? 'is required' : `must be ${KINDS[issue.expected] ?? issue.expected}`;
}

/** @param path the path of the parsed value; '' for the body itself */
export function faultsOf({ issues }: { issues: readonly z.core.$ZodIssue[] }, path: string): FaultDetail[] {
  return issues.flatMap((issue) => {
    const faultPath = issue.path.reduce<string>(memberPath, path);
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({ path: memberPath(faultPath, key), message: 'is not a known key' }));
    }
    if (issue.code === 'invalid_key') {
      return issue.issues.map(({ message }) => ({ path: faultPath, message: `has a name that ${message}` }));
    }
    const meant = issue.code === 'invalid_union' ? issue.errors.find(isInside) : undefined;
    return meant === undefined
      ? [{ path: faultPath, message: issue.message }]
      : faultsOf({ issues: meant }, faultPath);
  });
}

/** Whether a value is of the right kind, and only parts of it are wrong. */
function isInside(issues: readonly z.core.$ZodIssue[]): boolean {
  return issues.every(({ code, path }) => path.length > 0 || code === 'unrecognized_keys');
}

/** A JSON object. Arrays and raw numbers (`json/lossless.ts`) are JavaScript objects too, but are refused. */
export const jsonObject = z.custom<Record<string, unknown>>(isJsonObject, {
  error: (issue) => (issue.input === undefined ? 'is required' : 'must be an object'),
});

export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value);
}

/** Text with a maximum length in characters, counted as JSON Schema does: an emoji is one. */
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

/** A regular expression for a text in upper or lower case. JSON Schema has no flag for it. */
export function inAnyCase(lowerCase: string): string {
  return lowerCase.replaceAll(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);
}

/** A double. A number with more digits than a double holds (`52.520006599999998`) is rounded. */
export function double(schema: z.ZodNumber): z.ZodType<number> {
  return z.preprocess((value) => (JSON.isRawJSON(value) ? Number(numberText(value)) : value), schema);
}

export function isWithin(value: string, charactersMin: number, charactersMax: number): boolean {
  if (value.length < charactersMin) return false;
  // A character takes one or two UTF-16 units.
  if (value.length <= charactersMax) return true;
  return value.length <= 2 * charactersMax && Array.from(value).length <= charactersMax;
}
