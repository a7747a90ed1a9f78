/** The page that every address of the console gets: it loads the modules, and the router in it shows the screen. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Assets } from './assets.ts';

const MARK = readFileSync(new URL('../reference/mark.svg', import.meta.url)).toString('base64');

export interface Shell {
  /** The value of `Content-Security-Policy`. */
  policy: string;
  /** @param base the address of `/console/`, relative to the address of the page */
  html(base: string): string;
}

export function makeShell({ hash, modules, styles, libraries }: Assets): Shell {
  const url = (name: string): string => `./assets/${hash}/${name}`;
  const imports = Object.fromEntries(Object.entries(libraries).map(([name, file]) => [name, url(file)]));
  const importMap = JSON.stringify({ imports });
  const importMapHash = createHash('sha256').update(importMap).digest('base64');
  const head = [
    ...styles.map((name) => `<link rel="stylesheet" href="${url(name)}" />`),
    `<script type="importmap">${importMap}</script>`,
    ...modules.map((name) => `<link rel="modulepreload" href="${url(name)}" />`),
    `<script type="module" src="${url('main.ts')}"></script>`,
  ];
  return { policy: policyWith(importMapHash), html: (base) => pageWith(base, head) };
}

/**
 * Scripts and styles come as files of this server, and the import map is allowed by its hash. No script may turn text
 * into markup or code: with `trusted-types 'none'` the browser refuses any assignment to `innerHTML` and the like.
 */
function policyWith(importMapHash: string): string {
  return [
    "default-src 'none'",
    `script-src 'self' 'sha256-${importMapHash}'`,
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}

function pageWith(base: string, head: readonly string[]): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <base href="${base}" />
    <title>Carillon</title>
    <link rel="icon" type="image/svg+xml" href="data:image/svg+xml;base64,${MARK}" />
    ${head.join('\n    ')}
  </head>
  <body>
    <noscript>The console needs JavaScript. Everything in it is also in the API: see <a href="../docs">its reference</a>.</noscript>
    <div id="console"></div>
  </body>
</html>
`;
}

/**
 * @param url the address of a request, which begins with `/console`
 * @returns the address of `/console/` relative to it, which is right below any path of a proxy
 */
export function baseOf(url: string): string {
  const [path = ''] = url.split(/[?#]/, 1);
  const slashes = path.slice('/console'.length).split('/').length - 1;
  if (slashes === 0) return 'console/';
  return slashes === 1 ? './' : '../'.repeat(slashes - 1);
}
