/** JSX drops a line break between a text and a tag, which a reader of the source takes for a blank. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const SOURCES = path.join(import.meta.dirname, '../src');
/** Elements that stand within a sentence. */
const INLINE = 'a|b|bdi|code|em|kbd|small|span|strong|Time|TimeAgo';
const LOST = [
  new RegExp(`[\\p{L}\\p{N}.,:;]\\n\\s*<(?:${INLINE})[\\s>][^\\n]*`, 'gu'),
  new RegExp(`(?:</(?:${INLINE})>|<Time(?:Ago)? [^<>]*/>)\\n\\s*[\\p{L}\\p{N}(][^\\n]*`, 'gu'),
];

function lostBlanks(source: string): string[] {
  return LOST.flatMap((pattern) => source.match(pattern) ?? []);
}

it('a text and a tag in it have a blank between them at a line break', () => {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.tsx'),
  );
  const found = files.flatMap((name) =>
    lostBlanks(readFileSync(path.join(SOURCES, name), 'utf8')).map((text) => `${name}: ${text}`),
  );
  expect(found).toEqual([]);
});

it.each([
  ['searched, back to\n  <Time at={at} />', 1],
  ['<bdi>{name}</bdi>\n  may', 1],
  ["back to{' '}\n  <Time at={at} />", 0],
  ['(\n  <a href={x}>', 0],
  ['accepted\n  <span class="muted">', 1],
])('a lost blank is found in %j: %i', (source, count) => {
  expect(lostBlanks(source)).toHaveLength(count);
});
