/** The document as its tests use it: a list of calls, and a validator for its schemas. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import {
  apiDocument,
  type DocumentedOperation,
  type DocumentedReply,
  type Ref,
} from '../../../src/http/openapi/document.ts';

export const document = apiDocument();

export interface DocumentedCall {
  id: string;
  /** As the document has it, `get`. */
  method: string;
  path: string;
  operation: DocumentedOperation;
  replies: { status: number; reply: DocumentedReply }[];
}

export const documentedCalls: readonly DocumentedCall[] = Object.entries(document.paths).flatMap(
  ([path, byMethod]) =>
    Object.entries(byMethod).map(([method, operation]) => ({
      id: operation.operationId,
      method,
      path,
      operation,
      replies: Object.entries(operation.responses).map(([status, reply]) => ({
        status: Number(status),
        reply: resolve(reply),
      })),
    })),
);

/** The permissions of which a key needs one; none where the call needs no key. */
export function scopesOf({ operation }: DocumentedCall): string[] {
  return operation.security.flatMap(({ apiKey = [] }) => apiKey);
}

/** Formats have patterns as well. `strict` is off because the rest of the document is not a schema. */
const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
const validators = new Map<string, ValidateFunction>();
const ID = 'https://carillon.test/openapi.json';
ajv.addSchema(JSON.parse(JSON.stringify(document)), ID);

/** @returns the faults of the value by a schema, which may refer to schemas of the document */
export function faultsBy(schema: object, value: unknown): string[] {
  // A reference that begins with # leads into the document.
  const text = JSON.stringify(schema).replaceAll('"$ref":"#', `"$ref":"${ID}#`);
  const validate = validators.get(text) ?? ajv.compile(JSON.parse(text));
  validators.set(text, validate);
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, message, params }) =>
    [instancePath, message, JSON.stringify(params)].join(' '),
  );
}

/** The names of the headers that a reply always has. */
export function requiredHeaders({ headers }: DocumentedReply): string[] {
  return Object.keys(headers).filter((name) => document.components.headers[name]?.required === true);
}

function resolve(reply: DocumentedReply | Ref): DocumentedReply {
  if (!('$ref' in reply)) return reply;
  const found = document.components.responses[reply.$ref.replace('#/components/responses/', '')];
  if (found === undefined) throw new Error(`the document lacks ${reply.$ref}`);
  return found;
}
