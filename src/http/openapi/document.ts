/**
 * Makes the OpenAPI 3.1 document (https://spec.openapis.org/oas/v3.1.1) from the list of calls and from the schemas of
 * bodies and replies.
 */
import type { z } from 'zod';
import packageJson from '../../../package.json' with { type: 'json' };
import { catalogue, type ErrorCode, faultSentence } from '../../api/errors.ts';
import { errorReply } from '../error-reply.ts';
import { type CallFacts, errorsOf, type Repeat, repeatOf, tags } from '../call.ts';
import { JSON_TYPE, NDJSON_TYPE } from '../list-body.ts';
import { everyCall } from '../calls/every-call.ts';
import { LAG, READ_FROM } from '../replica-reads.ts';
import { type Parameter, parametersOf } from './parameters.ts';
import { type JsonSchema, namedSchemas, refTo } from './schemas.ts';

export interface Ref {
  $ref: string;
}

interface MediaType {
  schema: JsonSchema;
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
}

export interface DocumentedReply {
  description: string;
  headers: Record<string, Ref>;
  content?: Record<string, MediaType>;
}

export interface DocumentedOperation {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  'x-carillon-repeat': Repeat;
  /** Alternatives: a key needs one of these permissions. */
  security: { apiKey?: string[] }[];
  parameters: Parameter[];
  requestBody?: { required: true; description?: string; content: Record<string, MediaType> };
  responses: Record<string, DocumentedReply | Ref>;
}

export interface ApiDocument {
  openapi: string;
  info: { title: string; version: string; summary: string; description: string; license: object };
  servers: { url: string }[];
  tags: { name: string }[];
  paths: Record<string, Record<string, DocumentedOperation>>;
  components: {
    schemas: Record<string, JsonSchema>;
    responses: Record<string, DocumentedReply>;
    headers: Record<string, { description?: string; required?: boolean; schema: object }>;
    securitySchemes: Record<string, object>;
  };
}

const DESCRIPTION = `Requests and replies are JSON in UTF-8. Bodies are at most 1 MiB, sent uncompressed as \`application/json\` \
(except the import and batches). Numbers keep all of their digits.

Each call says which permission its key needs; no permission includes another. A key belongs to one app and has no \
access to others.

\`x-carillon-repeat\` says whether a call may be sent again when the server may already have carried it out, for example after \
a lost connection or a 503. A call that \`reads\` or is \`idempotent\` may; a \`keyed\` one may with the same idempotency \
key; any other \`only-after-429\`, which says that the call was not carried out.

Times are ISO 8601. In replies they are in UTC with milliseconds.`;

const headers = {
  'x-request-id': {
    description:
      'Identifies the request in the log: the id that the caller sent, if it is 1 to 128 plain characters, otherwise a new one.',
    required: true,
    schema: { type: 'string' },
  },
  'www-authenticate': { required: true, schema: { type: 'string', const: 'Basic realm="carillon"' } },
  'retry-after': {
    description: 'Seconds to wait before trying again.',
    required: true,
    schema: { type: 'integer', minimum: 0 },
  },
  [READ_FROM]: {
    description:
      'Which database was read, if the server has a read replica. A request with this header and the value `primary` is not ' +
      'answered from the replica.',
    schema: { type: 'string', enum: ['primary', 'replica'] },
  },
  [LAG]: {
    description: 'The maximum age of the replica’s reply, in seconds.',
    schema: { type: 'number', minimum: 0 },
  },
};

type HeaderName = keyof typeof headers;

/** @returns a new object at each call, always with the same content */
export function apiDocument(): ApiDocument {
  const paths: ApiDocument['paths'] = {};
  const responses: ApiDocument['components']['responses'] = {};
  for (const call of everyCall) {
    const errors = Map.groupBy(errorsOf(call), (code) => catalogue[code].status);
    for (const codes of errors.values()) responses[nameOf(codes)] = errorReplyFor(codes);
    const path = call.path.replaceAll(/:(\w+)/g, '{$1}');
    (paths[path] ??= {})[call.method.toLowerCase()] = documented(call, errors);
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Carillon',
      version: packageJson.version,
      summary: packageJson.description,
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    tags: tags.map((name) => ({ name })),
    paths,
    components: {
      schemas: documentSchemas(),
      responses,
      headers,
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'basic',
          description: 'The password is an API key; the username is empty or the app’s bundle id.',
        },
      },
    },
  };
}

/** The schemas of all bodies and replies, and of what they contain. */
export function documentSchemas(): Record<string, JsonSchema> {
  const sent = everyCall.flatMap(({ body }) => (body === undefined ? [] : schemaIn(body)));
  const returned = everyCall.flatMap(({ replies }) => replies.flatMap(schemaIn));
  return namedSchemas({ sent, returned: [...returned, errorReply] });
}

