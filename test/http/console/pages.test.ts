import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { openAssets } from '../../../src/http/console/assets.ts';
import { baseOf } from '../../../src/http/console/shell.ts';
import { stripTypes } from '../../../src/http/console/strip-types.ts';
import { buildServer } from '../../../src/http/server.ts';
import { systemClock } from '../../../src/clock.ts';
import { observeNothing } from '../../../src/observe.ts';
import { useApi } from '../api.ts';
import { testSecret } from '../../support/secret.ts';

const runFile = promisify(execFile);

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
      const [, importMap = ''] = /<script type="importmap">(.*?)<\/script>/.exec(body) ?? [];
      const hash = createHash('sha256').update(importMap).digest('base64');
      expect(String(headers['content-security-policy']).split('; ')).toEqual([
        "default-src 'none'",
        `script-src 'self' 'sha256-${hash}'`,
        "style-src 'self'",
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
    expect(body).not.toMatch(/https?:|<style|\sstyle=|\son\w+=/);
    expect(body.match(/<script/g)).toHaveLength(2);
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
    const plain = await get('/console/a');
    const hostile = await get('/console/%22%3E%3Cscript%3Ealert(1)%3C%2Fscript%3E');
    expect(hostile.body).toBe(plain.body);
  });

  test('a page is not the answer to a program that asks for JSON', async () => {
    expect((await get('/console/sesion', { accept: 'application/json' })).statusCode).toBe(404);
  });

  test('a page is not served where the console is off', async () => {
    const server = buildServer({
      db: api.db,
      queue: api.queue,
      clock: systemClock,
      secret: testSecret,
      observe: observeNothing,
      console: 'off',
    });
    try {
      const reply = await server.inject({ method: 'GET', url: '/console' });
      expect({ status: reply.statusCode, body: reply.json() }).toMatchObject({
        status: 404,
        body: { code: 'not_found' },
      });
    } finally {
      await server.close();
    }
  });
});

describe('the files of the page', () => {
  test('the files of a page are served as JavaScript or CSS that a browser may keep forever', async () => {
    const { body } = await get('/console');
    const files = [...body.matchAll(/(?:src|href)="\.\/(assets\/[^"]+)"/g)].map(([, file = '']) => file);
    expect(files.some((file) => file.endsWith('/main.ts'))).toBe(true);
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

  test('the files of a page import only each other, and libraries of the import map', async () => {
    const assets = await openAssets();
    const known = new Set([...assets.modules, ...Object.keys(assets.libraries)]);
    for (const name of assets.modules) {
      const source = String((await assets.read(name))?.bytes);
      const imported = [...source.matchAll(/^(?:import|export)\b[^;'"]*?from\s*["']([^"']+)["']/gm)].map(
        ([, specifier = '']) => specifier,
      );
      for (const specifier of imported) {
        const target = specifier.startsWith('.')
          ? new URL(specifier, `https://example.com/${name}`).pathname.slice(1)
          : specifier;
        expect(known, `${name} imports ${specifier}`).toContain(target);
      }
    }
  });

  test('the files of a page come compressed to browsers that accept it, with the same bytes', async () => {
    const { hash } = await openAssets();
    const plain = await get(`/console/assets/${hash}/main.ts`);
    const zipped = await get(`/console/assets/${hash}/main.ts`, { 'accept-encoding': 'br, gzip' });
    expect(zipped.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' });
    expect(gunzipSync(zipped.rawPayload).toString()).toBe(plain.body);
  });

  test('the files of another release are answered with the present ones, which must not be kept', async () => {
    const { statusCode, headers } = await get('/console/assets/another/main.ts');
    expect({ statusCode, kept: headers['cache-control'] }).toEqual({ statusCode: 200, kept: 'no-store' });
  });

  test.each(['package.json', '..%2fserver%2fpages.ts', 'tsconfig.json', 'frame'])(
    'the files of a page do not include %j',
    async (name) => {
      const { hash } = await openAssets();
      expect((await get(`/console/assets/${hash}/${name}`)).statusCode).toBe(404);
    },
  );
});

describe('stripTypes', () => {
  test('stripTypes removes types, and keeps positions', () => {
    expect(stripTypes('const n: number = 1;\nexport { n };')).toBe('const n         = 1;\nexport { n };');
  });

  test('stripTypes gives no warning', async () => {
    const module = import.meta.resolve('../../../src/http/console/strip-types.ts');
    const program = `import { stripTypes } from '${module}'; console.log(stripTypes('let n: 1'));`;
    const printed = await runFile(process.execPath, ['--input-type=module', '-e', program]);
    expect(printed).toEqual({ stdout: 'let n   \n', stderr: '' });
  });

  test('stripTypes leaves the warnings of others alone', () => {
    const usual = Object.getOwnPropertyDescriptor(process, 'emitWarning');
    expect(() => stripTypes('enum A { b }')).toThrow(/enum/);
    expect(Object.getOwnPropertyDescriptor(process, 'emitWarning')).toEqual(usual);
  });
});
