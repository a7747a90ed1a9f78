/**
 * The files that the browser loads: what `packages/console` was bundled into. Their names hold a hash of their content, so a browser
 * may keep each forever.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

/** The path of the folder of the bundle. */
export const BUNDLE = path.dirname(fileURLToPath(import.meta.resolve('@carillon/console/bundle')));
/** In the order of preference: the ends of the names of their files, by the names of the encodings. */
const ENCODINGS = { br: '.br', gzip: '.gz' } as const;

const TYPES = { js: 'text/javascript; charset=utf-8', css: 'text/css; charset=utf-8' } as const;

const manifestSchema = z.object({
  /** The name of the first script. */
  script: z.string(),
  style: z.string(),
  /** The script, and what it imports. */
  imports: z.array(z.string()),
  /** By the first segment of the address of a screen: what its screens import besides. */
  groups: z.record(z.string(), z.array(z.string())),
  files: z.array(z.string()),
});

export type Manifest = z.infer<typeof manifestSchema>;

export interface BundledFile {
  type: string;
  bytes: Buffer;
  encoding: keyof typeof ENCODINGS | undefined;
  /** False for a file that only stands for one of another release. */
  isExact: boolean;
}

/** @returns undefined if there is no bundle in the folder */
export async function readManifest(folder: string): Promise<Manifest | undefined> {
  const text = await readFile(path.join(folder, 'manifest.json'), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : manifestSchema.parse(JSON.parse(text));
}

/**
 * During an upgrade, a page of one release may ask a process of another one: it gets the first script and the styles of that one,
 * which must not be kept.
 * @param name as in a page, or in an import of a script
 * @param accepted the header `Accept-Encoding`
 * @returns undefined if there is no such file
 */
export async function readBundledFile(
  folder: string,
  name: string,
  accepted: string,
): Promise<BundledFile | undefined> {
  const manifest = await readManifest(folder);
  if (manifest === undefined) return undefined;
  const { files, script, style } = manifest;
  const found = files.includes(name) ? name : [script, style].find((file) => stem(file) === stem(name));
  if (found === undefined) return undefined;
  const encoding = (['br', 'gzip'] as const).find((each) => new RegExp(`\\b${each}\\b`).test(accepted));
  const file = path.join(folder, found + (encoding === undefined ? '' : ENCODINGS[encoding]));
  const bytes = await readFile(file).catch(() => undefined); // it may just have been bundled again
  if (bytes === undefined) return undefined;
  const type = found.endsWith('.css') ? TYPES.css : TYPES.js;
  return { type, bytes, encoding, isExact: found === name };
}

/** @returns `main.js` for `main-BGBKAFHA.js` */
function stem(name: string): string {
  return name.replace(/-[\w-]{8}(?=\.\w+$)/, '');
}
