// Bundles the console into `dist/`, unless that is up to date. `npm ci` runs it, with whatever Node npm runs on: so it is plain
// JavaScript. `--force` bundles anyway.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import * as zlib from 'node:zlib';

const HERE = path.dirname(fileURLToPath(import.meta.url));
const SOURCES = path.join(HERE, 'src');
const DIST = path.join(HERE, 'dist');
const MANIFEST = path.join(DIST, 'manifest.json');
/** Where the screens of a folder begin. */
const GROUP = /[\\/]screens[\\/]([^\\/]+)[\\/]screens\.ts$/;
/**
 * What two screens need is loaded first, as one file. In smaller ones, split by the screens that need them, a first load had more
 * requests than browsers send at once over HTTP/1.1 (six), and waited for a second round trip.
 */
const CHUNKS = [{ name: 'base', minShareCount: 2 }];

const sources = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
  .map((name) => name.split(path.sep).join('/'))
  .filter((name) => /\.(?:tsx?|css|json)$/.test(name) && name !== 'replies.ts') // types alone, made later
  .sort();

const stamp = stampOf();
if (process.argv.includes('--force') || stampOfDist() !== stamp) await bundle();

async function bundle() {
  const { rolldown } = await import('rolldown').catch((error) => {
    // The server runs without the console, and says so where a reader asks for a page.
    process.stderr.write(`The console is not bundled. Rolldown needs optional packages. ${error.message}\n`);
    return {};
  });
  if (rolldown === undefined) return;
  const build = await rolldown({
    cwd: HERE,
    input: 'src/main.tsx',
    tsconfig: false, // it extends a file that a Docker image does not have
    transform: { target: 'es2022', jsx: { runtime: 'automatic', importSource: 'preact' } },
  });
  const { output } = await build.generate({
    format: 'esm',
    entryFileNames: '[name]-[hash].js',
    chunkFileNames: ({ name, facadeModuleId }) =>
      `${GROUP.exec(facadeModuleId ?? '')?.[1] ?? name.split('~', 1)}-[hash].js`,
    minify: true,
    comments: false,
    codeSplitting: { groups: CHUNKS },
  });
  await build.close();
  const styles = await stylesheet();
  const style = `console-${createHash('sha256').update(styles).digest('base64url').slice(0, 8)}.css`;

  const chunks = new Map(output.map((chunk) => [chunk.fileName, chunk]));
  const [script = ''] = output.filter(({ isEntry }) => isEntry).map(({ fileName }) => fileName);
  const imports = needed(chunks, script);
  const groups = output.flatMap(({ fileName, facadeModuleId }) => {
    const [, name] = GROUP.exec(facadeModuleId ?? '') ?? [];
    if (name === undefined) return [];
    return [[name, needed(chunks, fileName).filter((file) => !imports.includes(file))]];
  });
  const files = new Map([...output.map(({ fileName, code }) => [fileName, code]), [style, styles]]);
  const manifest = {
    stamp,
    script,
    style,
    /** What `script` imports, itself included. */
    imports,
    /** By the name of the folder of a screen: what its screens import besides. */
    groups: Object.fromEntries(groups),
    files: [...files.keys()],
  };
  mkdirSync(DIST, { recursive: true });
  for (const [name, text] of files) {
    const file = path.join(DIST, name);
    writeFileSync(file, text);
    writeFileSync(`${file}.gz`, zlib.gzipSync(text, { level: 9 }));
    writeFileSync(`${file}.br`, zlib.brotliCompressSync(text));
  }
  // The manifest last, so that a server that reads it finds what it names.
  writeFileSync(MANIFEST, JSON.stringify(manifest, null, 2));
  for (const name of readdirSync(DIST)) {
    if (name !== path.basename(MANIFEST) && !files.has(name.replace(/\.(?:gz|br)$/, ''))) {
      rmSync(path.join(DIST, name));
    }
  }
}

/** `design.css` sets the order of the layers, so the order of the others does not matter. */
async function stylesheet() {
  const library = fileURLToPath(import.meta.resolve('uplot/dist/uPlot.min.css'));
  const own = sources.filter((name) => name.endsWith('.css') && name !== 'design.css');
  const files = [library, ...['design.css', ...own].map((name) => path.join(SOURCES, name))];
  const texts = files.map((file) => readFileSync(file, 'utf8'));
  return texts
    .join('\n')
    .replaceAll(/\/\*.*?\*\//gs, '')
    .replaceAll(/\s*\n\s*/g, '\n');
}

/** @returns the file and all that it imports before it runs */
function needed(chunks, name, found = []) {
  if (found.includes(name)) return found;
  found.push(name);
  for (const imported of chunks.get(name).imports) needed(chunks, imported, found);
  return found;
}

/** A hash of all that goes into the bundle; the lock file stands for the libraries. */
function stampOf() {
  const hash = createHash('sha256');
  const lock = path.join(HERE, '../../package-lock.json');
  for (const file of [
    ...sources.map((name) => path.join(SOURCES, name)),
    fileURLToPath(import.meta.url),
    lock,
  ]) {
    if (existsSync(file))
      hash
        .update(`${path.relative(HERE, file)}\0`)
        .update(readFileSync(file))
        .update('\0');
  }
  return hash.digest('hex');
}

function stampOfDist() {
  return existsSync(MANIFEST) ? JSON.parse(readFileSync(MANIFEST, 'utf8')).stamp : undefined;
}
