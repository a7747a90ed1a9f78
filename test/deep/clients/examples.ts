/**
 * The examples of a client: a program that prints, for each section of docs/api.md with a command, at least one line
 * `{"section": "Devices > Read a device", "reply": …}`; the replies that the page shows are compared with those lines.
 */
import { expect } from 'vitest';
import { z } from 'zod';
import { type Fence, fencesOf, readPage } from '../../docs/markdown.ts';
import { abridged, shapeOf } from '../../docs/reply-shape.ts';

interface Section {
  name: string;
  /** The JSON that stands under its commands. */
  shown: unknown[];
}

const lineSchema = z.strictObject({ section: z.string(), reply: z.unknown() });

function sectionsOfApi(): Section[] {
  const page = readPage('docs/api.md');
  const sections = new Map<string, unknown[]>();
  const fences = fencesOf(page);
  for (const [index, fence] of fences.entries()) {
    const name = headingOver(page.text, fence);
    if (fence.info === 'sh') sections.set(name, sections.get(name) ?? []);
    if (fence.info === 'json' && fences[index - 1]?.info === 'sh')
      sections.get(name)?.push(JSON.parse(fence.text));
  }
  return [...sections].map(([name, shown]) => ({ name, shown }));
}

/** @param printed what the program wrote to standard output */
export function expectExamples(printed: string): void {
  const lines = inMilliseconds(printed)
    .trim()
    .split('\n')
    .map((line) => lineSchema.parse(JSON.parse(line)));
  const replies = Map.groupBy(lines, ({ section }) => section);
  const sections = sectionsOfApi();
  expect(new Set(replies.keys())).toEqual(new Set(sections.map(({ name }) => name)));
  for (const { name, shown } of sections) {
    for (const [index, json] of shown.entries()) {
      const expected = shapeOf(json);
      expect(abridged(shapeOf(replies.get(name)?.[index]?.reply), expected), name).toEqual(expected);
    }
  }
}

/** Times as the API writes them; Go leaves zeros at the end out. */
function inMilliseconds(text: string): string {
  return text.replaceAll(
    /(?<=T\d\d:\d\d:\d\d)(?:\.(\d{1,3}))?Z/g,
    (_, digits = '') => `.${String(digits).padEnd(3, '0')}Z`,
  );
}

/** `Devices > Read a device` */
function headingOver(text: string, { line }: Fence): string {
  const path: string[] = [];
  for (const [, level = '', heading = ''] of text
    .split('\n')
    .slice(0, line)
    .join('\n')
    .matchAll(/^##(#*) (.+)$/gm)) {
    path.splice(level.length, Infinity, heading);
  }
  return path.join(' > ');
}
