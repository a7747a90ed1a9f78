/**
 * Makes the pictures for the README: `npm run pictures`. Starts `carillon demo` on a temporary directory, draws its output
 * as a terminal window, and takes screenshots of the API reference, all in light and dark. Needs Chromium (`CHROMIUM`, or
 * `chromium` on the PATH).
 */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { openChromium, startDemo } from './demo-process.ts';
import { webpOf } from './webp.ts';

const PICTURES_DIR = fileURLToPath(new URL('../docs/pictures/', import.meta.url));
const PORT = '8080';

const themes = {
  light: {
    page: '#ffffff',
    window: '#f6f8fa',
    border: '#d0d7de',
    text: '#1f2328',
    dim: '#59636e',
    strong: '#0a7d33',
  },
  dark: {
    page: '#0d1117',
    window: '#151b23',
    border: '#3d444d',
    text: '#f0f6fc',
    dim: '#9198a1',
    strong: '#3fb950',
  },
} as const;
type Theme = keyof typeof themes;

async function main(): Promise<void> {
  const demo = await startDemo({ PORT });
  try {
    await mkdir(PICTURES_DIR, { recursive: true });
    const browser = await openChromium();
    try {
      for (const theme of ['light', 'dark'] as const) {
        await drawTerminal(browser, theme, demo.printed);
        await photographReference(browser, theme);
      }
    } finally {
      await browser.close();
    }
  } finally {
    await demo.stop();
  }
}

async function drawTerminal(browser: Browser, theme: Theme, printed: string): Promise<void> {
  const colors = themes[theme];
  const lines = ['$ npm run demo', ...linesToShow(printed)];
  const page = await browser.newPage({ deviceScaleFactor: 1.5, viewport: { width: 1_040, height: 400 } });
  await page.setContent(`
    <style>
      body { margin: 0; background: transparent }
      main { margin: 8px; padding: 18px 22px 20px; border: 1px solid ${colors.border}; border-radius: 10px; background: ${colors.window} }
      pre { margin: 0; font: 13.5px/1.55 'DejaVu Sans Mono', monospace; color: ${colors.text}; white-space: pre-wrap; overflow-wrap: anywhere }
      .dim { color: ${colors.dim} }
      .bar { color: ${colors.strong}; letter-spacing: -0.5px }
      .strong { color: ${colors.strong}; font-weight: 600 }
    </style>
    <main><pre>${lines.map(lineHtml).join('\n')}</pre></main>`);
  const terminal = await page.locator('main').screenshot({ omitBackground: true });
  await writeFile(path.join(PICTURES_DIR, `demo-${theme}.webp`), await webpOf(page, terminal));
  await page.close();
}

/** Keeps one line per progress bar, and shortens the API key and the link. */
function linesToShow(printed: string): string[] {
  const lines = printed
    .trimEnd()
    .replaceAll(/carillon_[\w-]{16,}/g, 'carillon_…')
    .replaceAll(/#[\w-]{32,}/g, '#…')
    .split('\n');
  return lines.filter((line, index) => {
    if (line === '' && lines[index + 1] === '') return false;
    const bar = /^(Registering devices|Sending)\b/.exec(line)?.[1];
    return bar === undefined || !(lines[index + 1] ?? '').startsWith(bar);
  });
}

function lineHtml(line: string): string {
  const text = line.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  if (/^\$|^The (notification|audience|local Apple)/.test(line)) return `<span class="strong">${text}</span>`;
  if (/^ {2}curl|^(Starting|One of them)/.test(line)) return `<span class="dim">${text}</span>`;
  return text.replace(/█+/, (bar) => `<span class="bar">${bar}</span>`);
}

async function photographReference(browser: Browser, theme: Theme): Promise<void> {
  const page = await browser.newPage({
    colorScheme: theme,
    deviceScaleFactor: 1.5,
    viewport: { width: 1_280, height: 800 },
  });
  await page.goto(`http://127.0.0.1:${PORT}/docs`, { waitUntil: 'networkidle' });
  await writeFile(
    path.join(PICTURES_DIR, `reference-${theme}.webp`),
    await webpOf(page, await page.screenshot()),
  );
  await page.close();
}

await main();