function schemaIn(body: { schema?: z.ZodType; each?: z.ZodType }): z.ZodType[] {
  return [body.schema, body.each].filter((schema) => schema !== undefined);
}

function documented(call: CallFacts, errors: ReadonlyMap<number, ErrorCode[]>): DocumentedOperation {
  const { id, tag, summary, description, scopes, body, readsReplica } = call;
  const repeat = repeatOf(call);
  const databaseHeaders: HeaderName[] = [];
  if (repeat === 'reads' && scopes.length > 0) databaseHeaders.push(READ_FROM);
  if (readsReplica === true) databaseHeaders.push(LAG);
  const replies = call.replies.map((reply): [number, DocumentedReply] => [
    reply.status,
    replyOf(reply, databaseHeaders),
  ]);
  const refusals = [...errors].map(([status, codes]): [number, Ref] => [
    status,
    { $ref: `#/components/responses/${nameOf(codes)}` },
  ]);
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: [description, permissionSentence(scopes)]
      .filter((sentence) => sentence !== undefined)
      .join('\n\n'),
    'x-carillon-repeat': repeat,
    security: scopes.length === 0 ? [{}] : scopes.map((scope) => ({ apiKey: [scope] })),
    parameters: parametersOf(call),
    ...(body !== undefined && { requestBody: { required: true, ...requestBodyOf(body) } }),
    responses: Object.fromEntries([...replies, ...refusals]),
  };
}

/** The permissions in words, because most tools do not show the scopes of an HTTP security scheme. */
function permissionSentence(scopes: CallFacts['scopes']): string {
  if (scopes.length === 0) return 'Needs no API key.';
  return `Needs the permission ${scopes.map((scope) => `\`${scope}\``).join(' or ')}.`;
}

function requestBodyOf(
  body: NonNullable<CallFacts['body']>,
): Omit<NonNullable<DocumentedOperation['requestBody']>, 'required'> {
  return 'schema' in body
    ? { content: contentOf(body) }
    : { description: body.description, content: contentOf(body) };
}

function replyOf(reply: CallFacts['replies'][number], others: readonly HeaderName[]): DocumentedReply {
  const { status, description } = reply;
  const head = { description, headers: headersOf(status, others) };
  return 'example' in reply ? { ...head, content: contentOf(reply) } : head;
}

/** The content of a body: JSON with a named schema, also as lines if it is a list, or text of another media type. */
function contentOf(
  body:
    | { schema: z.ZodType; example: unknown; ndjson?: never }
    | { schema: z.ZodType; example: readonly unknown[]; ndjson: string }
    | { mediaType: string; example: string; each?: z.ZodType },
): Record<string, MediaType> {
  if (!('schema' in body)) {
    const { mediaType, example, each } = body;
    const data = each && { contentMediaType: mediaType, contentSchema: { $ref: refTo(each) } };
    return { [mediaType]: { schema: { type: 'string', ...data }, example } };
  }
  const json = { [JSON_TYPE]: { schema: { $ref: refTo(body.schema) }, example: body.example } };
  if (body.ndjson === undefined) return json;
  const example = body.example.map((item) => `${JSON.stringify(item)}\n`).join('');
  return { ...json, [NDJSON_TYPE]: { schema: { type: 'string', description: body.ndjson }, example } };
}

function errorReplyFor(codes: readonly ErrorCode[]): DocumentedReply {
  const [first] = codes;
  const examples = Object.fromEntries(codes.map((code) => [code, { value: errorExample(code) }]));
  return {
    description: codes.map((code) => `\`${code}\`: ${meaningOf(code)}`).join(' '),
    headers: headersOf(first === undefined ? 0 : catalogue[first].status),
    // All errors share one schema: otherwise generators of clients would make a type for each call and status. The
    // examples have the codes.
    content: { [JSON_TYPE]: { schema: { $ref: refTo(errorReply) }, examples } },
  };
}

function meaningOf(code: ErrorCode): string {
  // The message itself is a single word, because clients of the original service compare it.
  return code === 'unauthorized' ? 'The credentials are missing or wrong.' : catalogue[code].sentence;
}

function errorExample(code: ErrorCode): object {
  const example = { error: catalogue[code].sentence, code };
  if (code !== 'invalid_request') return example;
  const fault = {
    path: 'notification.payload.badge',
    message: 'must be a whole number from 0 to 2147483647',
  };
  return { error: faultSentence(fault, 'The body'), code, details: [fault] };
}

function headersOf(status: number, others: readonly HeaderName[] = []): Record<string, Ref> {
  const ofStatus: Readonly<Record<number, HeaderName>> = {
    401: 'www-authenticate',
    429: 'retry-after',
    503: 'retry-after',
  };
  const names = ['x-request-id', ofStatus[status], ...others].filter((name) => name !== undefined);
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** The component name of an error reply, made of its codes. */
function nameOf(codes: readonly ErrorCode[]): string {
  return codes.join('_or_');
}
