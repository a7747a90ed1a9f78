/**
 * A call of the API is defined once: both the Fastify route and its part of the OpenAPI document come from the definition
 * (docs/decisions/0018). `callsWithKey` and `callsWithoutKey` make the definitions that `calls/` lists.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Scope } from '../apps/scopes.ts';
import type { Caller } from '../apps/caller.ts';
import type { AuditAction } from '../audit/actions.ts';
import type { Author } from '../audit/author.ts';
import type { ErrorCode } from '../api/errors.ts';
import { parseBy } from '../api/parse.ts';
import { authorOf } from './authenticate.ts';
import type { CallDeps } from './call-deps.ts';
import { acceptBytes, acceptUnreadBody, requiredBody, requireMediaType, UNLIMITED } from './body.ts';
import { JSON_TYPE, NDJSON_TYPE, type SentList, sentList } from './list-body.ts';
import { allowPages, answerPreflight, isForPages } from './other-origins.ts';
import { refuseUnknownParameters } from './query.ts';
import { recordUserCall } from './record-user-call.ts';
import { answerFromReplica, sayPrimary } from './replica-reads.ts';

const methods = ['GET', 'POST', 'PUT', 'DELETE'] as const;
type Method = (typeof methods)[number];
/** A method and a path in Fastify's syntax: `GET /v6/audiences/:audience_id`. */
type AnyAddress = `${Method} ${string}`;

/** The headings under which the document sorts the calls. */
export const tags = [
  'Notifications',
  'Audiences',
  'Devices',
  'Users',
  'Channels',
  'Webhooks',
  'Settings',
  'Audit',
  'Console',
  'Service',
] as const;
type Tag = (typeof tags)[number];

/**
 * Whether a call may be sent again although the server may have carried it out. `reads`: it changes nothing.
 * `idempotent`: it sets the same values again. `keyed`: the server recognises a notification by its idempotency key.
 * `only-after-429`: it would have a second effect, such as a second audience, so it may be sent again only after a 429,
 * which says that it was not carried out.
 */
export const repeats = ['reads', 'idempotent', 'keyed', 'only-after-429'] as const;
export type Repeat = (typeof repeats)[number];

/** The part of a definition that the document shows. */
export interface CallFacts {
  /** The operation id; generated clients name their functions after it. */
  id: string;
  method: Method;
  /** In Fastify's syntax. */
  path: string;
  tag: Tag;
  summary: string;
  description?: string;
  /** A key needs one of these; the list is empty if the call needs no key. */
  scopes: readonly Scope[];
  /** The permission that a user of the console needs in addition; a key needs only one of `scopes`. */
  usersNeed?: Scope;
  query?: { schema: z.ZodObject; example: Readonly<Record<string, string | number>> };
  headers?: Readonly<Record<string, { schema: z.ZodType; example: string }>>;
  body?: JsonBody | StreamedBody | ListBody;
  /** Only for POST: see `repeatOf`. */
  repeat?: Repeat;
  /** The status of the first one is sent unless the handler sets another. */
  replies: readonly Reply[];
  /**
   * The code in the audit log of a change that is recorded only if a user of the console makes it. Other handlers record
   * their changes themselves.
   */
  recordedAs?: AuditAction;
  /** Whether the read replica may answer, with a reply that is some seconds old. The handler must write nothing. */
  readsReplica?: true;
  /** Errors besides those of the scopes, the body and the path (see `errorsOf`). */
  errors?: readonly ErrorCode[];
}

/** A schema of a body or a reply has an id (`meta({ id })`), which is its name in the document. */
interface JsonBody {
  schema: z.ZodType;
  example: unknown;
}

/** A body that is not JSON, which the handler reads from the socket; `each` is the schema of each line. */
interface StreamedBody {
  mediaType: string;
  each?: z.ZodType;
  description: string;
  example: string;
}

/** A list that is sent as a JSON array or as NDJSON. The handler reads it (`list-body.ts`) and replies in the same form. */
interface ListBody {
  schema: z.ZodType;
  example: readonly unknown[];
  /** Says what the lines are. */
  ndjson: string;
  bytesMax: number;
}

/**
 * A reply without a body, with JSON, with a list in the form of the request's, or with text of another media type. `each` is
 * the schema of each line, or of the data of each event.
 */
type Reply =
  | { status: number; description: string; schema?: never; mediaType?: never }
  | { status: number; description: string; schema: z.ZodType; example: unknown; ndjson?: never }
  | { status: number; description: string; schema: z.ZodType; example: readonly unknown[]; ndjson: string }
  | { status: number; description: string; mediaType: string; example: string; each?: z.ZodType };

