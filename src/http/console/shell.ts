/** The page that every address of the console gets: it loads the first script, which shows the screen. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Manifest } from './bundle.ts';

/** In the page itself, and allowed by its hash; in a layer, so that those of the stylesheet, which come later, prevail. */
const SKELETON_STYLE = `@layer skeleton{
:root{color-scheme:light dark}
body{margin:0;background:light-dark(#f5f6f8,#0e1116)}
.skeleton{display:grid;grid-template:3rem 1fr/12.5rem 1fr;min-block-size:100dvh}
.skeleton>*{background:light-dark(#fff,#161b22);border:0 solid light-dark(#dde1e7,#2c343f)}
.skeleton>:first-child{grid-column:1/-1;border-block-end-width:1px}
.skeleton>:nth-child(2){border-inline-end-width:1px}
.skeleton>:last-child{display:grid;grid-template-rows:1.5rem 8rem 16rem;gap:1.5rem;padding:1.5rem;background:none}
.skeleton b{border-radius:6px;background:light-dark(#eef0f3,#1c222b)}
.skeleton b:first-child{inline-size:12rem}
@media(max-width:48rem){.skeleton{grid-template-columns:0 1fr}}
}`;

/** What the page shows until its script runs: the outlines of the frame. */
const SKELETON = `<div class="skeleton" role="status" aria-label="Loading"><i></i><i></i><div><b></b><b></b><b></b></div></div>`;

const MARK = readFileSync(new URL('../reference/mark.svg', import.meta.url)).toString('base64');

/**
 * `Content-Security-Policy`. Scripts and styles come as files of this server; the style of the skeleton is allowed by its hash. No
 * script may turn text into markup or code: with `trusted-types 'none'` the browser refuses any assignment to `innerHTML` and the
 * like.
 */
export const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  `style-src 'self' 'sha256-${createHash('sha256').update(SKELETON_STYLE).digest('base64')}'`,
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

/** The first segment of the address of a screen, in an app or outside. */
const SEGMENT = /^\/console\/(?:apps\/[^/?#]*\/)?([a-z-]+)/;

/** The stylesheet is linked after the skeleton, which the browser so draws without waiting for it. */
export function shellHtml(url: string, { script, style, imports, groups }: Manifest): string {
  const [, segment = ''] = SEGMENT.exec(url) ?? [];
  const preloaded = [...imports, ...(Object.hasOwn(groups, segment) ? (groups[segment] ?? []) : [])];
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <base href="${baseOf(url)}" />
    <title>Carillon</title>
    <link rel="icon" type="image/svg+xml" href="data:image/svg+xml;base64,${MARK}" />
    <style>${SKELETON_STYLE}</style>
    <link rel="preload" as="style" href="./assets/${style}" />
    ${preloaded.map((name) => `<link rel="modulepreload" href="./assets/${name}" />`).join('\n    ')}
    <link rel="preload" as="fetch" href="session" crossorigin="anonymous" />
    <script type="module" src="./assets/${script}"></script>
  </head>
  <body>
    <noscript>The console needs JavaScript. Everything in it is also in the API: see <a href="../docs">its reference</a>.</noscript>
    <div id="console">${SKELETON}</div>
    <link rel="stylesheet" href="./assets/${style}" />
  </body>
</html>
`;
}

/** @returns the address of `/console/` relative to that of the request, which is right below any path of a proxy */
export function baseOf(url: string): string {
  const [path = ''] = url.split(/[?#]/, 1);
  const slashes = path.slice('/console'.length).split('/').length - 1;
  if (slashes === 0) return 'console/';
  return slashes === 1 ? './' : '../'.repeat(slashes - 1);
}
