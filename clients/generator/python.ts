/** Writes the Python client: a `TypedDict` for each object, a function for each call, with and without `asyncio`. */
import { type Api, type Call, type Field, type Shape, type Type } from './api.ts';

const HEAD = '"""Made by clients/generator from openapi.json."""\n\nfrom __future__ import annotations\n';
/** Those among the words of the language that the API has as names. */
const KEYWORDS: ReadonlySet<string> = new Set([
  'class',
  'def',
  'from',
  'global',
  'import',
  'in',
  'is',
  'pass',
  'with',
]);

export function pythonFiles({ calls, types }: Api): Map<string, string> {
  const folder = 'python/src/carillon_client';
  const typesHead = `${HEAD}
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NotRequired, TypeAlias, TypedDict
`;
  const callsHead = `${HEAD}
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator, Sequence
from typing import Literal

from . import types as t
from ._async_transport import AsyncTransport
from ._requests import given, segment
from ._transport import Transport
`;
  const sync = calls.map((call) => callText(call, types, false));
  const async = calls.map((call) => callText(call, types, true));
  return new Map([
    [`${folder}/types.py`, [typesHead, ...[...types.values()].map(typeText)].join('\n\n')],
    [
      `${folder}/_calls.py`,
      `${callsHead}

class Calls(Transport):
    __doc__ = Transport.__doc__

${sync.join('\n\n')}


class AsyncCalls(AsyncTransport):
    __doc__ = AsyncTransport.__doc__

${async.join('\n\n')}
`,
    ],
  ]);
}

function typeText({ name, doc, shape, fields, isOpen, isSent }: Type): string {
  if (fields === undefined) return `${name}: TypeAlias = "${written(shape, isSent)}"\n${docText(doc, '')}`;
  // It may have keys of the app as well, which a TypedDict cannot say.
  const known = isOpen ? `${name}Keys` : name;
  const more = isOpen ? `\n\n${name}: TypeAlias = "${known} | Mapping[str, Any]"\n${docText(doc, '')}` : '';
  if (fields.some(({ name: field }) => !/^\w+$/.test(field) || KEYWORDS.has(field))) {
    const lines = fields.map((field) => `    "${field.name}": "${typeOf(field, isSent)}",\n`).join('');
    return `${known} = TypedDict(\n    "${known}",\n    {\n${lines}    },\n)\n${docText(doc, '')}${more}`;
  }
  const lines = fields.map((field) => `    ${field.name}: ${typeOf(field, isSent)}\n${docText(field.doc)}`);
  return `class ${known}(TypedDict):\n${docText(doc)}${lines.join('')}${more}`;
}

function typeOf({ shape, isRequired }: Field, isSent: boolean): string {
  const type = written(shape, isSent);
  return isRequired ? type : `NotRequired[${type}]`;
}

function docText(doc: string, indent = '    '): string {
  if (doc === '') return '';
  const text = doc.replaceAll('\\', '\\\\').replaceAll('"""', "'''");
  return `${indent}"""${text}${text.endsWith('"') ? ' ' : ''}"""\n`;
}

/** A later server may reply with values that are not known today; what is sent has to be one of the known. */
function written(shape: Shape, isSent: boolean): string {
  switch (shape.kind) {
    case 'text': {
      if (shape.values === undefined) return 'str';
      const known = `Literal[${shape.values.map((value) => `'${value}'`).join(', ')}]`;
      return isSent ? known : `${known} | str`;
    }
    case 'integer':
      return 'int';
    case 'number':
      return 'float';
    case 'boolean':
      return 'bool';
    case 'any':
      return 'Any';
    case 'list':
      return `${isSent ? 'Sequence' : 'list'}[${written(shape.of, isSent)}]`;
    case 'map':
      return `${isSent ? 'Mapping' : 'dict'}[str, ${written(shape.of, isSent)}]`;
    case 'nullable':
      return `${written(shape.of, isSent)} | None`;
    case 'union':
      return shape.of.map((form) => written(form, isSent)).join(' | ');
    case 'named':
      return shape.name;
  }
}

function argument(name: string): string {
  return KEYWORDS.has(name) ? `${name}_` : name;
}

/** An argument of `given`, which takes the names that the API has. */
function givenAs({ name }: { name: string }): string {
  return KEYWORDS.has(name) ? `**{"${name}": ${argument(name)}}` : `${name}=${name}`;
}

function snake(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function qualified(type: string): string {
  return type.replaceAll(/'[^']*'|\b(?!Sequence|Mapping|Literal|None)[A-Z]\w+/g, (word) =>
    word.startsWith("'") ? word : `t.${word}`,
  );
}

function callText(call: Call, types: Api['types'], isAsync: boolean): string {
  const { id, method, path, doc, repeat, parameters, query, hasKey, body, reply, mayBeEmpty } = call;
  const at = `${parameters.length > 0 ? 'f' : ''}"${path.replaceAll(/\{(\w+)\}/g, '{segment($1)}')}"`;
  const inBody = body === undefined ? [] : (types.get(body.name)?.fields ?? []);
  const isList = body !== undefined && inBody.length === 0;
  const items =
    body?.as === 'lines'
      ? `Iterable[t.${body.name}]${isAsync ? ` | AsyncIterable[t.${body.name}]` : ''}`
      : body && `t.${body.name}`;
  const required = inBody.filter(({ isRequired }) => isRequired);
  const optional = inBody.filter(({ isRequired }) => !isRequired);
  const named = [
    ...[...optional, ...query].map(
      ({ name, shape, isRequired }) =>
        `${argument(name)}: ${qualified(written(shape, true))}${isRequired ? '' : ' | None = None'}`,
    ),
    ...(hasKey ? ['idempotency_key: str | None = None'] : []),
  ];
  const list = [
    'self',
    ...parameters.map((name) => `${name}: str`),
    ...required.map(({ name, shape }) => `${argument(name)}: ${qualified(written(shape, true))}`),
    ...(isList ? [`items: ${items}`] : []),
    ...(named.length > 0 ? ['*', ...named] : []),
  ].join(', ');
  const fields = [
    ...required.map(({ name }) => `"${name}": ${argument(name)}`),
    ...(optional.length > 0 ? [`**given(${optional.map(givenAs).join(', ')})`] : []),
  ].join(', ');
  const parts = [
    ...(query.length > 0 ? [`query=given(${query.map(givenAs).join(', ')})`] : []),
    ...(body === undefined ? [] : [isList ? 'body=items' : `body={${fields}}`]),
    ...(hasKey ? ['key=idempotency_key'] : []),
  ];
  const isStream = reply !== undefined && reply.as !== 'json';
  const result = reply === undefined ? 'None' : `t.${reply.name}${mayBeEmpty ? ' | None' : ''}`;
  const sent = isStream
    ? `self._${reply.as}(${[at, ...parts].join(', ')})`
    : body?.as === 'lines'
      ? `self._upload(${at}, items)`
      : `self._json(${[`"${method}"`, at, `"${repeat}"`, ...parts].join(', ')})`;
  const wait = isAsync && !isStream ? 'await ' : '';
  const type = isStream ? `${isAsync ? 'Async' : ''}Iterator[${result}]` : result;
  return `    ${isAsync && !isStream ? 'async ' : ''}def ${snake(id)}(${list}) -> ${type}:
${docText(doc, '        ')}        ${reply === undefined ? '' : 'return '}${wait}${sent}`;
}
