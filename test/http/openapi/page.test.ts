import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { renderPage } from '../../../src/http/openapi/page.ts';
import { useApi } from '../api.ts';
import { document, documentedCalls } from './document.ts';

const api = useApi();
const get = async (url: string) => api.server.inject({ method: 'GET', url });

describe('GET /openapi.json', () => {
  test('is the document, without a key', async () => {
    const response = await get('/openapi.json');
    expect(response.statusCode).toBe(200);
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(response.json()).toEqual(JSON.parse(JSON.stringify(document)));
  });
});

describe('GET /docs', () => {
  test('is a page, without a key', async () => {
    const response = await get('/docs');
    expect(response.statusCode).toBe(200);
    expect(response.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'x-content-type-options': 'nosniff',
    });
    expect(response.body).toMatch(/^<!doctype html>/);
  });

  test('lets a browser load and run nothing but the style that stands in it', async () => {
    const { body, headers } = await get('/docs');
    const styles = [...body.matchAll(/<style>([^]*?)<\/style>/g)].map(([, style = '']) => style);
    const hashes = styles.map((style) => createHash('sha256').update(style).digest('base64'));
    expect(hashes).toHaveLength(1);
    expect(String(headers['content-security-policy']).split('; ')).toEqual([
      "default-src 'none'",
      `style-src 'sha256-${hashes[0]}'`,
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ]);
    expect(body).not.toMatch(/<script|<link|<img|<iframe|\sstyle=|\son\w+=|\ssrc=|@import|url\(/i);
  });

  test('has every call and every schema, once, and no link that leads nowhere', async () => {
    const { body } = await get('/docs');
    const ids = [...body.matchAll(/\sid="([^"]*)"/g)].map(([, id = '']) => id);
    const expected = [...documentedCalls.map(({ id }) => id), ...Object.keys(document.components.schemas)];
    expect(ids.sort()).toEqual(expected.sort());
    const links = [...body.matchAll(/\shref="([^"]*)"/g)].map(([, link = '']) => link);
    expect(links.filter((link) => !ids.includes(link.replace('#', '')))).toEqual(['openapi.json']);
  });

  test('shows every reply of every call, and every example of a success', async () => {
    const { body } = await get('/docs');
    for (const { id, replies } of documentedCalls) {
      const [, article = ''] = new RegExp(`<article id="${id}">([^]*?)</article>`).exec(body) ?? [];
      for (const { status, reply } of replies) {
        expect(article).toMatch(new RegExp(`<(td|p)>${status}\\b`));
        for (const { example } of status < 300 ? Object.values(reply.content ?? {}) : []) {
          const text = typeof example === 'string' ? example : JSON.stringify(example, null, 2);
          expect(article).toContain(`<pre>${escaped(text)}</pre>`);
        }
      }
    }
  });
});

test('text of the document never becomes markup', () => {
  const evil = `<script>alert("1")</script>&'`;
  const page = renderPage({
    ...document,
    info: { ...document.info, title: evil, description: `\`${evil}\`` },
  });
  expect(page).not.toContain('<script');
  expect(page).toContain(`<title>${escaped(evil)} API</title>`);
  expect(page).toContain(`<code>${escaped(evil)}</code>`);
});

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}
