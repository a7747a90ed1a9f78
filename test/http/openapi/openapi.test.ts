/** The document is valid, listed and complete, and its examples match its schemas. */
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, test } from 'vitest';
import { buildMetricsServer } from '../../../src/http/server.ts';
import { observeNothing } from '../../../src/observe.ts';
import { useApi } from '../api.ts';
import { document, documentedCalls, faultsBy, scopesOf } from './document.ts';
import { listing } from './listing.ts';

describe('The document', () => {
  test('the document is valid OpenAPI 3.1', async () => {
    const { valid, errors } = await new Validator().validate(JSON.parse(JSON.stringify(document)));
    expect(errors ?? []).toEqual([]);
    expect(valid).toBe(true);
  });

  test('the document is what docs/interface.txt lists: after an intended change, write it with `npm run interface`', async () => {
    await expect(listing()).toMatchFileSnapshot('../../../docs/interface.txt');
  });

  test('the document has no broken reference and no unused component', () => {
    const references = new Set(JSON.stringify(document).match(/(?<="\$ref":")[^"]+/g));
    const components = Object.entries(document.components)
      .filter(([kind]) => kind !== 'securitySchemes')
      .flatMap(([kind, named]) => Object.keys(named).map((name) => `#/components/${kind}/${name}`));
    const unused = components.filter((component) => !references.has(component));
    expect(unused).toEqual([]);
    expect([...references].filter((reference) => !components.includes(reference))).toEqual([]);
  });

  /** A pattern that tries one part again for each character of another takes minutes for it. */
  test('no pattern of the document takes long for a long text, also in callers', () => {
    const patterns = new Set(
      [...JSON.stringify(document).matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g)].map(([, text = '']) =>
        String(JSON.parse(text)),
      ),
    );
    expect(patterns.size).toBeGreaterThan(10);
    const slow = [...patterns].filter((pattern) => {
      const rule = new RegExp(pattern, 'u');
      const startedMs = performance.now();
      for (const repeated of ['a', 'A', '0', ' ', '-', '/', '%', ':', '.', 'é'])
        for (const last of ['\0', '!', ' ', '']) rule.test(repeated.repeat(50_000) + last);
      return performance.now() - startedMs > 10_000;
    });
    expect(slow).toEqual([]);
  });

  test('the document has unique names of calls', () => {
    const ids = documentedCalls.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

test('the calls that are sent again with a key take one, for the notification or for each item', () => {
  const keyed = documentedCalls.filter(({ operation }) => operation['x-carillon-repeat'] === 'keyed');
  const takesKey = documentedCalls.filter(
    ({ id, operation }) =>
      id === 'createNotifications' || operation.parameters.some(({ name }) => name === 'Idempotency-Key'),
  );
  expect(keyed.map(({ id }) => id)).toEqual(takesKey.map(({ id }) => id));
});

describe('The routes', () => {
  const api = useApi();

  test('the routes are exactly the documented calls', async () => {
    const { db, queue } = api;
    const metrics = { contentType: 'text/plain', write: async () => '' };
    const servers = [
      api.openServer({ metrics }),
      buildMetricsServer({ db, queue, observe: observeNothing, metrics }),
    ];
    const routes = new Set<string>();
    for (const server of servers) {
      await server.ready();
      for (const route of routesOf(server.printRoutes({ commonPrefix: false }))) routes.add(route);
      await server.close();
    }
    const documented = documentedCalls.map(({ method, path }) => `${method.toUpperCase()} ${unnamed(path)}`);
    // The files of the reference and for web sites, the pages and sign-in of the console, and what browsers ask before a call from
    // another origin (OPTIONS) are not calls of the API.
    const calls = [...routes].filter((route) => !/^OPTIONS |^\w+ \/(?:docs\/|console|web\/)/.test(route));
    expect(calls.sort()).toEqual(documented.sort());
  });
});

/** `GET /v6/devices/{}` of Fastify's picture of its routes, in which each level is indented by four. */
function routesOf(tree: string): string[] {
  const path: string[] = [];
  return tree.split('\n').flatMap((line) => {
    const found = /^([│├└─\s]*)(\S+)(?: \(([A-Z, ]+)\))?$/.exec(line);
    if (found === null) return [];
    const [, indent = '', segment = '', methods = ''] = found;
    path.splice(indent.length / 4 - 1, Infinity, segment);
    // A server that answers GET answers HEAD.
    const own = methods.split(', ').filter((method) => method !== '' && method !== 'HEAD');
    return own.map((method) => `${method} ${unnamed(path.join(''))}`);
  });
}

/** A path whatever its parameters are called. */
function unnamed(path: string): string {
  return path.replaceAll(/:\w+|\{\w+\}/g, '{}');
}

describe.each(documentedCalls)('$id', (call) => {
  const { operation, replies } = call;

  test('a call has examples of its body and its replies that match their schemas', () => {
    const contents = [operation.requestBody, ...replies.map(({ reply }) => reply)].flatMap((part) =>
      Object.values(part?.content ?? {}),
    );
    for (const { schema, example, examples } of contents) {
      const given = examples === undefined ? [example] : Object.values(examples).map(({ value }) => value);
      expect(given.filter((value) => value === undefined)).toEqual([]);
      expect(given.flatMap((value) => faultsBy(schema, value))).toEqual([]);
    }
  });

  test('a call has an example of each parameter that matches its schema', () => {
    expect(operation.parameters.flatMap(({ schema, example }) => faultsBy(schema, example))).toEqual([]);
    const inPath = operation.parameters.filter(({ in: place }) => place === 'path');
    expect(inPath.map(({ name }) => `{${name}}`)).toEqual(call.path.match(/\{\w+\}/g) ?? []);
  });

  test('a call documents a success, and 401 if it needs a key', () => {
    expect(replies.filter(({ status }) => status < 300)).not.toEqual([]);
    expect(replies.some(({ status }) => status === 401)).toBe(scopesOf(call).length > 0);
  });
});
