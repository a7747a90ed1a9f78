/**
 * The files that the browser loads: our modules and stylesheets out of `browser/`, and a few library files out of
 * `node_modules`. All addresses hold one hash of everything, so modules import each other by relative paths, and a
 * browser may keep each file forever.
 */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { stripTypes } from './strip-types.ts';

const BROWSER = fileURLToPath(new URL('../../console/browser/', import.meta.url));

/** The library files, by the names under which modules import them. */
const LIBRARIES = {
  preact: import.meta.resolve('preact'),
  'preact/hooks': import.meta.resolve('preact/hooks'),
  htm: import.meta.resolve('htm'),
  '@preact/signals': import.meta.resolve('@preact/signals'),
  '@preact/signals-core': import.meta.resolve('@preact/signals-core'),
  uplot: import.meta.resolve('uplot/dist/uPlot.esm.js'),
};
const LIBRARY_STYLES = { 'lib/uplot.css': import.meta.resolve('uplot/dist/uPlot.min.css') };

/**
 * `design.css` sets the order of the layers. Every other stylesheet of ours is in a layer, so the order of stylesheets
 * does not matter.
 */
const FIRST_STYLES = ['lib/uplot.css', 'design.css'];

const JAVASCRIPT = 'text/javascript; charset=utf-8';
const CSS = 'text/css; charset=utf-8';

export interface Asset {
  type: string;
  bytes: Buffer;
  gzipped: Buffer;
}

export interface Assets {
  /** Changes with the content of any file. */
  hash: string;
  /** Paths of all modules, libraries included. */
  modules: readonly string[];
  /** Paths of all stylesheets, in the order in which a page links them. */
  styles: readonly string[];
  /** The module names of libraries, and their paths. */
  libraries: Readonly<Record<string, string>>;
  /** @returns undefined if there is no such file */
  read(name: string): Promise<Asset | undefined>;
}

const gzipped = promisify(gzip);

/** Reads every file once. Types are removed from a module when it is first read. */
export async function openAssets(): Promise<Assets> {
  const own = (await readdir(BROWSER, { recursive: true }))
    .filter((name) => /\.(?:ts|css)$/.test(name))
    .map((name) => name.split(path.sep).join('/'))
    .sort();
  const libraries = Object.entries(LIBRARIES).map(([name, url]) => ({
    name,
    file: `lib/${name.replaceAll(/[@/]/g, '-').replace(/^-/, '')}.js`,
    url,
  }));
  const files = new Map<string, string | URL>([
    ...own.map((name) => [name, path.join(BROWSER, name)] as const),
    ...libraries.map(({ file, url }) => [file, new URL(url)] as const),
    ...Object.entries(LIBRARY_STYLES).map(([name, url]) => [name, new URL(url)] as const),
  ]);
  const sources = new Map<string, string>();
  const hash = createHash('sha256');
  for (const [name, file] of files) {
    const source = await readFile(file, 'utf8');
    sources.set(name, source);
    hash.update(`${name}\0${source}\0`);
  }
  const ready = new Map<string, Promise<Asset>>();
  return {
    hash: hash.digest('base64url').slice(0, 16),
    modules: [...sources.keys()].filter((name) => !name.endsWith('.css')),
    styles: inOrder([...sources.keys()].filter((name) => name.endsWith('.css'))),
    libraries: Object.fromEntries(libraries.map(({ name, file }) => [name, file])),
    async read(name) {
      const source = sources.get(name);
      if (source === undefined) return undefined;
      const asset = ready.get(name) ?? makeAsset(name, source);
      ready.set(name, asset);
      return asset;
    },
  };
}

async function makeAsset(name: string, source: string): Promise<Asset> {
  const text = name.endsWith('.ts') ? stripTypes(source) : withoutSourceMap(source);
  const bytes = Buffer.from(text);
  return { type: name.endsWith('.css') ? CSS : JAVASCRIPT, bytes, gzipped: await gzipped(bytes) };
}

/** Source maps of libraries are not served, so a browser's tools would ask for them in vain. */
function withoutSourceMap(source: string): string {
  return source.replace(/^\/\/# sourceMappingURL=.*$/m, '');
}

function inOrder(styles: readonly string[]): string[] {
  return [...FIRST_STYLES, ...styles.filter((name) => !FIRST_STYLES.includes(name))];
}
