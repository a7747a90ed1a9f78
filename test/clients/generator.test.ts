/** Each client has every call of a back end, its parameters, and every field of its bodies and replies. */
import { describe, expect, test } from 'vitest';
import { generatedFiles } from '../../clients/generator/generate.ts';
import { document } from '../http/openapi/document.ts';
import { calls } from './back-end-calls.ts';

const schemas: Record<string, { properties?: object; oneOf?: object[]; anyOf?: object[] }> =
  document.components.schemas;
const files = [...generatedFiles()];

/** Written by hand: their factories make every form. */
const byHand = /Filter$|^CustomAttribute$|Attribute$|Range$/;

/** How a client writes a type, a field and a call. */
const clients = [
  {
    language: 'TypeScript',
    folder: 'typescript/',
    type: (name: string) => new RegExp(`(?:interface ${name} \\{|type ${name} = ).*?\\n\\n`, 's'),
    field: (name: string) => new RegExp(`^  '?${name}'?\\??:`, 'm'),
    call: (id: string) => `${id}(`,
  },
  {
    language: 'Python',
    folder: 'python/',
    type: (name: string) =>
      new RegExp(`(?:class ${name}(?:Keys)?\\(|\n${name}: |\n${name} = ).*?\\n\\n`, 's'),
    field: (name: string) => new RegExp(`^    "?${name}"?:`, 'm'),
    call: (id: string) => `def ${id.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}(`,
  },
  {
    language: 'Go',
    folder: 'go/',
    type: (name: string) => new RegExp(`type ${name} .*?\\n\\n`, 's'),
    field: (name: string) => new RegExp(`json:"${name}[",]`),
    call: (id: string) => `) ${id.charAt(0).toUpperCase()}${id.slice(1)}(`,
  },
  {
    language: 'Java',
    folder: 'java/',
    type: (name: string) => new RegExp(`public final class ${name} .*?\\n\\}\\n`, 's'),
    field: (name: string) => new RegExp(`get\\("${name}"`),
    call: (id: string) => ` ${id}(`,
  },
];

/** The schemas that the calls contain, by name. */
function reached(): string[] {
  const found = new Set<string>();
  const follow = (part: unknown): void => {
    for (const [, name = ''] of JSON.stringify(part).matchAll(/#\/components\/schemas\/(\w+)/g)) {
      if (found.has(name)) continue;
      found.add(name);
      follow(schemas[name]);
    }
  };
  for (const { operation, replies } of calls) {
    const successes = replies.filter(({ status }) => status < 300).map(({ reply }) => reply.content ?? {});
    follow([operation.requestBody ?? {}, successes]);
  }
  return [...found];
}

/** The types that stand for a schema: its own, or in a language without unions the one of the union that it is a form of. */
function namesFor(name: string): string[] {
  const unions = Object.entries(schemas).filter(([, { oneOf, anyOf }]) =>
    JSON.stringify(oneOf ?? anyOf ?? []).includes(`schemas/${name}"`),
  );
  return [name, ...unions.map(([union]) => union)];
}

describe.each(clients)('The $language client', ({ folder, type, field, call }) => {
  const text = files
    .filter(([name]) => name.startsWith(folder))
    .map(([, each]) => `${each}\n`)
    .join('');
  const blockOf = (name: string): string => type(name).exec(text)?.[0] ?? '';

  test('a generated client has a method for every call of a back end, and its query', () => {
    expect(calls.filter(({ id }) => !text.includes(call(id))).map(({ id }) => id)).toEqual([]);
    const parameters = calls.flatMap(({ id, operation }) =>
      operation.parameters
        .filter(({ in: place, name }) => place === 'query' && name !== 'format')
        .map(({ name }) => [id, name] as const),
    );
    const inCalls = folder === 'python/';
    const missing = parameters.filter(([id, name]) => {
      const query = blockOf(`${id.charAt(0).toUpperCase()}${id.slice(1)}Query`);
      // A keyword of Python has an underscore.
      if (inCalls) return !text.includes(`, ${name}: `) && !text.includes(`, ${name}_: `);
      return !field(name).test(query);
    });
    expect(missing).toEqual([]);
  });

  test('a generated client has every field of the bodies and replies', () => {
    const missing = reached().flatMap((name) =>
      Object.keys(schemas[name]?.properties ?? {})
        .filter(() => folder !== 'java/' || !byHand.test(name))
        .filter((each) => !namesFor(name).some((one) => field(each).test(blockOf(one))))
        .map((each) => `${name}.${each}`),
    );
    expect(missing).toEqual([]);
  });
});

test('a value such as Android is not taken for a type of the Python client', () => {
  const [, python = ''] = files.find(([name]) => name.endsWith('/_calls.py')) ?? [];
  expect(python).toContain("'Android'");
  expect(python).not.toMatch(/'t\.\w+'/);
});
