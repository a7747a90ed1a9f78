/** The interface as text for reviews: a line for each call and each named schema. Bounds and descriptions are left out. */
import type { JsonSchema } from '../../../src/http/openapi/schemas.ts';
import { document, documentedCalls, requiredHeaders, scopesOf, type DocumentedCall } from './document.ts';

export function listing(): string {
  const calls = documentedCalls.map(callLine);
  const types = Object.entries(document.components.schemas).map(
    ([name, schema]) => `${name}: ${typeOf(schema)}`,
  );
  return `${[...calls, '', ...types].join('\n')}\n`;
}

function callLine(call: DocumentedCall): string {
  const { method, path, operation, replies } = call;
  const parameters = operation.parameters
    .filter(({ in: place }) => place !== 'path')
    .map(({ name, required, schema }) => `${name}${required ? '' : '?'}: ${typeOf(schema)}`);
  const outcomes = replies.map(({ status, reply }) =>
    [status, contentOf(reply.content), ...requiredHeaders(reply).filter((name) => name !== 'x-request-id')]
      .filter((part) => part !== '')
      .join(' '),
  );
  const taken = [...parameters, contentOf(operation.requestBody?.content)].filter((part) => part !== '');
  const scopes = scopesOf(call).join(' or ') || 'no key';
  const repeat = operation['x-carillon-repeat'];
  return `${method.toUpperCase()} ${path} (${scopes}, ${repeat}) ${taken.join(', ')} -> ${outcomes.join(', ')}`;
}

function contentOf(content: Readonly<Record<string, { schema: JsonSchema }>> = {}): string {
  return Object.entries(content)
    .map(([mediaType, { schema }]) =>
      mediaType === 'application/json' ? typeOf(schema) : `${mediaType} ${typeOf(schema)}`,
    )
    .filter((text) => text !== 'Error')
    .join(' | ');
}

function typeOf(schema: JsonSchema | boolean): string {
  if (typeof schema === 'boolean') return 'any';
  const {
    $ref,
    enum: values,
    anyOf,
    oneOf,
    items,
    properties,
    additionalProperties: others,
    format,
  } = schema;
  if ($ref !== undefined) return $ref.replace('#/components/schemas/', '');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(' | ');
  const forms = anyOf ?? oneOf;
  if (forms !== undefined) return forms.map(typeOf).join(' | ');
  if (properties !== undefined) {
    const fields = Object.entries(properties).map(
      ([name, each]) => `${name}${schema.required?.includes(name) === true ? '' : '?'}: ${typeOf(each)}`,
    );
    const rest = others === undefined || others === false ? [] : [`[other]: ${typeOf(others)}`];
    return `{ ${[...fields, ...rest].join('; ')} }`;
  }
  if (items !== undefined && !Array.isArray(items)) return `[${typeOf(items)}]`;
  if (typeof others === 'object') return `{ [any]: ${typeOf(others)} }`;
  return format ?? [schema.type ?? 'any'].flat().join(' | ');
}
