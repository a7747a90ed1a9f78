/** The project's Markdown, in the few parts that the tests of the documentation hold against the code. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export interface Page {
  /** From the root of the project, e.g. `docs/api.md`. */
  file: string;
  text: string;
}

/** A fenced block; `info` is what stands behind its opening fence: `sh`, `json`, … */
export interface Fence {
  file: string;
  /** Of the opening fence, from 1. */
  line: number;
  info: string;
  text: string;
}

/** The pages of the root, then everything under docs/ by name, then those of the packages and of the clients. */
export function readPages(): Page[] {
  const docs = readdirSync(path.join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .sort();
  return [
    'README.md',
    'CHANGELOG.md',
    'CONTRIBUTING.md',
    'SECURITY.md',
    ...docs.map((name) => `docs/${name}`),
    ...readdirSync(path.join(ROOT, 'packages'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => `packages/${name}/README.md`),
    'clients/README.md',
    'clients/python/README.md',
    'clients/typescript/README.md',
    'clients/go/README.md',
    'clients/java/README.md',
  ].map(readPage);
}

export function readPage(file: string): Page {
  return { file, text: readFileSync(path.join(ROOT, file), 'utf8') };
}

export function fencesOf({ file, text }: Page): Fence[] {
  const fences: Fence[] = [];
  // A block in a list is indented, and so is each of its lines.
  let open: { indent: string; line: number; info: string; lines: string[] } | undefined;
  for (const [index, line] of text.split('\n').entries()) {
    const [, indent = '', info] = /^( *)```(.*)$/.exec(line) ?? [];
    if (info === undefined) open?.lines.push(line.slice(open.indent.length));
    else if (open === undefined) open = { indent, line: index + 1, info, lines: [] };
    else {
      fences.push({ file, line: open.line, info: open.info, text: open.lines.join('\n') });
      open = undefined;
    }
  }
  return fences;
}

/** The text outside of fenced blocks. */
export function proseOf({ text }: Page): string {
  return text.replaceAll(/^ *```[^]*?^ *```$/gm, '');
}

/** The rows of the table that follows the text, without the two of its head; each as its cells. */
export function tableAfter({ file, text }: Page, marker: string): string[][] {
  const start = text.indexOf(marker);
  if (start === -1) throw new Error(`${file} has no ${marker}`);
  const table = /(?:^\|.*\n)+/m.exec(text.slice(start))?.[0] ?? '';
  return table.trimEnd().split('\n').slice(2).map(cellsOf);
}

function cellsOf(row: string): string[] {
  return row
    .replace(/^\|\s*|\s*\|$/g, '')
    .split('|')
    .map((cell) => cell.trim());
}
