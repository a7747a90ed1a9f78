/** Writes the TypeScript client: an interface for each type, a method for each call. */
import { type Api, type Call, camel, type Field, queryName, type Shape, type Type } from './api.ts';

const HEAD = '/** Made by clients/generator from openapi.json. */';

export function typescriptFiles({ calls, types }: Api): Map<string, string> {
  const folder = 'typescript/src/generated';
  return new Map([
    [
      `${folder}/types.ts`,
      [HEAD, ...[...types.values()].map(typeText), ...calls.flatMap(queryText)].join('\n\n'),
    ],
    [`${folder}/calls.ts`, callsText(calls)],
  ]);
}

/** The replies to the console. It comes with the server, so it knows every value that a reply may have. */
export function consoleFiles({ types }: Api): Map<string, string> {
  const texts = [...types.values()].map((type) => typeText({ ...type, isSent: true }));
  return new Map([['../packages/console/src/replies.ts', [HEAD, ...texts].join('\n\n')]]);
}

function typeText({ name, doc, shape, fields, isOpen, isSent }: Type): string {
  if (fields === undefined) return `${docText(doc)}export type ${name} = ${written(shape, isSent)};`;
  const open = isOpen ? ['  [key: string]: unknown;'] : [];
  const lines = [...fields.map((field) => fieldText(field, isSent)), ...open];
  return `${docText(doc)}export interface ${name} {\n${lines.join('\n')}\n}`;
}

function fieldText({ name, shape, isRequired, doc }: Field, isSent: boolean): string {
  const key = /^\w+$/.test(name) ? name : `'${name}'`;
  const type = written(shape, isSent);
  return `${docText(doc, '  ')}  ${key}${isRequired ? `: ${type}` : `?: ${type} | undefined`};`;
}

function docText(doc: string, indent = ''): string {
  return doc === '' ? '' : `${indent}/** ${doc.replaceAll('*/', '*\\/')} */\n`;
}

/** A later server may reply with values that are not known today; what is sent has to be one of the known. */
function written(shape: Shape, isSent: boolean): string {
  switch (shape.kind) {
    case 'text': {
      if (shape.values === undefined) return 'string';
      const values = shape.values.map((value) => `'${value}'`);
      return (isSent ? values : [...values, '(string & {})']).join(' | ');
    }
    case 'integer':
      return shape.isLong === true ? 'number | bigint' : 'number';
    case 'any':
      return 'unknown';
    case 'list': {
      const item = written(shape.of, isSent);
      return `${isSent ? 'readonly ' : ''}${item.includes(' ') ? `(${item})` : item}[]`;
    }
    case 'map':
      return `Record<string, ${written(shape.of, isSent)}>`;
    case 'nullable':
      return `${written(shape.of, isSent)} | null`;
    case 'union':
      return shape.of.map((form) => written(form, isSent)).join(' | ');
    case 'named':
      return shape.name;
    case 'number':
    case 'boolean':
      return shape.kind;
  }
}

function queryText({ id, query }: Call): string[] {
  if (query.length === 0) return [];
  return [
    `export interface ${queryName(id)} {\n${query.map((field) => fieldText(field, true)).join('\n')}\n}`,
  ];
}

function callsText(calls: readonly Call[]): string {
  const methods = calls.map(callText);
  const used = [...new Set(methods.join('\n').match(/(?<=T\.)\w+/g))].sort().join(', ');
  return `${HEAD}
import { type CallOptions, type KeyedOptions, segment, Transport } from '../transport.ts';
import type { Items } from '../lines.ts';
import type { ${used} } from './types.ts';

export class Calls extends Transport {
${methods.join('\n\n').replaceAll('T.', '')}
}
`;
}

function callText({
  id,
  method,
  path,
  doc,
  repeat,
  parameters,
  query,
  hasKey,
  body,
  reply,
  mayBeEmpty,
}: Call): string {
  const at = `\`${path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `\${segment(${camel(name)})}`)}\``;
  const bodyType = body && (body.as === 'lines' ? `Items<T.${body.name}>` : `T.${body.name}`);
  const list = [
    ...parameters.map((name) => `${camel(name)}: string`),
    ...(bodyType === undefined ? [] : [`body: ${bodyType}`]),
    ...(query.length > 0
      ? [`query${query.some(({ isRequired }) => isRequired) ? '' : '?'}: T.${queryName(id)}`]
      : []),
    `options?: ${hasKey ? 'KeyedOptions' : 'CallOptions'}`,
  ].join(', ');
  const parts = `{ ${[...(query.length > 0 ? ['query'] : []), ...(body ? ['body'] : []), 'options'].join(', ')} }`;
  const head = `${docText(doc, '  ')}  `;
  if (reply !== undefined && reply.as !== 'json') {
    return `${head}${id}(${list}): AsyncGenerator<T.${reply.name}, void, undefined> {
    return this.${reply.as}(${at}, ${parts});
  }`;
  }
  const result = reply === undefined ? 'void' : `T.${reply.name}${mayBeEmpty ? ' | null' : ''}`;
  const sent =
    body?.as === 'lines'
      ? `this.upload(${at}, body, options)`
      : `this.json('${method}', ${at}, '${repeat}', ${parts})`;
  return `${head}async ${id}(${list}): Promise<${result}> {
    ${reply === undefined ? 'await' : 'return'} ${sent};
  }`;
}
