import { createHash } from 'node:crypto';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { fastify } from 'fastify';
import { describe, expect, test } from 'vitest';
import { BUNDLE, readManifest } from '../../../src/http/console/bundle.ts';
import { addConsolePages } from '../../../src/http/console/pages.ts';
import { baseOf } from '../../../src/http/console/shell.ts';
import { useApi } from '../api.ts';

const api = useApi();
const get = async (url: string, headers: Record<string, string> = {}) =>
  api.server.inject({ method: 'GET', url, headers });

describe('a page of the console', () => {
  test.each(['/console', '/console/', '/console/apps/com.example/devices?tab=events', '/console/sign-in'])(
    '%s is the same shell, never stored, under a strict policy',
    async (url) => {
      const { statusCode, headers, body } = await get(url);
      expect(statusCode).toBe(200);
      expect(headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
      });
      const [, style = ''] = /<style>([^]*?)<\/style>/.exec(body) ?? [];
      const hash = createHash('sha256').update(style).digest('base64');
      expect(String(headers['content-security-policy']).split('; ')).toEqual([
        "default-src 'none'",
        "script-src 'self'",
        `style-src 'self' 'sha256-${hash}'`,
        "img-src 'self' data:",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'self'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
      ]);
    },
  );

  test('a page has no markup that the policy forbids, and refers to this server alone', async () => {
    const { body } = await get('/console');
    expect(body).not.toMatch(/https?:|\sstyle=|\son\w+=|@import|url\(/);
    expect(body.match(/<style/g)).toHaveLength(1);
    expect(body.match(/<script/g)).toHaveLength(1);
  });

  test('a page shows a skeleton before anything is loaded', async () => {
    const { body } = await get('/console/apps/com.example/devices');
    expect(body).toMatch(/<div id="console"><div class="skeleton" [^]*<link rel="stylesheet"/);
    expect(body.slice(0, body.indexOf('class="skeleton"'))).not.toMatch(
      /rel="stylesheet"|<script(?! type="module")/,
    );
  });

  test('a page comes compressed to browsers that accept it', async () => {
    const plain = await get('/console/');
    const compressed = await get('/console/', { 'accept-encoding': 'gzip' });
    expect(gunzipSync(compressed.rawPayload).toString()).toBe(plain.body);
  });

  test.each([
    ['/console', 'console/'],
    ['/console?x=/a/b', 'console/'],
    ['/console/', './'],
    ['/console/sign-in', './'],
    ['/console/apps/com.example/devices', '../../'],
    ['/console/apps/com.example/devices/', '../../../'],
    ['/console/apps/com.example/devices?next=/a/b', '../../'],
  ])('%s finds /console/ at %s, below any path of a proxy', (url, base) => {
    expect(baseOf(url)).toBe(base);
    const page = new URL(`https://example.com/some/prefix${url}`);
    expect(new URL(base, page).pathname).toBe('/some/prefix/console/');
  });

  test('text of its address does not get into a page', async () => {
    const plain = await get('/console/A');
    const hostile = await get('/console/%22%3E%3Cscript%3Ealert(1)%3C%2Fscript%3E');
    expect(hostile.body).toBe(plain.body);
  });

  test('a page is not the answer to a program that asks for JSON', async () => {
    expect((await get('/console/sesion', { accept: 'application/json' })).statusCode).toBe(404);
  });

  test('a page says what to run where the console is not bundled', async () => {
    const server = fastify();
    addConsolePages(server, '/nowhere');
    const { statusCode, headers, body } = await server.inject('/console/apps/com.example/devices');
    expect({ statusCode, type: headers['content-type'], body }).toEqual({
      statusCode: 503,
      type: 'text/plain; charset=utf-8',
      body: 'The console has not been bundled. Run "npm run bundle" in the folder of Carillon.\n',
    });
    await server.close();
  });

  test('a page is not served where the console is off', async () => {
    const server = api.openServer({ console: 'off' });
    const reply = await server.inject({ method: 'GET', url: '/console' });
    expect({ status: reply.statusCode, body: reply.json() }).toMatchObject({
      status: 404,
      body: { code: 'not_found' },
    });
  });
});

const filesOf = (body: string) =>
  [...body.matchAll(/(?:src|href)="\.\/(assets\/[^"]+)"/g)].map(([, file = '']) => file);

const scriptOf = async () => {
  const { body } = await get('/console');
  return filesOf(body).find((file) => file.includes('/main-')) ?? '';
};

describe('the files of the page', () => {
  test('the files of a page are served as JavaScript or CSS that a browser may keep forever', async () => {
    const { body } = await get('/console/apps/com.example/overview');
    const files = filesOf(body);
    expect(files.some((file) => file.includes('/overview-'))).toBe(true);
    for (const file of files) {
      const { statusCode, headers } = await get(`/console/${file}`);
      expect({ file, statusCode }).toEqual({ file, statusCode: 200 });
      expect(headers).toMatchObject({
        'content-type': `text/${file.endsWith('.css') ? 'css' : 'javascript'}; charset=utf-8`,
        'cache-control': 'public, max-age=31536000, immutable',
        'x-content-type-options': 'nosniff',
      });
    }
  });

  test('the files of a page import only each other', async () => {
    const { files = [] } = (await readManifest(BUNDLE)) ?? {};
    for (const name of files.filter((each) => each.endsWith('.js'))) {
      const { body } = await get(`/console/assets/${name}`);
      const imported = [...body.matchAll(/(?:\}from|(?<!\.)\bimport\(?)[`'"]([^`'"]+)[`'"]/g)];
      for (const [, specifier = ''] of imported) {
        expect(files, `${name} imports ${specifier}`).toContain(specifier.replace('./', ''));
      }
    }
  });

  test.each([
    ['gzip', 'deflate, gzip', gunzipSync],
    ['br', 'gzip, br', brotliDecompressSync],
  ])(
    'the files of a page come as %s to browsers that accept it, with the same bytes',
    async (encoding, accepted, plainOf) => {
      const url = `/console/${await scriptOf()}`;
      const plain = await get(url);
      const compressed = await get(url, { 'accept-encoding': accepted });
      expect(compressed.headers).toMatchObject({ 'content-encoding': encoding, vary: 'accept-encoding' });
      expect(plainOf(compressed.rawPayload).toString()).toBe(plain.body);
    },
  );

  test('the files of a page have no comments and no source maps', async () => {
    const { files = [] } = (await readManifest(BUNDLE)) ?? {};
    for (const name of files) {
      const { body } = await get(`/console/assets/${name}`);
      // The lines that an app gets, which one file has as texts, have comments of their own.
      const program = body.replaceAll(/text:`(?:[^`\\]|\\.)*`/gs, '');
      expect(program, name).not.toMatch(/\/\*|^\s*\/\/|sourceMappingURL/m);
    }
  });

  test('the first script of another release is answered with the present one, which must not be kept', async () => {
    const present = await get(`/console/${await scriptOf()}`);
    const { statusCode, headers, body } = await get('/console/assets/main-abcd-123.js');
    expect({ statusCode, kept: headers['cache-control'] }).toEqual({ statusCode: 200, kept: 'no-store' });
    expect(body).toBe(present.body);
  });

  test.each(['manifest.json', 'package.json', '..%2fpackage.json', 'overview-abcd-123.js', 'frame'])(
    'the files of a page do not include %j',
    async (name) => {
      expect((await get(`/console/assets/${name}`)).statusCode).toBe(404);
    },
  );
});