/** The reply of most calls. */
export function jsonReply(status: number, description: string, schema: z.ZodType, example: unknown): Reply {
  return { status, description, schema, example };
}

/** @typeParam Deps the resources that the handler uses */
export interface Call<Deps = CallDeps> extends CallFacts {
  readonly addTo: (server: FastifyInstance, deps: Deps) => void;
}

/** A request as its handler gets it, after the permission of the key has been checked. */
interface Input<Address extends string> {
  caller: Caller;
  params: Pick<PathParameters, ParameterName<Address> & keyof PathParameters>;
  request: FastifyRequest;
  reply: FastifyReply;
  /** Of the changes that the call makes, for the audit log. */
  author: () => Author;
}

type Definition<Address extends AnyAddress> = Omit<Facts, 'query' | 'body'> & { address: Address };

type Facts = Omit<CallFacts, 'tag' | 'method' | 'path'>;

interface WithBody<Address extends AnyAddress, Body> extends Definition<Address> {
  body: JsonBody;
  /** @throws {ApiError} with every fault of the body */
  parse: (body: unknown, deps: CallDeps) => Body;
  query?: never;
  handle: (deps: CallDeps, input: Input<Address> & { body: Body }) => Promise<unknown>;
}

interface WithQuery<Address extends AnyAddress, Query extends z.ZodObject> extends Definition<Address> {
  query: { schema: Query; example: Readonly<Record<string, string | number>> };
  body?: never;
  parse?: never;
  handle: (deps: CallDeps, input: Input<Address> & { query: z.output<Query> }) => Promise<unknown>;
}

interface WithList<Address extends AnyAddress> extends Definition<Address> {
  body: ListBody;
  query?: never;
  parse?: never;
  handle: (deps: CallDeps, input: Input<Address> & { body: SentList }) => Promise<unknown>;
}

interface WithNeither<Address extends AnyAddress> extends Definition<Address> {
  body?: StreamedBody;
  query?: never;
  parse?: never;
  handle: (deps: CallDeps, input: Input<Address>) => Promise<unknown>;
}

interface DefineCall {
  <const Address extends AnyAddress, Body>(definition: WithBody<Address, Body>): Call;
  <const Address extends AnyAddress, Query extends z.ZodObject>(definition: WithQuery<Address, Query>): Call;
  <const Address extends AnyAddress>(definition: WithList<Address>): Call;
  <const Address extends AnyAddress>(definition: WithNeither<Address>): Call;
}

type ParameterName<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParameterName<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

/** Every parameter that a path may have. */
export interface PathParameters {
  notification_id: string;
  audience_id: string;
  channel_id: string;
  device_id: string;
  webhook_id: string;
  console_user_id: string;
  delivery_id: string;
  key_id: string;
  route: string;
  user_id: string;
  token_type: string;
  token_name: string;
}

interface Routed {
  Params: PathParameters;
}

/**
 * For calls that need a key. Errors are reported in this order: no key (401), no permission (403), an unreadable
 * body, unknown query parameters, and last, together, all rules that the body or the query breaks.
 */
