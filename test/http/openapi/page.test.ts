import { createServer, request, type Server } from 'node:http';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findChromium } from '../../support/chromium.ts';
import { portOf } from '../../support/ports.ts';
import { useApi } from '../api.ts';
import { document, documentedCalls } from './document.ts';

const api = useApi();
const lastSchema = Object.keys(document.components.schemas).at(-1) ?? '';
const get = async (url: string) => api.server.inject({ method: 'GET', url });

describe('GET /openapi.json', () => {
  test('GET /openapi.json returns the document without a key', async () => {
    const response = await get('/openapi.json');
    expect(response.statusCode).toBe(200);
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(response.json()).toEqual(JSON.parse(JSON.stringify(document)));
  });
});

describe('GET /docs', () => {
  test('GET /docs returns a page without a key, whose policy allows only files of this server', async () => {
    const response = await get('/docs');
    expect(response.statusCode).toBe(200);
    expect(response.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    });
    expect(String(response.headers['content-security-policy']).split('; ')).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "connect-src 'self'",
      "img-src 'self' data:",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ]);
  });

  test('the page of GET /docs refers to files of this server alone, which are all served', async () => {
    const types: Record<string, string> = {
      js: 'text/javascript; charset=utf-8',
      css: 'text/css; charset=utf-8',
      svg: 'image/svg+xml',
    };
    const { body } = await get('/docs');
    const files = [...body.matchAll(/\s(?:src|href)="(docs\/[^"]+)"/g)].map(([, file = '']) => file);
    expect(files).toHaveLength(5);
    expect(body).not.toMatch(/https?:|<style|<script>|\sstyle=|\son\w+=/);
    for (const file of files) {
      const { statusCode, headers } = await get(`/${file}`);
      expect({ file, statusCode }).toEqual({ file, statusCode: 200 });
      expect(headers).toMatchObject({
        'content-type': types[file.split('.').at(-1) ?? ''],
        'x-content-type-options': 'nosniff',
      });
    }
    expect((await get('/docs/package.json')).statusCode).toBe(404);
  });

  test.each(['/docs/', '/docs/?theme=dark'])(
    'GET %s is redirected, because relative addresses would lead astray',
    async (url) => {
      const { statusCode, headers } = await get(url);
      expect({ statusCode, location: headers.location }).toEqual({ statusCode: 308, location: '../docs' });
    },
  );
});

const executablePath = findChromium();
// oxlint-disable-next-line no-console -- a skipped test says why
if (executablePath === undefined) console.warn('The reference page is not opened: no Chromium is installed');

describe.skipIf(executablePath === undefined)(
  'The reference page, in a browser and below a path of a proxy',
  () => {
    let proxy: Server;
    let browser: Browser;
    let base: string;

    beforeAll(async () => {
      await api.server.listen({ host: '127.0.0.1', port: 0 });
      proxy = await openProxy('/push', portOf(api.server.server));
      base = `http://127.0.0.1:${portOf(proxy)}/push`;
      const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
      browser = await chromium.launch({ ...(executablePath !== undefined && { executablePath }), args });
    });

    afterAll(async () => {
      await browser.close();
      proxy.close();
    });

    test.each([
      { colorScheme: 'light', width: 1_280 },
      { colorScheme: 'dark', width: 390 },
    ] as const)(
      'the reference page shows every call ($colorScheme, $width px), breaks no policy and contacts nobody else',
      async (look) => {
        const { colorScheme, width } = look;
        const page = await browser.newPage({ colorScheme, viewport: { width, height: 900 } });
        const complaints: string[] = [];
        const addresses: string[] = [];
        page.on('console', (message) => complaints.push(message.text()));
        page.on('pageerror', ({ message }) => complaints.push(message));
        page.on('request', (sent) => addresses.push(sent.url()));

        await page.goto(`${base}/docs/`);
        await page.locator('.opblock').first().waitFor();
        const shown = await page.locator('.opblock').evaluateAll((blocks) => blocks.map(({ id }) => id));
        const expected = documentedCalls.map(({ id, operation }) => `operations-${operation.tags[0]}-${id}`);
        expect(new Set(shown)).toEqual(new Set(expected));

        const call = page.locator('#operations-Devices-registerDevice');
        await call.locator('.opblock-summary-control').click();
        await call.getByText('Needs the permission').waitFor();
        await call.getByRole('tab', { name: 'Schema' }).first().click();
        await call.getByText('RegisterDevice').first().waitFor();
        await page.locator('.models-control').click();
        // The page draws only the schemas that are in sight.
        const list = page.locator('.models div:has(> div > .models-virtual-item)').first();
        const last = page.locator('.models').getByText(lastSchema, { exact: true });
        await expect
          .poll(
            async () => {
              await list.evaluate((box) => box.scrollTo(0, box.scrollHeight));
              return last.isVisible();
            },
            { timeout: 30_000 },
          )
          .toBe(true);

        expect(await page.locator('html.dark-mode').count()).toBe(colorScheme === 'dark' ? 1 : 0);
        expect(await page.locator('html').evaluate(({ scrollWidth }) => scrollWidth)).toBe(width);
        expect(complaints).toEqual([]);
        expect(
          addresses.filter((address) => !address.startsWith(`${base}/`) && !address.startsWith('data:')),
        ).toEqual([]);
        expect(addresses).toContain(`${base}/openapi.json`);
        await page.close();
      },
    );
  },
);

/** A reverse proxy that serves the API below a path. */
async function openProxy(prefix: string, port: number): Promise<Server> {
  const server = createServer(({ url = '', method, headers }, response) => {
    if (!url.startsWith(`${prefix}/`)) {
      response.writeHead(404).end();
      return;
    }
    request({ host: '127.0.0.1', port, path: url.slice(prefix.length), method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    }).end();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return server;
}
