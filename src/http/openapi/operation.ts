/** What is said of a call, in one place each: the document is made of it, and the tests drive the server by it. */
import type { z } from 'zod';
import type { Scope } from '../../apps/api-keys.ts';
import type { ErrorCode } from '../../errors.ts';
import type { ReplyName, RequestName } from './schemas.ts';

export type Method = 'get' | 'post' | 'put' | 'delete';

/** The headings that the calls are sorted under. */
export const tags = ['Notifications', 'Audiences', 'Devices', 'Users', 'Webhooks', 'Service'] as const;

export interface Operation {
  /** Programs that are made from the document name their functions by it. */
  id: string;
  method: Method;
  /** Its parameters in braces: the names of `pathParameters`. */
  path: string;
  tag: (typeof tags)[number];
  summary: string;
  description?: string;
  /** A key with any of them may call; none is a call without a key. */
  scopes: readonly Scope[];
  query?: { schema: z.ZodObject; example: Readonly<Record<string, string | number>> };
  headers?: Readonly<Record<string, { schema: z.ZodType; example: string }>>;
  body?: RequestBody;
  replies: readonly Reply[];
  /** Those that `errorsOf` does not know by itself. */
  errors?: readonly ErrorCode[];
}

/** JSON by a schema, or text of another media type. */
type RequestBody =
  { schema: RequestName; example: unknown } | { mediaType: string; description: string; example: string };

export interface Reply {
  status: number;
  description: string;
  /** JSON by a schema, or text of another media type; without both there is no body. */
  content?: { schema: ReplyName; example: unknown } | { mediaType: string; example: string };
}

/** The names of the parameters in the path. */
export function pathParametersOf({ path }: Operation): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
}

/** Every error that the call may be answered with. */
export function errorsOf(operation: Operation): ErrorCode[] {
  const { scopes, body, errors = [] } = operation;
  const codes = new Set<ErrorCode>();
  if (body !== undefined) codes.add('unsupported_media_type');
  if (body !== undefined && 'schema' in body) {
    codes.add('invalid_json').add('body_too_large').add('invalid_request');
  }
  if (pathParametersOf(operation).length > 0) codes.add('not_found');
  if (scopes.length > 0) {
    codes.add('unauthorized').add('forbidden').add('rate_limited').add('internal').add('unavailable');
    codes.add('invalid_request'); // also for a name in the query that the call does not know
  }
  for (const code of errors) codes.add(code);
  return [...codes];
}