export function callsWithKey(tag: Tag): DefineCall {
  return <const Address extends AnyAddress, Query extends z.ZodObject, Body>(
    definition:
      WithBody<Address, Body> | WithQuery<Address, Query> | WithList<Address> | WithNeither<Address>,
  ): Call => {
    const { address, scopes, usersNeed, query, body, repeat, recordedAs, readsReplica } = definition;
    const { method, path } = splitAddress(address);
    const status = usualStatus(definition.replies);
    const isRead = repeatOf({ method, repeat }) === 'reads';

    const answer = async (deps: CallDeps, input: Input<Address>): Promise<unknown> => {
      const { request } = input;
      refuseUnknownParameters(query?.schema, request.query);
      if (definition.parse !== undefined) {
        return definition.handle(deps, { ...input, body: definition.parse(requiredBody(request), deps) });
      }
      if (definition.query !== undefined) {
        return definition.handle(deps, { ...input, query: parseBy(definition.query.schema, request.query) });
      }
      if (takesList(definition)) return definition.handle(deps, { ...input, body: sentList(request) });
      return definition.handle(deps, input);
    };

    return {
      ...definition,
      method,
      path,
      tag,
      addTo: (server, deps) => {
        const { authentication } = deps;
        const reads = readsReplica === true ? deps.replicaReads : undefined;
        const readsPrimary = reads === undefined && deps.replicaReads !== undefined && isRead;
        const requireKey = authentication.require(...scopes);
        const handler = async (request: FastifyRequest<Routed>, reply: FastifyReply): Promise<unknown> => {
          void reply.code(status);
          const caller = authentication.callerOf(request);
          const author = (): Author => authorOf(caller, request);
          const input = { caller, params: request.params, request, reply, author };
          if (readsPrimary) sayPrimary(reply);
          const answerInTime = async (chosen: CallDeps): Promise<unknown> =>
            isRead && chosen === deps
              ? deps.status.reading(() => answer(chosen, input))
              : answer(chosen, input);
          const result =
            reads === undefined ? answerInTime(deps) : answerFromReplica(reads, deps, input, answerInTime);
          if (recordedAs === undefined || caller.by.kind === 'key') return result;
          return recordUserCall(deps, { ...input, params: { ...request.params } }, recordedAs, result);
        };
        const addRoute = (
          scope: FastifyInstance,
          options: { bodyLimit?: number },
          ...mediaTypes: readonly string[]
        ): void => {
          const requireRole = usersNeed === undefined ? [] : [authentication.requireOfUsers(usersNeed)];
          const requireType = mediaTypes.length === 0 ? [] : [requireMediaType(...mediaTypes)];
          const allowed = isForPages(scopes) ? [allowPages] : [];
          const onRequest = [...allowed, requireKey, ...requireRole, ...requireType];
          scope.route<Routed>({ ...options, method, url: path, onRequest, handler });
        };
        if (isForPages(scopes)) answerPreflight(server, path);
        if (isList(body)) {
          acceptBytes(server, (scope) =>
            addRoute(scope, { bodyLimit: body.bytesMax }, JSON_TYPE, NDJSON_TYPE),
          );
        } else if (body === undefined || 'schema' in body) {
          addRoute(server, {});
        } else {
          acceptUnreadBody(server, (scope) => addRoute(scope, { bodyLimit: UNLIMITED }, body.mediaType));
        }
      },
    };
  };
}

/** For calls that need no key. They read no body and ignore the query. */
export function callsWithoutKey<Deps>(tag: Tag) {
  return (
    facts: Omit<Facts, 'scopes' | 'body'> & {
      address: AnyAddress;
      handle: (deps: Deps, reply: FastifyReply) => Promise<unknown>;
    },
  ): Call<Deps> => {
    const { method, path } = splitAddress(facts.address);
    return {
      ...facts,
      method,
      path,
      tag,
      scopes: [],
      addTo: (server, deps) => {
        server.route({ method, url: path, handler: async (_request, reply) => facts.handle(deps, reply) });
      },
    };
  };
}

function splitAddress(address: AnyAddress): { method: Method; path: string } {
  const [written, path = ''] = address.split(' ');
  const method = methods.find((each) => each === written);
  if (method === undefined) throw new Error(`${address} has no method`);
  return { method, path };
}

function isList(body: CallFacts['body']): body is ListBody {
  return body !== undefined && 'ndjson' in body;
}

function takesList<Address extends AnyAddress>(
  definition: WithList<Address> | WithNeither<Address>,
): definition is WithList<Address> {
  return isList(definition.body);
}

function usualStatus([first]: readonly Reply[]): number {
  if (first === undefined) throw new Error('a call has a reply');
  return first.status;
}

/** Whether the call may be sent again. A POST without `repeat` may have a second effect. */
export function repeatOf({ method, repeat }: { method: Method; repeat?: Repeat | undefined }): Repeat {
  if (method === 'POST') return repeat ?? 'only-after-429';
  return method === 'GET' ? 'reads' : 'idempotent';
}

/** The names of the parameters in the path. */
export function pathParametersOf({ path }: CallFacts): string[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
}

/** Every error that the call may return. */
export function errorsOf(call: CallFacts): ErrorCode[] {
  const { scopes, body, errors = [] } = call;
  const codes = new Set<ErrorCode>();
  if (body !== undefined) codes.add('unsupported_media_type');
  if (body !== undefined && 'schema' in body) {
    codes.add('invalid_json').add('body_too_large').add('invalid_request');
  }
  if (pathParametersOf(call).length > 0) codes.add('not_found');
  if (scopes.length > 0) {
    codes.add('unauthorized').add('forbidden').add('rate_limited').add('internal').add('unavailable');
    codes.add('invalid_request'); // also for an unknown query parameter
  }
  for (const code of errors) codes.add(code);
  return [...codes];
}
