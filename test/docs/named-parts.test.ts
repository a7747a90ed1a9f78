/** The packages that Carillon is built from are imported where docs/decisions/0020-named-parts.md says. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import packageJson from '../../package.json' with { type: 'json' };
import { readPage, ROOT, tableAfter } from './markdown.ts';

const { dependencies } = z.object({ dependencies: z.record(z.string(), z.string()) }).parse(packageJson);
const parts = tableAfter(readPage('docs/decisions/0020-named-parts.md'), '<!-- parts -->').map((row) => {
  const [name = '', , file = ''] = row.map((cell) => cell.replaceAll('`', ''));
  return { name, file };
});

test('every named package has a row', () => {
  expect(parts.map(({ name }) => name)).toEqual([
    'fastify',
    'zod',
    'pg',
    'kysely',
    '@parse/node-apn',
    'firebase-admin',
    'bullmq',
    'ioredis',
    'pino',
    'vitest',
  ]);
});

test.each(parts)('the package $name is imported by $file', ({ name, file }) => {
  const source = readFileSync(path.join(ROOT, file), 'utf8');
  const imported = [...source.matchAll(/(?:from|import\() ?'([^']+)'/g)].map(([, specifier]) => specifier);
  expect(imported.some((specifier) => specifier === name || specifier?.startsWith(`${name}/`))).toBe(true);
});

test.each(parts.filter(({ file }) => file.startsWith('src/')))(
  'production installs $name, and imports its values, not only its types',
  ({ name, file }) => {
    expect(dependencies).toHaveProperty([name]);
    const source = readFileSync(path.join(ROOT, file), 'utf8');
    const lines = source.split('\n').filter((line) => line.includes(`'${name}`));
    expect(lines.some((line) => !line.startsWith('import type'))).toBe(true);
  },
);
